package accounting_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// taxedPledge returns a pledge to New Mexico whose tax has two parts.
func taxedPledge(id string) *pledge.Pledge {
	return &pledge.Pledge{OrderID: id, ShippingAddress: &pledge.Address{Country: "US", State: "NM"},
		BillingAddress: &pledge.Address{Country: "ES"},
		Explanation: []pledge.Derivation{{Amount: "lines[0]", Cents: 2500},
			{Amount: "tax", Cents: 122, Rule: "nm_grt: State", Rate: "0.04875", Base: 2500},
			{Amount: "tax", Cents: 75, Rule: "nm_grt: Taos", Rate: "0.03", Base: 2500}}}
}

// taxEntry returns the entry of a charge, or of a refund if the tax is negative, some months after the first.
func taxEntry(id string, months int, tax money.Cents) ledger.Entry {
	paid := ledger.Payment{ID: "pi-" + id, At: night.AddDate(0, months, 0)}
	if tax < 0 {
		return ledger.NewRefund(paid, "rf", []ledger.PledgeComponents{{Pledge: id,
			Components: ledger.Components{Pledges: 100, Tax: -tax}}})
	}
	return ledger.NewCharge(paid, []ledger.PledgeComponents{{Pledge: id,
		Components: ledger.Components{Pledges: 2500, Tax: tax}}})
}

// A refund lowers the tax of the place and the rates of its charge. Its rows have the months of both. The
// order of one pledge is lost, and another has no explanation of its tax.
func TestCollectTax(t *testing.T) {
	plain := &pledge.Pledge{OrderID: "pw-3", BillingAddress: &pledge.Address{Country: "ES", State: "=Madrid"}}
	rows, err := accounting.CollectTax(
		pledgeSeq(taxedPledge("pw-1"), taxedPledge("pw-2"), plain, taxedPledge("pw-9")),
		entrySeq(taxEntry("pw-1", 0, 197), taxEntry("pw-2", 0, 197), taxEntry("pw-3", 0, 21), taxEntry("pw-4", 0, 5),
			taxEntry("pw-1", 1, -100), taxEntry("pw-1", 2, -97), taxEntry("pw-4", 2, -5),
			ledger.NewFee(ledger.Payment{ID: "pi-pw-1", At: night}, "txn_1", 100)), denver)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := accounting.WriteTax(&b, rows); err != nil {
		t.Fatal(err)
	}
	want := `month,kind,charged_month,country,state,rule,rate,pledges,taxable,tax
2026-12,charge,2026-12,,,,,1,0.00,0.05
2026-12,charge,2026-12,ES,'=Madrid,,,1,0.00,0.21
2026-12,charge,2026-12,US,NM,nm_grt: State,0.04875,2,50.00,2.44
2026-12,charge,2026-12,US,NM,nm_grt: Taos,0.03,2,50.00,1.50
2027-01,refund,2026-12,US,NM,nm_grt: State,0.04875,1,-12.70,-0.62
2027-01,refund,2026-12,US,NM,nm_grt: Taos,0.03,1,-12.67,-0.38
2027-02,refund,2026-12,,,,,1,0.00,-0.05
2027-02,refund,2026-12,US,NM,nm_grt: State,0.04875,1,-12.30,-0.60
2027-02,refund,2026-12,US,NM,nm_grt: Taos,0.03,1,-12.33,-0.37
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	broken := errors.New("no response")
	_, err = accounting.CollectTax(func(yield func(*pledge.Pledge, error) bool) { yield(nil, broken) }, entrySeq(), denver)
	if !errors.Is(err, broken) {
		t.Errorf("failing pledges: %v", err)
	}
	_, err = accounting.CollectTax(pledgeSeq(), func(yield func(ledger.Entry, error) bool) {
		yield(ledger.Entry{}, broken)
	}, denver)
	if !errors.Is(err, broken) {
		t.Errorf("failing entries: %v", err)
	}
}

// However the tax of a pledge is refunded, the rows add up to the ledger's balance, and a full refund ends at
// zero for every rate.
func TestCollectTax_AddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		charged := money.Cents(rapid.Int64Range(1, 500).Draw(t, "charged"))
		entries := []ledger.Entry{taxEntry("pw-1", 0, charged)}
		for left := charged; left > 0; {
			part := money.Cents(rapid.Int64Range(1, int64(left)).Draw(t, "refund"))
			entries, left = append(entries, taxEntry("pw-1", len(entries), -part)), left-part
		}
		check := func(entries []ledger.Entry, want map[string][2]money.Cents) {
			rows, err := accounting.CollectTax(pledgeSeq(taxedPledge("pw-1")), entrySeq(entries...), denver)
			if err != nil {
				t.Fatal(err)
			}
			var sum money.Cents
			rates := map[string][2]money.Cents{}
			for _, r := range rows {
				sum += r.Tax
				rates[r.Rate] = [2]money.Cents{rates[r.Rate][0] + r.Tax, rates[r.Rate][1] + r.Taxable}
			}
			if balance := -balances(entries)[accounting.Tax]; sum != balance {
				t.Fatalf("the rows add up to %s, the ledger to %s", sum, balance)
			}
			if want != nil && !cmp.Equal(want, rates) {
				t.Fatalf("after the refunds: %v", rates)
			}
		}
		for n := range entries {
			check(entries[:n+1], nil)
		}
		zero := map[string][2]money.Cents{"0.04875": {}, "0.03": {}}
		if charged == 1 {
			delete(zero, "0.03")
		}
		check(entries, zero)
	})
}
