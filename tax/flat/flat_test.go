package flat_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/flat"
	"github.com/pledgeworks/pledgeworks/tax/taxtest"
)

func rate(t testing.TB, s string) money.Rate {
	t.Helper()
	r, err := money.ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestProvider_Conformance(t *testing.T) {
	for _, s := range []string{"0.07875", "0", "1"} {
		taxtest.Run(t, taxtest.Harness{
			Provider:     flat.Provider{Rate: rate(t, s)},
			At:           time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
			Destinations: []pledge.Address{{Country: "US", State: "NM", PostalCode: "87501"}, {Country: "DE"}, {}},
		})
	}
}

// The tax is the configured rate of the subtotal, without shipping and tip.
//
// Proves TAX-13.
func TestQuote_FlatRate(t *testing.T) {
	lines := []pledge.Line{
		{Kind: pledge.TierLine, Amount: 10_000},
		{Kind: pledge.SupportLine, Amount: 2_000},
		{Kind: pledge.CustomLine, Amount: 300},
		{Kind: pledge.CampaignAddOnLine, Amount: 40},
		{Kind: pledge.PlatformAddOnLine, Amount: 5},
		{Kind: pledge.ShippingLine, Amount: 70_000},
		{Kind: pledge.TipLine, Amount: 900_000},
	}
	for _, tc := range []struct {
		rate string
		tax  money.Cents
	}{
		{"0.07875", 972}, // 971.66875
		{"0", 0},
		{"0.1", 1235}, // 1234.5
		{"1", 12_345},
	} {
		r := rate(t, tc.rate)
		got, err := flat.Provider{Rate: r}.Quote(context.Background(), tax.Request{Lines: lines})
		want := tax.Quote{
			Status: tax.Quoted, Tax: tc.tax, Base: 12_345, Provider: "flat", Source: "pricing.sales_tax_rate",
			Breakdown: []tax.Part{{Label: "Sales tax", Rate: r, Base: 12_345, Tax: tc.tax}},
		}
		if diff := cmp.Diff(want, got,
			cmp.Comparer(func(a, b money.Rate) bool { return a.String() == b.String() })); err != nil || diff != "" {
			t.Errorf("at %s: %v %s", tc.rate, err, diff)
		}
	}
}

func ExampleProvider() {
	r, err := money.ParseRate("0.07875")
	if err != nil {
		fmt.Println(err)
		return
	}
	q, err := flat.Provider{Rate: r}.Quote(context.Background(), tax.Request{
		Lines: []pledge.Line{{Kind: pledge.TierLine, Amount: money.Dollars(40)}},
	})
	fmt.Println(q.Tax, q.Status, err)
	// Output: $3.15 quoted <nil>
}

func BenchmarkQuote(b *testing.B) {
	p := flat.Provider{Rate: rate(b, "0.07875")}
	r := tax.Request{Lines: []pledge.Line{{Kind: pledge.TierLine, Amount: 10_000},
		{Kind: pledge.ShippingLine, Amount: 1_000}}}
	for b.Loop() {
		if _, err := p.Quote(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}
