package taxtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/taxtest"
)

// provider is a tax.Provider in one function.
type provider func(tax.Request) (tax.Quote, error)

func (p provider) Quote(_ context.Context, r tax.Request) (tax.Quote, error) { return p(r) }

// correct taxes everything except tips and requires a country.
func correct(r tax.Request) (tax.Quote, error) {
	q := tax.Quote{Provider: "honest", Source: "table", Status: tax.Quoted}
	for i, l := range r.Lines {
		if l.Kind == "" || l.Amount.Check() != nil {
			return tax.Quote{}, fault.New(fault.Invalid,
				"A bad line").In([]string{"lines[0]", "lines[1]", "lines[2]", "lines[3]", "lines[4]", "lines[5]"}[i])
		}
		if l.Kind != pledge.TipLine {
			q.Base += l.Amount
		}
		q.ShippingTaxed = q.ShippingTaxed || l.Kind == pledge.ShippingLine
	}
	if r.Destination.Country == "" {
		return tax.Quote{Status: tax.NeedsInput, Missing: []string{"country"}, Provider: "honest"}, nil
	}
	rate := money.Percent(7)
	q.Tax = rate.Of(q.Base)
	q.Breakdown = []tax.Part{{Label: "Tax", Rate: rate, Base: q.Base, Tax: q.Tax}}
	return q, nil
}

func harness(p provider) taxtest.Harness {
	return taxtest.Harness{
		Provider: p, At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		Destinations: []pledge.Address{{Country: "US", State: "NM", PostalCode: "87501"}, {}},
	}
}

func TestRun_CorrectProvider(t *testing.T) { taxtest.Run(t, harness(correct)) }

// Each broken provider violates one requirement, and the suite reports it.
func TestRun_DetectsBrokenProviders(t *testing.T) {
	calls := 0
	change := func(fn func(r tax.Request, q *tax.Quote)) provider {
		return func(r tax.Request) (tax.Quote, error) {
			q, err := correct(r)
			if err == nil && q.Status == tax.Quoted {
				fn(r, &q)
			}
			return q, err
		}
	}
	scale := func(q *tax.Quote, base money.Cents) {
		q.Base, q.Tax = base, money.Percent(7).Of(base)
		q.Breakdown[0].Base, q.Breakdown[0].Tax = q.Base, q.Tax
	}
	kind := func(r tax.Request, k pledge.LineKind) (sum money.Cents) {
		for _, l := range r.Lines {
			if l.Kind == k {
				sum += l.Amount
			}
		}
		return sum
	}
	for _, tc := range []struct {
		promise string
		liar    provider
	}{
		{"the status matches the quote", change(func(_ tax.Request, q *tax.Quote) { q.Status = "fine" })},
		{"the status matches the quote", change(func(_ tax.Request, q *tax.Quote) { q.Provider = "" })},
		{"the status matches the quote", change(func(_ tax.Request, q *tax.Quote) { q.Source = "" })},
		{"the status matches the quote", change(func(_ tax.Request, q *tax.Quote) { q.Status = tax.FallbackUsed })},
		{"the status matches the quote", change(func(_ tax.Request, q *tax.Quote) { q.Status = tax.Unavailable })},
		{"the status matches the quote", func(r tax.Request) (tax.Quote, error) {
			q, err := correct(r)
			q.Missing = nil
			return q, err
		}},
		{"the breakdown adds up to the tax", change(func(_ tax.Request, q *tax.Quote) { q.Tax++ })},
		{"the breakdown adds up to the tax",
			change(func(_ tax.Request, q *tax.Quote) { q.Tax += 5; q.Breakdown[0].Tax += 5 })},
		{"the base does not exceed the lines", change(func(_ tax.Request, q *tax.Quote) { scale(q, q.Base+1) })},
		{"a tip is never taxed", change(func(r tax.Request, q *tax.Quote) { scale(q, q.Base+kind(r, pledge.TipLine)) })},
		{"ShippingTaxed matches the base", change(func(_ tax.Request, q *tax.Quote) { q.ShippingTaxed = false })},
		{"ShippingTaxed matches the base", change(func(_ tax.Request, q *tax.Quote) { q.ShippingTaxed = true })},
		{"ShippingTaxed matches the base",
			change(func(r tax.Request, q *tax.Quote) { scale(q, q.Base-kind(r, pledge.ShippingLine)) })},
		{"an empty request has no tax", change(func(_ tax.Request, q *tax.Quote) { q.Tax = max(q.Tax, 1) })},
		{"the tax is rounded once, not per line", change(func(r tax.Request, q *tax.Quote) {
			q.Tax = 0
			for _, l := range r.Lines {
				q.Tax += money.Percent(7).Of(l.Amount)
			}
		})},
		{"equal requests have equal quotes", change(func(_ tax.Request, q *tax.Quote) {
			calls++
			q.Tax += money.Cents(calls)
		})},
		{"the request is not modified", change(func(r tax.Request, _ *tax.Quote) {
			if len(r.Lines) > 0 {
				r.Lines[0].Amount = 0
			}
		})},
		{"an error names the malformed line", func(r tax.Request) (tax.Quote, error) {
			q, err := correct(r)
			if f := fault.Of(err); f != nil {
				return q, f.In("")
			}
			return q, err
		}},
		{"an error names the malformed line", func(r tax.Request) (tax.Quote, error) {
			q, err := correct(r)
			if err != nil {
				q = tax.Quote{Status: tax.Unavailable, Provider: "liar"}
			}
			return q, nil
		}},
	} {
		if caught := breaks(tc.liar); !caught[tc.promise] {
			t.Errorf("a provider that violates %q only fails %v", tc.promise, caught)
		}
	}
}

// breaks returns the requirements that the provider violates.
func breaks(p provider) map[string]bool {
	h, broken := harness(p), map[string]bool{}
	for _, r := range taxtest.Requirements() {
		for _, to := range h.Destinations {
			if r.Check(h, to) != nil {
				broken[r.Name] = true
			}
		}
	}
	return broken
}
