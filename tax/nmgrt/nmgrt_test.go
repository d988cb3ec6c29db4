package nmgrt_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/flat"
	"github.com/pledgeworks/pledgeworks/tax/nmgrt"
	"github.com/pledgeworks/pledgeworks/tax/taxtest"
)

var testTime = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func percent(t testing.TB, s string) money.Rate {
	t.Helper()
	r, err := money.ParsePercent(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func provider(t testing.TB) *nmgrt.Provider {
	t.Helper()
	return &nmgrt.Provider{Outside: flat.Provider{Rate: percent(t, "1")}, Base: percent(t, "4.875")}
}

// address parses "87501 Santa Fe, 120 S Plaza Street": ZIP code, city and line 1.
func address(s string) pledge.Address {
	place, street, _ := strings.Cut(s, ", ")
	zip, city, _ := strings.Cut(place, " ")
	return pledge.Address{Country: "US", State: "NM", PostalCode: zip, City: city, Line1: street}
}

func cart() []pledge.Line {
	return []pledge.Line{
		{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000},
		{Kind: pledge.CampaignAddOnLine, Category: campaign.Digital, Amount: 5_000},
		{Kind: pledge.ShippingLine, Category: campaign.Physical, Amount: 1_000}, {Kind: pledge.TipLine, Amount: 700},
		{Kind: pledge.CustomLine, Amount: 900},
	}
}

func ask(t testing.TB, p tax.Provider, to pledge.Address) tax.Quote {
	t.Helper()
	q, err := p.Quote(t.Context(), tax.Request{Destination: to, At: testTime, Lines: cart()})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestProvider_Conformance(t *testing.T) {
	taxtest.Run(t, taxtest.Harness{Provider: provider(t), At: testTime, Destinations: []pledge.Address{
		address("87501 Santa Fe"), address("87501"), address("87124 Rio Rancho"), address("87399"), address("88999"),
		address(""), {Country: "DE"}, {}, {Country: "US", PostalCode: "10001"},
	}})
}

// The base includes shipping and downloads. A rate that may be another place's is an
// estimate.
//
// Proves TAX-16.
func TestQuote_ByPlace(t *testing.T) {
	for _, tt := range []struct {
		to     string
		status tax.Status
		tax    money.Cents
		place  string
		notice string
	}{
		{"87501 Santa Fe", tax.Quoted, 1310, "NM 01-123 Santa Fe", ""},
		{"87501 City of Santa Fé", tax.Quoted, 1310, "NM 01-123 Santa Fe", ""},
		{"87501-1234 santa fe", tax.Quoted, 1310, "NM 01-123 Santa Fe", ""},
		{"875011234 santa fe", tax.Quoted, 1310, "NM 01-123 Santa Fe", ""},
		{"87102 Albuquerque", tax.Quoted, 1220, "NM 02-100 Albuquerque", ""},
		{"87544 Los Alamos", tax.Quoted, 1130, "NM 32-032 Los Alamos", ""},
		{"88201 Roswell", tax.Quoted, 1323, "NM 04-101 Roswell", ""}, // 8.2708 %
		{"87501", tax.FallbackUsed, 1310, "NM 01-123 Santa Fe", "estimate based on the ZIP code's postal city"},
		{"87501 Nowhere", tax.FallbackUsed, 1310, "NM 01-123 Santa Fe", "estimate based on the ZIP code's postal city"},
		{"87501 Albuquerque", tax.FallbackUsed, 1220, "NM 02-100 Albuquerque", "the ZIP code belongs to another"},
		{"87124 Rio Rancho", tax.FallbackUsed, 1190, "NM 29-524 Rio Rancho", "lies in several counties, using Sandoval"},
		{"87532 Española", tax.FallbackUsed, 1390, "NM 17-215 Espanola", "several counties"},
		{"87399 Nowhere", tax.FallbackUsed, 780, "US-NM", "only the base rate is charged"}, // 4.875 %
	} {
		q := ask(t, provider(t), address(tt.to))
		if q.Status != tt.status || q.Tax != tt.tax || q.Jurisdiction != tt.place ||
			!strings.Contains(q.Notice, tt.notice) || tt.notice == "" && q.Notice != "" {
			t.Errorf("%s: %s, %d cents in %q, %q; want %s, %d in %q", tt.to, q.Status, q.Tax,
				q.Jurisdiction, q.Notice, tt.status, tt.tax, tt.place)
		}
		if q.Base != 16_000 || !q.ShippingTaxed || q.Source == "" || q.Provider != "nm_grt" {
			t.Errorf("%s: %+v", tt.to, q)
		}
	}
	for _, zip := range []string{"", "870", "8750", "8750A", "87501A"} {
		if q := ask(t, provider(t), pledge.Address{Country: "us", State: "new  Mexico",
			PostalCode: zip}); q.Status != tax.NeedsInput || q.Missing[0] != "postalCode" || q.Provider != "nm_grt" {
			t.Errorf("with the ZIP code %q: %+v", zip, q)
		}
	}
	for _, elsewhere := range []pledge.Address{{Country: "US", State: "NM", PostalCode: "88510"},
		{Country: "US", State: "NM", PostalCode: "885"},
		{Country: "US", State: "NM", PostalCode: "86999"}, {Country: "DE", State: "NM"}, {},
		{Country: "US", PostalCode: "10001"},
		{Country: "US", State: "TX", PostalCode: "87501"}} {
		if q := ask(t, provider(t), elsewhere); q.Provider != "flat" {
			t.Errorf("%+v is quoted by %s", elsewhere, q.Provider)
		}
	}
}

// Half a cent is rounded up.
func TestQuote_RoundsHalfCentsUp(t *testing.T) {
	q, err := provider(t).Quote(t.Context(), tax.Request{Destination: address("87102 Albuquerque"), At: testTime,
		Lines: []pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 400}}})
	if err != nil || q.Tax != 31 { // 30.5
		t.Errorf("7.625 %% of 400: %d, %v", q.Tax, err)
	}
}

// lookup returns its fields for addresses with a street.
type lookup struct {
	tax.LocalRates
	err error
}

func (l lookup) Rates(_ context.Context, to tax.Address) (tax.LocalRates, error) {
	if to.Line1 == "" {
		return tax.LocalRates{}, tax.MissingError{"line1"}
	}
	return l.LocalRates, l.err
}

// The state's service is used for complete addresses. If it fails, the table is used,
// with the reason.
//
// Proves TAX-17, TAX-18.
func TestQuote_ByAddress(t *testing.T) {
	p := provider(t)
	p.Lookup = lookup{LocalRates: tax.LocalRates{Place: "NM 01-123", Shipping: true, Source: "the state",
		Rates: []tax.LocalRate{{Label: "NM", Rate: percent(t, "8.4375")}}}}
	if q := ask(t, p, address("87501 Santa Fe, 120 S Plaza Street")); q.Status != tax.Quoted ||
		q.Tax != 1350 || q.Jurisdiction != "NM 01-123" || q.Source != "the state" ||
		q.AsOf != "2026-11-20" || q.Notice != "" {
		t.Errorf("complete address: %+v", q)
	}
	if q := ask(t, p, address("87501 Santa Fe")); q.Status != tax.Quoted || q.Tax != 1310 || q.Notice != "" {
		t.Errorf("without a street: %+v", q)
	}
	if q := ask(t, p, address("8750 Santa Fe, 120 S Plaza Street")); q.Status != tax.NeedsInput {
		t.Errorf("with four digits: %+v", q)
	}
	p.Lookup = lookup{err: errors.New("unavailable")}
	if q := ask(t, p, address("87501 Santa Fe, 120 S Plaza Street")); q.Status != tax.FallbackUsed ||
		q.Tax != 1310 || q.Notice != "The state's address service failed: unavailable" {
		t.Errorf("failed lookup: %+v", q)
	}
	if q := ask(t, p, address("87399 Nowhere, 1 Main Street")); q.Status != tax.FallbackUsed ||
		q.Tax != 780 || !strings.Contains(q.Notice, "unavailable; unknown place") {
		t.Errorf("failed lookup and unknown place: %+v", q)
	}
	// If the service only needs more of the address, nothing is guessed.
	for to, want := range map[string]string{"87399 Nowhere": "line1"} {
		if q := ask(t, p, address(to)); q.Status != tax.NeedsInput || strings.Join(q.Missing, " ") != want || q.Tax != 0 {
			t.Errorf("%s: %+v, want %s missing", to, q, want)
		}
	}
}

// Neighboring states' ZIP codes that extend into New Mexico are taxed here for addresses in New
// Mexico. New Mexico's ZIP codes are not taxed here for addresses in other states.
func TestQuote_ZIPCodesAcrossTheStateLine(t *testing.T) {
	for _, tt := range []struct {
		state, zip string
		here       bool
	}{
		{"NM", "79922", true}, {"New Mexico", "86504", true}, {"NM", "87328", true}, {"", "87328", true},
		{"TX", "79922", false}, {"AZ", "87328", false}, {"NM", "79901", false}, {"NM", "80202", false},
	} {
		q := ask(t, provider(t), pledge.Address{Country: "US", State: tt.state, PostalCode: tt.zip})
		if here := q.Provider == "nm_grt"; here != tt.here || !q.Status.Final() {
			t.Errorf("%s %s: %s by %s", tt.state, tt.zip, q.Status, q.Provider)
		}
	}
}
