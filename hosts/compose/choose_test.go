package compose_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// The settings determine where the offline rules collect tax.
func TestNew_OfflineTaxRules(t *testing.T) {
	h := newHost(t, memory.Options{})
	for _, tt := range []struct {
		collect  config.Places
		regional bool
		zip      string
		want     map[string]money.Cents // by country and state
	}{
		{"", false, "", map[string]money.Cents{"US NY": 400, "US NJ": 663, "DE": 0}},
		{"", true, "10001", map[string]money.Cents{"US NY": 400, "US NJ": 0, "DE": 0}},
		{"", true, "", map[string]money.Cents{"US NY": 400, "US NJ": 663}},
		{"EU, US-NJ", false, "", map[string]money.Cents{"US NY": 0, "US NJ": 663, "DE": 1900}},
		{"everywhere", true, "10001", map[string]money.Cents{"US NY": 400, "US NJ": 663, "DE": 1900}},
	} {
		d := h.Services.Deps
		d.Tax, d.Config.Tax.Provider, d.Config.Tax.Collect = nil, config.TaxRules, tt.collect
		d.Config.Tax.UseRegionalOrigin, d.Config.Shipping.OriginZIP = tt.regional, tt.zip
		s, err := compose.New(d)
		if err != nil {
			t.Fatal(err)
		}
		for where, want := range tt.want {
			to := map[string]pledge.Address{"US NY": {Country: "US", PostalCode: "10001"},
				"US NJ": {Country: "US", PostalCode: "07030"},
				"DE":    {Country: "DE", PostalCode: "10115"}}[where]
			q, err := s.Tax.Quote(t.Context(), tax.Request{Destination: to, At: h.Now(),
				Lines: []pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000}}})
			if err != nil || q.Tax != want || q.Provider != config.TaxRules {
				t.Errorf("collecting in %q, regional: %t, to %s: %d cents by %s, %v, want %d", tt.collect,
					tt.regional, where, q.Tax, q.Provider, err, want)
			}
		}
	}
}

// fakeCarrier is a carrier with a fixed rate.
type fakeCarrier struct{}

func (fakeCarrier) Rate(context.Context, shipping.Shipment) (shipping.Rate, error) {
	return shipping.Rate{Price: 123, Source: "fakeCarrier"}, nil
}

// The settings determine how parcels are priced. Enabling a carrier requires one in Deps.
//
// Proves SHP-03.
func TestNew_Shipping(t *testing.T) {
	h := newHost(t, memory.Options{})
	d := h.Services.Deps
	d.Shipping, d.Carrier = nil, nil
	d.Config.Shipping.FallbackFlatRate, d.Config.Shipping.DefaultOption = 450, "signature_required"
	r := shipping.Request{Overrides: campaign.Shipping{Options: []string{"signature_required"}},
		Destination: pledge.Address{Country: "US", PostalCode: "10001"},
		Items: []shipping.Item{{Quantity: 1,
			Delivery: campaign.Delivery{Category: campaign.Physical, ShippingPreset: "cd"}}}}
	for _, tt := range []struct {
		origin  config.Country
		enabled bool
		carrier shipping.Carrier
		free    bool
		want    money.Cents
		reason  shipping.Reason
	}{
		{"US", false, nil, false, 845, shipping.PlatformFlat},
		{"CA", false, nil, false, 450, shipping.PlatformFlat},
		{"US", false, nil, true, 0, shipping.Free},
		{"US", true, fakeCarrier{}, false, 518, shipping.CarrierRate},
	} {
		d.Config.Shipping.OriginCountry = tt.origin
		d.Config.Carrier.Enabled, d.Carrier, d.Config.Shipping.FreeByDefault = tt.enabled, tt.carrier, tt.free
		s, err := compose.New(d)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := s.Shipping.Quote(t.Context(), r); err != nil || q.Shipping != tt.want || q.Reason != tt.reason {
			t.Errorf("%+v, %v, want %s with method %s", q, err, tt.want, tt.reason)
		}
	}
	d.Config.Carrier.Enabled, d.Carrier = true, nil
	if _, err := compose.New(d); err == nil {
		t.Error("New accepted an enabled carrier without Deps.Carrier")
	}
}

// oneRate is a lookup with the same rate for every address.
type oneRate struct{}

func (oneRate) Rates(context.Context, tax.Address) (tax.LocalRates, error) {
	return tax.LocalRates{Place: "TX, AUSTIN", Source: "a lookup",
		Rates: []tax.LocalRate{{Label: "TX sales tax", Rate: money.Percent(8)}}}, nil
}

// Each provider quotes the addresses that it covers: the local lookup those where tax is collected,
// New Mexico's provider those in New Mexico, the offline rules all others.
//
// Proves TAX-02, TAX-13, TAX-17, TAX-19, TAX-21.
func TestNew_TaxProvider(t *testing.T) {
	h := newHost(t, memory.Options{})
	d := h.Services.Deps
	d.Config.Tax.Collect, d.Config.Pricing.SalesTaxRate = "US-TX, US-NJ, DE", money.Percent(3)
	for _, tt := range []struct {
		provider string
		lookup   tax.Lookup
		want     map[string]string // cents and provider, by country and postal code
	}{
		{config.TaxFlat, nil, map[string]string{"US 78701": "300 flat", "US 87501": "300 flat", "DE 10115": "300 flat"}},
		{config.TaxRules, nil, map[string]string{"US 78701": "625 offline_rules", "US 07030": "663 offline_rules",
			"US 10001": "0 offline_rules", "DE 10115": "1900 offline_rules"}},
		{config.TaxNMGRT, nil, map[string]string{"US 87501": "819 nm_grt", "US 07030": "663 offline_rules",
			"US 10001": "0 offline_rules", "DE 10115": "1900 offline_rules"}},
		{config.TaxNMGRT, oneRate{}, map[string]string{"US 87501": "800 nm_grt", "US 78701": "625 offline_rules"}},
		{config.TaxLocal, oneRate{}, map[string]string{"US 78701": "800 local_tax_api",
			"US 10001": "0 offline_rules", "DE 10115": "1900 offline_rules"}},
	} {
		d.Tax, d.Config.Tax.Provider, d.TaxLookup = nil, tt.provider, tt.lookup
		s, err := compose.New(d)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for where := range tt.want {
			country, postal, _ := strings.Cut(where, " ")
			q, err := s.Tax.Quote(t.Context(),
				tax.Request{Destination: pledge.Address{Country: country, PostalCode: postal, City: "Santa Fe"}, At: h.Now(),
					Lines: []pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000}}})
			if err != nil || q.Status != tax.Quoted {
				t.Errorf("%s, to %s: %+v, %v", tt.provider, where, q, err)
			}
			got[where] = fmt.Sprintf("%d %s", q.Tax, q.Provider)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.provider, diff)
		}
	}
	d.Tax, d.TaxLookup = nil, nil
	if _, err := compose.New(d); err == nil {
		t.Error("New accepted local_tax_api without Deps.TaxLookup")
	}
}
