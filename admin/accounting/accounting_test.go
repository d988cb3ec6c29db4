package accounting_test

import (
	"encoding/csv"
	"errors"
	"iter"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

var (
	denver  = time.FixedZone("MST", -7*3600)
	night   = time.Date(2026, time.December, 19, 8, 15, 0, 0, time.UTC)
	formats = []accounting.Format{accounting.Xero, accounting.QuickBooks, accounting.PlainText}
)

func pledgeSeq(all ...*pledge.Pledge) iter.Seq2[*pledge.Pledge, error] {
	return func(yield func(*pledge.Pledge, error) bool) {
		for _, p := range all {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func entrySeq(all ...ledger.Entry) accounting.Entries {
	return func(yield func(ledger.Entry, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// chargedPledge returns a charged pledge with the processor's fee; -1 means not known yet.
func chargedPledge(at time.Time, goods, addOns, tax, shipping money.Cents, tip int, fee money.Cents) *pledge.Pledge {
	p := &pledge.Pledge{OrderID: "pw-1", Charged: true, Status: pledge.Charged, ChargedAt: &at}
	var err error
	p.Totals, err = pledge.CalculateTotals([]pledge.Line{{Kind: pledge.TierLine, Amount: goods},
		{Kind: pledge.PlatformAddOnLine, Amount: addOns}}, tax, shipping, pledge.Tip{Percent: tip})
	if err != nil {
		panic(err)
	}
	p.Financials = &pledge.Financials{Gross: p.Amount, Source: "pending"}
	if fee >= 0 {
		p.Financials = &pledge.Financials{Gross: p.Amount, Fee: fee, Net: p.Amount - fee, Source: "actual"}
	}
	return p
}

func formatted(t interface {
	Helper()
	Fatal(...any)
}, f accounting.Format, all []accounting.Journal, n accounting.Names,
) string {
	t.Helper()
	var b strings.Builder
	if err := f.Write(&b, "night-ferry", all, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Accounts, columns and signs are stable, because other programs rely on them. The tax is the
// sum of the pledges' tax. The ledger's charges and fees are not booked a second time.
//
// Proves TAX-08.
func TestFormats(t *testing.T) {
	paid := ledger.Payment{ID: "pi_1", At: night}
	charged := ledger.NewCharge(paid,
		[]ledger.PledgeComponents{{Pledge: "pw-1", Components: ledger.Components{Pledges: 2500}}})
	waiting := chargedPledge(night, 5000, 0, 0, 0, 0, 170)
	waiting.Charged, waiting.Status = false, pledge.PaymentFailed
	all, err := accounting.Collect("night-ferry", pledgeSeq(
		chargedPledge(night, 100_000, 1500, 788, 300, 5, 3500), waiting,
		chargedPledge(night.Add(-90*time.Minute), 2500, 0, 0, 0, 0, -1), // the previous day in Denver
		chargedPledge(night.Add(time.Hour), 2500, 0, 0, 0, 0, 103),
	), entrySeq(charged, ledger.NewFee(paid, "txn_1", 3500), ledger.NewOpening(paid, charged.PledgesOf())), denver)
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range map[accounting.Format]string{
		accounting.Xero: `Narration,Date,Description,AccountCode,TaxRate,Amount
20261218-night-ferry,18/12/2026,"night-ferry, pledges charged: 1, without their fees yet: 1",1200,Tax Exempt,25.00
20261218-night-ferry,18/12/2026,"night-ferry, pledges charged: 1, without their fees yet: 1",4000,Tax Exempt,-25.00
20261219-night-ferry,19/12/2026,"night-ferry, pledges charged: 2",1200,Tax Exempt,1065.60
20261219-night-ferry,19/12/2026,"night-ferry, pledges charged: 2",6040,Tax Exempt,36.03
20261219-night-ferry,19/12/2026,"night-ferry, pledges charged: 2",4000,Tax Exempt,-1025.00
20261219-night-ferry,19/12/2026,"night-ferry, pledges charged: 2",4010,Tax Exempt,-15.00
20261219-night-ferry,19/12/2026,"night-ferry, pledges charged: 2",4020,Tax Exempt,-3.00
20261219-night-ferry,19/12/2026,"night-ferry, pledges charged: 2",4030,Tax Exempt,-50.75
20261219-night-ferry,19/12/2026,"night-ferry, pledges charged: 2",2200,Tax Exempt,-7.88
`,
		accounting.QuickBooks: `Journal No.,Journal Date,Account Name,Description,Debits,Credits
20261218-night-ferry,12/18/2026,Payment processor clearing,"night-ferry, pledges charged: 1, without their fees yet: 1",25.00,
20261218-night-ferry,12/18/2026,Pledges,"night-ferry, pledges charged: 1, without their fees yet: 1",,25.00
20261219-night-ferry,12/19/2026,Payment processor clearing,"night-ferry, pledges charged: 2",1065.60,
20261219-night-ferry,12/19/2026,Payment processor fees,"night-ferry, pledges charged: 2",36.03,
20261219-night-ferry,12/19/2026,Pledges,"night-ferry, pledges charged: 2",,1025.00
20261219-night-ferry,12/19/2026,Add-on sales,"night-ferry, pledges charged: 2",,15.00
20261219-night-ferry,12/19/2026,Shipping collected,"night-ferry, pledges charged: 2",,3.00
20261219-night-ferry,12/19/2026,Tips,"night-ferry, pledges charged: 2",,50.75
20261219-night-ferry,12/19/2026,Sales tax payable,"night-ferry, pledges charged: 2",,7.88
`,
		accounting.PlainText: `; accounting of night-ferry, version 1

2026-12-18 * "night-ferry, pledges charged: 1, without their fees yet: 1"
  ; number: 20261218-night-ferry
  Assets:Processor  25.00 USD
  Income:Pledges  -25.00 USD

2026-12-19 * "night-ferry, pledges charged: 2"
  ; number: 20261219-night-ferry
  Assets:Processor  1065.60 USD
  Expenses:ProcessorFees  36.03 USD
  Income:Pledges  -1025.00 USD
  Income:AddOns  -15.00 USD
  Income:Shipping  -3.00 USD
  Income:Tips  -50.75 USD
  Liabilities:SalesTax  -7.88 USD
`,
	} {
		if diff := cmp.Diff(want, formatted(t, f, all, accounting.Names{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f, diff)
		}
	}
	names := accounting.Names{TaxRate: "Exempt",
		Accounts: map[accounting.Account]string{accounting.Tips: "Income:Tips (platform)"}}
	if err := names.Check(); err != nil {
		t.Error(err)
	}
	for _, f := range formats {
		if file := formatted(t, f, all, names); !strings.Contains(file, "Income:Tips (platform)") {
			t.Errorf("%s: custom names are not used:\n%s", f, file)
		}
	}
}

// parseFile parses a file as an importing program would and returns the amounts by journal and
// account.
func parseFile(t *rapid.T, f accounting.Format, file string) map[string]map[string]money.Cents {
	out := map[string]map[string]money.Cents{}
	add := func(number, account, amount string, sign money.Cents) {
		if amount == "" {
			return
		}
		digits, minus := strings.CutPrefix(amount, "-")
		c, err := money.ReadDollars(digits)
		if err != nil {
			t.Fatalf("%q: %v", amount, err)
		}
		if minus {
			c = -c
		}
		if out[number] == nil {
			out[number] = map[string]money.Cents{}
		}
		out[number][account] += sign * c
	}
	if f == accounting.PlainText {
		number := ""
		for line := range strings.Lines(file) {
			line = strings.TrimSuffix(line, "\n")
			if n, ok := strings.CutPrefix(line, "  ; number: "); ok {
				number = n
			} else if account, amount, ok := strings.Cut(strings.TrimPrefix(line, "  "), "  "); ok && line[0] == ' ' {
				add(number, account, strings.TrimSuffix(amount, " USD"), 1)
			}
		}
		return out
	}
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if f == accounting.Xero && len(rows) > accounting.XeroLines {
		t.Errorf("a file of %d lines", len(rows))
	}
	for _, row := range rows[1:] {
		if f == accounting.Xero {
			add(row[0], row[3], row[5], 1)
			continue
		}
		add(row[0], row[2], row[4], 1)
		add(row[0], row[2], row[5], -1)
	}
	return out
}

// For any charges in any order, every journal balances to the cent and is in one file, and the
// clearing account holds the charges less the fees. The same pledges produce the same bytes.
func TestWrite_JournalsBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*pledge.Pledge
		var owed money.Cents
		days := rapid.IntRange(1, 120).Draw(t, "days")
		cents := func(most int64, name string) money.Cents { return money.Cents(rapid.Int64Range(0, most).Draw(t, name)) }
		for range rapid.IntRange(0, 150).Draw(t, "pledges") {
			at := night.Add(time.Duration(rapid.IntRange(0, days*24).Draw(t, "hour")) * time.Hour)
			fee := money.Cents(rapid.Int64Range(-1, 5000).Draw(t, "fee"))
			p := chargedPledge(at, cents(1_000_000, "goods"), cents(10_000, "add-ons"), cents(9_999, "tax"),
				cents(9_999, "shipping"), rapid.IntRange(0, 20).Draw(t, "tip"), fee)
			if p.Amount > 0 && rapid.Bool().Draw(t, "another amount") {
				p.ChargedAmount = 1 + cents(2*int64(p.Amount), "charged")
			}
			all, owed = append(all, p), owed+p.Paid()-max(0, fee)
		}
		journals, err := accounting.Collect("night-ferry", pledgeSeq(all...), entrySeq(), denver)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := append([]*pledge.Pledge{}, all...)
		rand.New(rand.NewSource(1)).Shuffle(len(shuffled),
			func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again, err := accounting.Collect("night-ferry", pledgeSeq(shuffled...), entrySeq(), denver)
		if err != nil || !cmp.Equal(journals, again) {
			t.Fatalf("different order: %v", err)
		}
		for _, f := range formats {
			seen, total := map[string]bool{}, money.Cents(0)
			for _, part := range f.Files(journals) {
				file := formatted(t, f, part, accounting.Names{})
				if file != formatted(t, f, part, accounting.Names{}) {
					t.Error("the second write differs")
				}
				for number, accounts := range parseFile(t, f, file) {
					if seen[number] || len(number) > 21 {
						t.Errorf("journal %s is in two files, or its number is too long", number)
					}
					seen[number] = true
					var sum money.Cents
					for account, amount := range accounts {
						if sum += amount; account == "1200" || account == "Assets:Processor" || strings.HasSuffix(account, "clearing") {
							total += amount
						}
					}
					if sum != 0 {
						t.Errorf("journal %s is off by %s", number, sum)
					}
				}
			}
			if total != owed {
				t.Errorf("%s: clearing account is %s, want %s", f, total, owed)
			}
		}
	})
}

// If operators accepted half or twice the requested amount, the accepted amount is divided among
// the parts in proportion.
func TestCollect_AnotherAmount(t *testing.T) {
	for name, tc := range map[string]struct {
		paid money.Cents
		want []accounting.Line
	}{
		"half": {5000, []accounting.Line{{accounting.Clearing, 4900}, {accounting.Fees, 100}, {accounting.Pledges, -4000},
			{accounting.AddOns, -500}, {accounting.Shipping, -250}, {accounting.Tax, -250}}},
		"odd": {3, []accounting.Line{{accounting.Clearing, -97}, {accounting.Fees, 100}, {accounting.Pledges, -3}}},
		"more": {20_000, []accounting.Line{{accounting.Clearing, 19_900}, {accounting.Fees, 100},
			{accounting.Pledges, -16_000}, {accounting.AddOns, -2000}, {accounting.Shipping, -1000}, {accounting.Tax, -1000}}},
	} {
		p := chargedPledge(night, 8000, 1000, 500, 500, 0, 100)
		p.ChargedAmount = tc.paid
		journals, err := accounting.Collect("night-ferry", pledgeSeq(p), entrySeq(), denver)
		if err != nil || len(journals) != 1 {
			t.Fatalf("%s: %+v, %v", name, journals, err)
		}
		if diff := cmp.Diff(tc.want, journals[0].Lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A hundred days of seven lines each fill three files for Xero, and one for QuickBooks.
func TestFiles_XeroLimit(t *testing.T) {
	var all []*pledge.Pledge
	for n := range 100 {
		all = append(all, chargedPledge(night.AddDate(0, 0, n), 10_000, 100, 100, 100, 5, 100))
	}
	journals, err := accounting.Collect("night-ferry", pledgeSeq(all...), entrySeq(), denver)
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	for _, part := range accounting.Xero.Files(journals) {
		rows = append(rows, strings.Count(formatted(t, accounting.Xero, part, accounting.Names{}), "\n"))
	}
	if diff := cmp.Diff([]int{295, 295, 113}, rows); diff != "" {
		t.Errorf("lines of the files (-want +got): %s", diff)
	}
	if n := len(accounting.QuickBooks.Files(journals)); n != 1 {
		t.Errorf("%d files for QuickBooks", n)
	}
}

// Journals of two campaigns never share a number, even if the slugs are long.
func TestCollect_UniqueNumbers(t *testing.T) {
	seen := map[string]string{}
	for _, slug := range []string{"a", "night-ferry", "twelve-bytes", "a-long-night-on-the-ferry",
		"a-long-night-on-the-ferry-2", "a-lon"} {
		all, err := accounting.Collect(slug, pledgeSeq(chargedPledge(night, 100, 0, 0, 0, 0, 0)), entrySeq(), denver)
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		n := all[0].Number
		if other, there := seen[n]; there || len(n) > 21 || !strings.HasPrefix(n, "20261219-") {
			t.Errorf("%s has the number %s, as %s", slug, n, other)
		}
		seen[n] = slug
	}
}

func TestInvalidInput(t *testing.T) {
	odd := chargedPledge(night, 2500, 0, 0, 0, 0, 0)
	odd.Amount++
	if _, err := accounting.Collect("x", pledgeSeq(odd), entrySeq(), denver); !fault.Is(err, fault.Conflict) {
		t.Errorf("a pledge that doesn't add up: %v", err)
	}
	broken := errors.New("no response")
	if _, err := accounting.Collect("x", func(yield func(*pledge.Pledge, error) bool) { yield(nil, broken) },
		entrySeq(), denver); !errors.Is(err, broken) {
		t.Errorf("failing pledges: %v", err)
	}
	if _, err := accounting.Collect("x", pledgeSeq(), func(yield func(ledger.Entry, error) bool) {
		yield(ledger.Entry{}, broken)
	}, denver); !errors.Is(err, broken) {
		t.Errorf("failing entries: %v", err)
	}
	for _, name := range []string{"", "=1+1", "-x", "+x", "@x", "a\nb", "a  b", "a;b", `a"b`,
		" a", "a ", "a,b", strings.Repeat("a", 101), "é"} {
		n := accounting.Names{Accounts: map[accounting.Account]string{accounting.Tips: name}}
		if err := n.Check(); fault.Of(err).Field != "tips" {
			t.Errorf("%q: %v", name, err)
		}
		if err := (accounting.Names{TaxRate: name}).Check(); name != "" && fault.Of(err).Field != "taxRate" {
			t.Errorf("a tax rate %q: %v", name, err)
		}
	}
	if err := accounting.Format("other").Write(&strings.Builder{}, "x", nil, accounting.Names{}); err == nil {
		t.Error("wrote an unknown format")
	}
	if files := accounting.Xero.Files(nil); len(files) != 1 {
		t.Errorf("no journals: %d files", len(files))
	}
}
