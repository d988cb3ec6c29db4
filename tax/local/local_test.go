package local_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/flat"
	"github.com/pledgeworks/pledgeworks/tax/local"
	"github.com/pledgeworks/pledgeworks/tax/taxtest"
)

var testTime = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func rate(t testing.TB, s string) money.Rate {
	t.Helper()
	r, err := money.ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lookup returns its fields and records the requested address.
type lookup struct {
	tax.LocalRates
	err   error
	asked *tax.Address
}

func (l lookup) Rates(_ context.Context, to tax.Address) (tax.LocalRates, error) {
	if l.asked != nil {
		*l.asked = to
	}
	if to.PostalCode == "" {
		return tax.LocalRates{}, tax.MissingError{"postalCode"}
	}
	return l.LocalRates, l.err
}

func austin(t testing.TB) lookup {
	return lookup{LocalRates: tax.LocalRates{Place: "TX, AUSTIN", Shipping: true, Source: "a lookup",
		Rates: []tax.LocalRate{{Label: "TX sales tax", Rate: rate(t, "0.0625")},
			{Label: "AUSTIN sales tax", Rate: rate(t, "0.02")}}}}
}

func provider(t testing.TB, l tax.Lookup, collects bool) *local.Provider {
	return &local.Provider{Lookup: l, Outside: flat.Provider{Rate: rate(t, "0.05")},
		Collects: func(tax.Request) bool { return collects }}
}

func quote(t *testing.T, p *local.Provider, to tax.Address) tax.Quote {
	t.Helper()
	q, err := p.Quote(t.Context(), tax.Request{Destination: to, At: testTime, Lines: []pledge.Line{
		{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000},
		{Kind: pledge.CampaignAddOnLine, Category: campaign.Digital, Amount: 5_000},
		{Kind: pledge.ShippingLine, Category: campaign.Physical, Amount: 1_000},
		{Kind: pledge.CustomLine, Amount: 900}, {Kind: pledge.TipLine, Amount: 700},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestProvider_Conformance(t *testing.T) {
	for _, l := range []lookup{austin(t), {LocalRates: tax.LocalRates{Source: "a lookup"}},
		{err: errors.New("unavailable")}} {
		taxtest.Run(t, taxtest.Harness{Provider: provider(t, l, true), At: testTime,
			Destinations: []pledge.Address{{Country: "US", PostalCode: "78701"}, {Country: "US"},
				{Country: "CA", PostalCode: "H2X 1Y4"}, {Country: "DE"}, {}}})
	}
}

// Proves TAX-19, TAX-21.
func TestQuote_ByAddress(t *testing.T) {
	home := tax.Address{Country: "us", State: "TX", PostalCode: "78701", Line1: "1 Main St"}
	asked := austin(t)
	asked.asked = new(tax.Address)
	q := quote(t, provider(t, asked, true), home)
	if diff := cmp.Diff(home, *asked.asked); diff != "" {
		t.Errorf("the lookup got another address: %s", diff)
	}
	if q.Status != tax.Quoted || q.Tax != 1320 || q.Base != 16_000 || !q.ShippingTaxed || q.Jurisdiction != "TX, AUSTIN" ||
		q.Source != "a lookup" || q.Notice != "" || len(q.Breakdown) != 2 {
		t.Errorf("%+v", q)
	}
	untaxed := austin(t)
	untaxed.Shipping = false
	if q := quote(t, provider(t, untaxed, true), home); q.Tax != 1238 || q.ShippingTaxed { // 1237.5
		t.Errorf("with shipping untaxed: %+v", q)
	}
	for name, tt := range map[string]struct {
		lines []pledge.Line
		tax   money.Cents
	}{
		// 412.5
		"downloads and empty parcel": {[]pledge.Line{{Kind: pledge.TierLine, Category: campaign.Digital, Amount: 5_000},
			{Kind: pledge.ShippingLine, Amount: 1_000}}, 413},
		"goods without shipping": {[]pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 400}}, 33},
	} {
		q, err := provider(t, austin(t), true).Quote(t.Context(),
			tax.Request{Destination: home, At: testTime, Lines: tt.lines})
		if err != nil || q.Tax != tt.tax || q.ShippingTaxed {
			t.Errorf("%s: %+v, %v", name, q, err)
		}
	}
	if q := quote(t, provider(t, austin(t), true), tax.Address{Country: "US", PostalCode: "78701"}); q.Tax != 1320 ||
		!strings.Contains(q.Notice, "postal code only") {
		t.Errorf("postal code only: %+v", q)
	}
	if q := quote(t, provider(t, austin(t), true), tax.Address{Country: "US", State: "TX"}); q.Status != tax.NeedsInput ||
		q.Missing[0] != "postalCode" {
		t.Errorf("without a postal code: %+v", q)
	}
	if q := quote(t, provider(t, austin(t), true),
		tax.Address{Country: "CA", PostalCode: "H2X 1Y4"}); q.Provider != "local_tax_api" || q.Tax != 1320 {
		t.Errorf("in Canada: %+v", q)
	}
	for name, to := range map[string]tax.Address{"elsewhere": {Country: "DE", PostalCode: "10115"}, "nowhere": {}} {
		p := provider(t, austin(t), true)
		other := &recorder{Provider: p.Outside}
		p.Outside = other
		if q := quote(t, p, to); other.request.Destination != to || q.Provider != "flat" ||
			q.Status != tax.Quoted || q.Tax != 795 {
			t.Errorf("%s: %+v", name, q)
		}
	}
	if q := quote(t, provider(t, austin(t), false), home); q.Provider != "flat" {
		t.Errorf("not collected: %+v", q)
	}
	away := provider(t, lookup{err: errors.New("unavailable")}, true)
	if q := quote(t, away, home); q.Status != tax.FallbackUsed || q.Provider != "flat" || q.Tax != 795 ||
		!strings.Contains(q.Notice, "The address lookup failed: unavailable") {
		t.Errorf("failed lookup: %+v", q)
	}
}

// recorder records the requests to its provider.
type recorder struct {
	tax.Provider
	request tax.Request
}

func (h *recorder) Quote(ctx context.Context, r tax.Request) (tax.Quote, error) {
	h.request = r
	return h.Provider.Quote(ctx, r)
}

// outside returns itself as a quote.
type outside tax.Quote

func (o outside) Quote(context.Context, tax.Request) (tax.Quote, error) { return tax.Quote(o), nil }

// If the lookup fails, the other provider's notice follows the reason, and its question
// is kept.
func TestQuote_KeepsOtherProvidersNotice(t *testing.T) {
	p := provider(t, lookup{err: errors.New("unavailable")}, true)
	for _, tt := range []struct {
		said   outside
		status tax.Status
		notice string
	}{
		{outside{Status: tax.Quoted, Notice: "by the state alone"}, tax.FallbackUsed,
			"The address lookup failed: unavailable; by the state alone"},
		{outside{Status: tax.NeedsInput, Missing: []string{"state"}}, tax.NeedsInput, ""},
	} {
		p.Outside = tt.said
		if q := quote(t, p, tax.Address{Country: "US", PostalCode: "06390"}); q.Status != tt.status || q.Notice != tt.notice {
			t.Errorf("%+v: got %+v", tt.said, q)
		}
	}
}

// If the ZIP code is incomplete, the quote asks for the full code and states the reason. If the
// lookup does not name the missing parts, the fallback provider quotes the tax.
func TestQuote_QuestionAboutTheZIPCode(t *testing.T) {
	short := quote(t, provider(t, lookup{err: tax.MissingError{"postalCode"}}, true),
		tax.Address{Country: "US", State: "TX", PostalCode: "7870"})
	if short.Status != tax.NeedsInput || short.Question == nil || short.Question.Reason != tax.ShortZIP ||
		short.Question.PostalCode != "7870" {
		t.Errorf("a short ZIP code: %+v", short)
	}
	city := quote(t, provider(t, lookup{err: tax.MissingError{"city", "line1"}}, true),
		tax.Address{Country: "US", State: "TX", PostalCode: "78701"})
	if city.Question == nil || city.Question.Field != "city" || !cmp.Equal(city.Missing, []string{"city", "line1"}) {
		t.Errorf("a missing city: %+v", city)
	}
	if q := quote(t, provider(t, lookup{err: tax.MissingError{}}, true),
		tax.Address{Country: "US", State: "TX", PostalCode: "78701"}); q.Status != tax.FallbackUsed {
		t.Errorf("lookup without missing parts: %+v", q)
	}
}
