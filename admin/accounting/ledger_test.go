package accounting_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

// Each entry of a ledger is a transaction, on the day of its value date in the platform's time zone.
func TestWriteLedger(t *testing.T) {
	paid := ledger.Payment{ID: "pi_1", At: night.Add(-90 * time.Minute)}
	charge := ledger.NewCharge(paid, []ledger.PledgeComponents{
		{Pledge: "pw-1", Components: ledger.Components{Pledges: 2500, Tax: 197}}})
	charge.Number = 1
	fee := ledger.NewFee(paid, "txn_1", 108)
	fee.Number, fee.BookedAt = 2, night.AddDate(0, 1, 0)
	var b strings.Builder
	if err := accounting.WriteLedger(&b, "night-ferry", entrySeq(charge, fee), accounting.Names{}, denver); err != nil {
		t.Fatal(err)
	}
	want := `; ledger of night-ferry, version 1

2026-12-18 * "charge pi_1"
  ; entry: 1
  Assets:Processor  26.97 USD
  Income:Pledges  -25.00 USD  ; pledge: pw-1
  Liabilities:SalesTax  -1.97 USD  ; pledge: pw-1

2026-12-18 * "fee pi_1"
  ; entry: 2
  ; booked: 2027-01-19
  Expenses:ProcessorFees  1.08 USD
  Assets:Processor  -1.08 USD

; end of the ledger, entries: 2
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	broken := errors.New("no response")
	b.Reset()
	fails := func(yield func(ledger.Entry, error) bool) { _ = yield(charge, nil) && yield(ledger.Entry{}, broken) }
	if err := accounting.WriteLedger(&b, "night-ferry", fails, accounting.Names{}, denver); !errors.Is(err, broken) {
		t.Errorf("failing sequence: %v", err)
	}
	if strings.Contains(b.String(), "end of the ledger") {
		t.Errorf("the interrupted file has an end:\n%s", b.String())
	}
}

// movements are the entries of a charge of $46.97 on 18 December 2026 and its fee; of a refund in January,
// one that failed and was repaid, and one that was booked in the next month; of disputes that were lost and
// won; of a change of an unknown kind; of a payout, and of one that failed.
func movements() []ledger.Entry {
	at := func(days int) ledger.Payment {
		return ledger.Payment{ID: "pi_1", At: night.AddDate(0, 0, days).Add(-90 * time.Minute)}
	}
	parts := func(c ledger.Components) []ledger.PledgeComponents {
		return []ledger.PledgeComponents{{Pledge: "pw-1", Components: c}}
	}
	all := []ledger.Entry{
		ledger.NewCharge(at(0), parts(ledger.Components{Pledges: 4000, AddOns: 200, Shipping: 100, Tips: 200, Tax: 197})),
		ledger.NewFee(at(0), "txn_1", 166),
		ledger.NewRefund(at(20), "rf-1", parts(ledger.Components{Pledges: 1000, Shipping: 100, Tax: 50})),
		ledger.NewRefund(at(20), "rf-2", parts(ledger.Components{Pledges: 300})),
		ledger.NewRefundFailure(at(25), "rf-2", 300),
		ledger.NewRepayment(at(27), "rf-2", 300),
		ledger.NewDispute(at(30), "du_1", ledger.Change{ID: "txn_2", Amount: -500, Fee: 1500}, ledger.Disputed),
		ledger.NewDisputeLoss(at(60), "du_1", 1, 500),
		ledger.NewDispute(at(30), "du_2", ledger.Change{ID: "txn_3", Amount: -400, Fee: 1500}, ledger.Disputed),
		ledger.NewDispute(at(61), "du_2", ledger.Change{ID: "txn_4", Amount: 400}, ledger.Disputed),
		ledger.NewDispute(at(62), "du_2", ledger.Change{ID: "txn_5", Amount: -7}, ledger.Suspense),
		ledger.NewRefund(at(40), "rf-3", parts(ledger.Components{Pledges: 11})),
		ledger.NewPayout("po_1", at(62).At, 100),
		ledger.NewPayout("po_2", at(62).At, 250),
		ledger.NewPayoutFailure("po_2", at(64).At, 250),
	}
	for i := range all {
		all[i].Number, all[i].BookedAt = i+1, all[i].ValueAt.Add(time.Hour)
	}
	all[11].BookedAt = at(62).At
	return all
}

// balances adds up the lines of entries by account.
func balances(all []ledger.Entry) map[accounting.Account]money.Cents {
	sums := map[accounting.Account]money.Cents{}
	for _, e := range all {
		for _, l := range e.Lines {
			sums[l.Account] += l.Amount
		}
	}
	maps.DeleteFunc(sums, func(_ accounting.Account, sum money.Cents) bool { return sum == 0 })
	return sums
}

// movedPledge is the pledge whose charge and fee are in movements.
func movedPledge() *pledge.Pledge {
	p := chargedPledge(night.Add(-90*time.Minute), 4000, 200, 197, 100, 0, 166)
	p.TipAmount, p.Amount = 200, p.Amount+200
	return p
}

// Movements other than charges and fees have one journal for each day, by their lines. Those that were booked
// in a later month have their own journal with the booking's day. The journal of the charges does not change.
func TestCollect_Movements(t *testing.T) {
	journals, err := accounting.Collect("night-ferry", pledgeSeq(movedPledge()), entrySeq(movements()...), denver)
	if err != nil {
		t.Fatal(err)
	}
	want := `; accounting of night-ferry, version 1

2026-12-18 * "night-ferry, pledges charged: 1"
  ; number: 20261218-night-ferry
  Assets:Processor  45.31 USD
  Expenses:ProcessorFees  1.66 USD
  Income:Pledges  -40.00 USD
  Income:AddOns  -2.00 USD
  Income:Shipping  -1.00 USD
  Income:Tips  -2.00 USD
  Liabilities:SalesTax  -1.97 USD

2027-01-07 * "night-ferry, refund: 2"
  ; number: 20270107-night-4e2151
  Assets:Processor  -14.50 USD
  Income:Pledges  13.00 USD
  Income:Shipping  1.00 USD
  Liabilities:SalesTax  0.50 USD

2027-01-12 * "night-ferry, refund failed: 1"
  ; number: 20270112-night-4e2151
  Assets:Processor  3.00 USD
  Liabilities:RefundsOwed  -3.00 USD

2027-01-14 * "night-ferry, repayment: 1"
  ; number: 20270114-night-4e2151
  Assets:Bank  -3.00 USD
  Liabilities:RefundsOwed  3.00 USD

2027-01-17 * "night-ferry, dispute: 2"
  ; number: 20270117-night-4e2151
  Assets:Processor  -39.00 USD
  Expenses:ProcessorFees  30.00 USD
  Assets:Disputed  9.00 USD

2027-01-27 * "night-ferry, refund: 1, booked on 2027-02-18"
  ; number: 20270127-night-e41b1b
  Assets:Processor  -0.11 USD
  Income:Pledges  0.11 USD

2027-02-16 * "night-ferry, dispute lost: 1"
  ; number: 20270216-night-4e2151
  Assets:Disputed  -5.00 USD
  Expenses:DisputeLosses  5.00 USD

2027-02-17 * "night-ferry, dispute: 1"
  ; number: 20270217-night-4e2151
  Assets:Processor  4.00 USD
  Assets:Disputed  -4.00 USD

2027-02-18 * "night-ferry, dispute: 1, payout: 2"
  ; number: 20270218-night-4e2151
  Assets:Processor  -3.57 USD
  Assets:Bank  3.50 USD
  Assets:Suspense  0.07 USD

2027-02-20 * "night-ferry, payout failed: 1"
  ; number: 20270220-night-4e2151
  Assets:Processor  2.50 USD
  Assets:Bank  -2.50 USD
`
	if diff := cmp.Diff(want, formatted(t, accounting.PlainText, journals, accounting.Names{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sums := map[accounting.Account]money.Cents{}
	for _, j := range journals {
		for _, l := range j.Lines {
			sums[l.Account] += l.Amount
		}
	}
	maps.DeleteFunc(sums, func(_ accounting.Account, sum money.Cents) bool { return sum == 0 })
	if diff := cmp.Diff(balances(movements()), sums); diff != "" {
		t.Errorf("sums of the journals (-want +got):\n%s", diff)
	}
}

// Every account has a name in every format, and no two have the same.
func TestFormats_NamesOfAllAccounts(t *testing.T) {
	for _, f := range formats {
		j := accounting.Journal{Number: "1", Day: "2026-12-18"}
		for _, a := range accounting.Accounts {
			j.Lines = append(j.Lines, accounting.Line{Account: a, Amount: 1})
		}
		var names []string
		for account := range strings.Lines(formatted(t, f, []accounting.Journal{j}, accounting.Names{})) {
			names = append(names, account)
		}
		names = slices.DeleteFunc(names, func(line string) bool { return !strings.Contains(line, "0.01") })
		slices.Sort(names)
		if distinct := slices.Compact(slices.Clone(names)); len(distinct) != len(accounting.Accounts) {
			t.Errorf("%s has %d accounts, want %d:\n%s", f, len(distinct), len(accounting.Accounts), names)
		}
		for _, line := range names {
			if strings.HasPrefix(line, "    ") || strings.Contains(line, ",,Tax") {
				t.Errorf("%s: an account has no name: %q", f, line)
			}
		}
	}
}
