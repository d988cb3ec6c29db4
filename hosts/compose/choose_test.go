package compose_test

import (
	"context"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// The settings choose where the rules collect tax.
func TestOfflineRulesAreChosen(t *testing.T) {
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
			to := map[string]pledge.Address{"US NY": {Country: "US", PostalCode: "10001"}, "US NJ": {Country: "US", PostalCode: "07030"},
				"DE": {Country: "DE", PostalCode: "10115"}}[where]
			q, err := s.Tax.Quote(t.Context(), tax.Request{Destination: to, At: h.Now(), Lines: []pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000}}})
			if err != nil || q.Tax != want || q.Provider != config.TaxRules {
				t.Errorf("collecting in %q, regional: %t, to %s: %d cents by %s, %v, want %d", tt.collect, tt.regional, where, q.Tax, q.Provider, err, want)
			}
		}
	}
}

// New Mexico is taxed by place, everything else by the rules.
func TestNewMexicoIsChosen(t *testing.T) {
	h := newHost(t, memory.Options{})
	d := h.Services.Deps
	d.Tax, d.Config.Tax.Provider, d.Config.Tax.Collect = nil, config.TaxNMGRT, "US-NJ"
	s, err := compose.New(d)
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[pledge.Address]money.Cents{
		{Country: "US", PostalCode: "87501", City: "Santa Fe"}: 819, {Country: "US", PostalCode: "07030"}: 663, {Country: "US", PostalCode: "10001"}: 0,
	} {
		q, err := s.Tax.Quote(t.Context(), tax.Request{Destination: to, At: h.Now(), Lines: []pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000}}})
		if err != nil || q.Tax != want || q.Status != tax.Quoted {
			t.Errorf("to %s: %d cents, %s, %v, want %d", to.PostalCode, q.Tax, q.Status, err, want)
		}
	}
}

// pigeon is a carrier.
type pigeon struct{}

func (pigeon) Rate(context.Context, shipping.Shipment) (shipping.Rate, error) {
	return shipping.Rate{Price: 123, Source: "pigeon"}, nil
}

// The settings choose how parcels are priced; a carrier that is enabled has to be
// there.
func TestShippingIsChosen(t *testing.T) {
	h := newHost(t, memory.Options{})
	d := h.Services.Deps
	d.Shipping, d.Carrier = nil, nil
	d.Config.Shipping.FallbackFlatRate, d.Config.Shipping.OriginCountry, d.Config.Shipping.DefaultOption = 450, "US", "signature_required"
	r := shipping.Request{Overrides: campaign.Shipping{Options: []string{"signature_required"}}, Destination: pledge.Address{Country: "US", PostalCode: "10001"},
		Items: []shipping.Item{{Quantity: 1, Delivery: campaign.Delivery{Category: campaign.Physical, ShippingPreset: "cd"}}}}
	for _, tt := range []struct {
		enabled bool
		carrier shipping.Carrier
		free    bool
		want    money.Cents
		reason  shipping.Reason
	}{
		{false, nil, false, 845, shipping.PlatformFlat},
		{false, nil, true, 0, shipping.Free},
		{true, pigeon{}, false, 518, shipping.CarrierRate},
	} {
		d.Config.Carrier.Enabled, d.Carrier, d.Config.Shipping.FreeByDefault = tt.enabled, tt.carrier, tt.free
		s, err := compose.New(d)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := s.Shipping.Quote(t.Context(), r); err != nil || q.Shipping != tt.want || q.Reason != tt.reason {
			t.Errorf("%+v, %v, want %s as %s", q, err, tt.want, tt.reason)
		}
	}
	d.Config.Carrier.Enabled, d.Carrier = true, nil
	if _, err := compose.New(d); err == nil {
		t.Error("a carrier is enabled, and there is none")
	}
}

// oneRate is a lookup that always knows.
type oneRate struct{}

func (oneRate) Rates(context.Context, tax.Address) (tax.Local, error) {
	return tax.Local{Place: "TX, AUSTIN", Source: "a lookup", Rates: []tax.LocalRate{{Label: "TX sales tax", Rate: money.Percent(8)}}}, nil
}

// By address where tax is collected, by the rules elsewhere.
//
// Proves TAX-02.
func TestTheLookupIsChosen(t *testing.T) {
	h := newHost(t, memory.Options{})
	d := h.Services.Deps
	d.Tax, d.Config.Tax.Provider, d.Config.Tax.Collect, d.TaxLookup = nil, config.TaxLocal, "US-TX, DE", oneRate{}
	s, err := compose.New(d)
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[pledge.Address]money.Cents{
		{Country: "US", PostalCode: "78701"}: 800, {Country: "US", PostalCode: "07030"}: 0, {Country: "DE", PostalCode: "10115"}: 1900,
	} {
		q, err := s.Tax.Quote(t.Context(), tax.Request{Destination: to, At: h.Now(), Lines: []pledge.Line{{Kind: pledge.TierLine, Category: campaign.Physical, Amount: 10_000}}})
		if err != nil || q.Tax != want || q.Status != tax.Quoted {
			t.Errorf("to %s: %d cents, %s, %v, want %d", to.PostalCode, q.Tax, q.Status, err, want)
		}
	}
}
