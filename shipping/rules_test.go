package shipping_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

func thing(preset string, n int) shipping.Item {
	return shipping.Item{Name: preset, Quantity: n,
		Delivery: campaign.Delivery{Category: campaign.Physical, ShippingPreset: preset}}
}

var (
	disc     = thing("bluray", 1)
	stream   = shipping.Item{Name: "Stream", Quantity: 1, Delivery: campaign.Delivery{Category: campaign.Digital}}
	testTime = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
)

// A campaign's own rate, free shipping and options override the platform's settings.
//
// Proves SHP-04.
func TestRules_Precedence(t *testing.T) {
	usual := shipping.Rules{FlatRate: 300, OriginCountry: "US"}
	generous := shipping.Rules{FlatRate: 300, OriginCountry: "US", FreeByDefault: true}
	careful := shipping.Rules{FlatRate: 300, OriginCountry: "US", DefaultOption: "signature_required"}
	signed := campaign.Shipping{Options: []string{campaign.SignatureRequired, campaign.AdultSignature}}
	home, abroad := pledge.Address{Country: "US"}, pledge.Address{Country: "CA"}
	standard := []shipping.Option{{ID: "standard"}}
	all := []shipping.Option{{ID: "standard"}, {"signature_required", 395}, {"adult_signature_required", 970}}
	free := []shipping.Option{{ID: "standard"}, {ID: "signature_required"}, {ID: "adult_signature_required"}}
	flat := func(cents money.Cents, option, more string, options []shipping.Option) shipping.Quote {
		return shipping.Quote{Shipping: cents, Reason: shipping.PlatformFlat, Source: "shipping.fallback_flat_rate" + more,
			Option: option, Options: options}
	}
	own := shipping.Quote{Reason: shipping.CampaignFlat, Source: "campaign shipping_fallback_flat_rate",
		Option: "standard", Options: standard}
	ownCosts := own
	ownCosts.Shipping = 725
	nothing := shipping.Quote{Reason: shipping.NothingToSend, Source: "items", Options: []shipping.Option{}}
	items := []shipping.Item{disc}
	for name, tc := range map[string]struct {
		rules shipping.Rules
		req   shipping.Request
		want  shipping.Quote
	}{
		"nothing to send": {usual, shipping.Request{Items: []shipping.Item{stream}, Option: "signature_required"}, nothing},
		"no items":        {usual, shipping.Request{}, nothing},
		"quantity zero":   {usual, shipping.Request{Items: []shipping.Item{thing("bluray", 0)}}, nothing},
		"inherited rate": {usual, shipping.Request{Items: []shipping.Item{stream, disc}, Destination: home},
			flat(300, "standard", "", standard)},
		"abroad": {usual, shipping.Request{Items: items, Destination: abroad, Option: "standard",
			Overrides: signed}, flat(300, "standard", "", standard)},
		"own rate": {usual,
			shipping.Request{Items: items, Overrides: campaign.Shipping{FallbackFlatRate: new(money.Cents(725))}}, ownCosts},
		"own rate of zero": {usual,
			shipping.Request{Items: items, Overrides: campaign.Shipping{FallbackFlatRate: new(money.Cents(0))}}, own},
		"own free shipping": {usual, shipping.Request{Items: items,
			Overrides: campaign.Shipping{Free: new(true), FallbackFlatRate: new(money.Cents(725))}},
			shipping.Quote{Reason: shipping.Free, Source: "campaign free_shipping", Option: "standard", Options: standard}},
		"inherited free shipping": {generous, shipping.Request{Items: items},
			shipping.Quote{Reason: shipping.Free, Source: "shipping.free_shipping_default",
				Option: "standard", Options: standard}},
		"free shipping refused": {generous, shipping.Request{Items: items, Overrides: campaign.Shipping{Free: new(false)}},
			flat(300, "standard", "", standard)},
		"signature": {usual, shipping.Request{Items: items, Overrides: signed, Destination: home,
			Option: "signature_required"},
			flat(695, "signature_required", " + signature_required", all)},
		"signature to Guam": {usual, shipping.Request{Items: items, Overrides: signed,
			Destination: pledge.Address{Country: "GU"}, Option: "signature_required"},
			flat(695, "signature_required", " + signature_required", all)},
		"adult signature, unknown destination": {usual,
			shipping.Request{Items: items, Overrides: signed, Option: "adult_signature_required"},
			flat(1270, "adult_signature_required", " + adult_signature_required", all)},
		"free shipping covers the option": {generous,
			shipping.Request{Items: items, Overrides: signed, Destination: home, Option: "signature_required"},
			shipping.Quote{Reason: shipping.Free, Source: "shipping.free_shipping_default",
				Option: "signature_required", Options: free}},
		"platform's default option": {careful, shipping.Request{Items: items, Overrides: signed, Destination: home},
			flat(695, "signature_required", " + signature_required", all)},
		"default option abroad": {careful, shipping.Request{Items: items, Overrides: signed, Destination: abroad},
			flat(300, "standard", "", standard)},
		"default option not offered": {careful, shipping.Request{Items: items, Destination: home},
			flat(300, "standard", "", standard)},
		"standard option chosen": {careful, shipping.Request{Items: items, Overrides: signed,
			Destination: home, Option: "standard"}, flat(300, "standard", "", all)},
		"item without package": {usual, shipping.Request{Items: []shipping.Item{thing("", 1)}},
			flat(300, "standard", "", standard)},
		"unknown option": {usual, shipping.Request{Items: items,
			Overrides: campaign.Shipping{Options: []string{"drone"}}}, flat(300, "standard", "", standard)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.rules.Quote(context.Background(), tc.req)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestRules_InvalidOptions(t *testing.T) {
	rules := shipping.Rules{FlatRate: 300, OriginCountry: "US"}
	signed := campaign.Shipping{Options: []string{campaign.SignatureRequired, "drone"}}
	abroad := pledge.Address{Country: "CA"}
	const notOffered, notThere = "The shipping option is not offered", "The shipping option is only available within US"
	for name, tt := range map[string]struct {
		req     shipping.Request
		message string
	}{
		"option not offered":       {shipping.Request{Option: "signature_required"}, notOffered},
		"option not listed":        {shipping.Request{Option: "adult_signature_required", Overrides: signed}, notOffered},
		"unknown option":           {shipping.Request{Option: "drone", Overrides: signed}, notOffered},
		"unknown option, domestic": {shipping.Request{Option: "drone", Overrides: signed, Destination: home}, notOffered},
		"option abroad": {shipping.Request{Option: "signature_required", Overrides: signed, Destination: abroad},
			notThere},
		"option not offered, abroad": {shipping.Request{Option: "signature_required", Destination: abroad}, notOffered},
	} {
		tt.req.Items = []shipping.Item{disc}
		got, err := rules.Quote(context.Background(), tt.req)
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "shippingOption" ||
			f.Message != tt.message || got.Reason != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Nothing is shipped to an excluded country. Digital items are not shipped.
func TestRules_ExcludedCountry(t *testing.T) {
	rules := shipping.Rules{FlatRate: 300, OriginCountry: "US", Excluded: []string{"CU", "IR"}}
	iran := pledge.Address{Country: "IR", PostalCode: "11369"}
	got, err := rules.Quote(context.Background(),
		shipping.Request{Items: []shipping.Item{stream, disc}, Destination: iran})
	if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "shippingAddress.country" ||
		f.Message != "Nothing is shipped to Iran. Choose another country, or remove everything that is shipped." ||
		got.Reason != "" {
		t.Errorf("to Iran: %+v, %v", got, err)
	}
	for name, r := range map[string]shipping.Request{
		"digital items":       {Items: []shipping.Item{stream}, Destination: iran},
		"another country":     {Items: []shipping.Item{disc}, Destination: pledge.Address{Country: "CA"}},
		"unknown destination": {Items: []shipping.Item{disc}},
	} {
		if _, err := rules.Quote(context.Background(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	rules.Excluded = nil
	if q, err := rules.Quote(context.Background(),
		shipping.Request{Items: []shipping.Item{disc}, Destination: iran}); err != nil || q.Shipping != 300 {
		t.Errorf("no country excluded: %+v, %v", q, err)
	}
}

// carrier returns its fields and records the requested shipments.
type carrier struct {
	rate  shipping.Rate
	err   error
	asked []shipping.Shipment
}

func (c *carrier) Rate(_ context.Context, s shipping.Shipment) (shipping.Rate, error) {
	c.asked = append(c.asked, s)
	return c.rate, c.err
}

var home = pledge.Address{Country: "US", PostalCode: "10001"}

// The carrier prices the packed parcel. Without its price, the flat rate applies, with
// the reason.
//
// Proves SHP-02.
func TestRules_Carrier(t *testing.T) {
	good := shipping.Rate{Price: 512, Source: "Snail"}
	parcel, _, _ := shipping.Pack([]shipping.Item{disc})
	flat := campaign.Shipping{FallbackFlatRate: new(money.Cents(725))}
	signed := campaign.Shipping{Options: []string{campaign.SignatureRequired}}
	for name, tc := range map[string]struct {
		carrier carrier
		req     shipping.Request
		want    shipping.Quote
		asked   int
	}{
		"price": {carrier{rate: good}, shipping.Request{Destination: home},
			shipping.Quote{Shipping: 512, Reason: shipping.CarrierRate, Source: "Snail", Parcel: &parcel}, 1},
		"price without source": {carrier{rate: shipping.Rate{Price: 512}}, shipping.Request{Destination: home},
			shipping.Quote{Shipping: 512, Reason: shipping.CarrierRate, Source: "carrier", Parcel: &parcel}, 1},
		"signature surcharge": {carrier{rate: good},
			shipping.Request{Destination: home, Overrides: signed, Option: "signature_required"},
			shipping.Quote{Shipping: 907, Reason: shipping.CarrierRate, Source: "Snail + signature_required", Parcel: &parcel},
			1},
		"abroad without a postal code": {carrier{rate: good}, shipping.Request{Destination: pledge.Address{Country: "HK"}},
			shipping.Quote{Shipping: 512, Reason: shipping.CarrierRate, Source: "Snail", Parcel: &parcel}, 1},
		"campaign's own rate": {carrier{rate: good}, shipping.Request{Destination: home, Overrides: flat},
			shipping.Quote{Shipping: 725, Reason: shipping.CampaignFlat, Source: "campaign shipping_fallback_flat_rate"}, 0},
		"free": {carrier{rate: good}, shipping.Request{Destination: home, Overrides: campaign.Shipping{Free: new(true)}},
			shipping.Quote{Reason: shipping.Free, Source: "campaign free_shipping"}, 0},
		"no country": {carrier{rate: good}, shipping.Request{Destination: pledge.Address{PostalCode: "10001"}},
			shipping.Quote{Shipping: 300, Reason: shipping.Fallback, Fallback: shipping.MissingDestination,
				Missing: []string{"country"}, Source: "shipping.fallback_flat_rate", Parcel: &parcel}, 0},
		"no postal code in Puerto Rico": {carrier{rate: good}, shipping.Request{Destination: pledge.Address{Country: "PR"}},
			shipping.Quote{Shipping: 300, Reason: shipping.Fallback, Fallback: shipping.MissingDestination,
				Missing: []string{"postalCode"}, Source: "shipping.fallback_flat_rate", Parcel: &parcel}, 0},
		"no destination": {carrier{rate: good}, shipping.Request{},
			shipping.Quote{Shipping: 300, Reason: shipping.Fallback, Fallback: shipping.MissingDestination,
				Missing: []string{"country", "postalCode"}, Source: "shipping.fallback_flat_rate", Parcel: &parcel}, 0},
		"no package": {carrier{rate: good}, shipping.Request{Destination: home, Items: []shipping.Item{disc, thing("", 1)}},
			shipping.Quote{Shipping: 300, Reason: shipping.Fallback, Fallback: shipping.MissingPackage,
				Source: "shipping.fallback_flat_rate,  has no package"}, 0},
		"not carried": {carrier{err: fmt.Errorf("so: %w", shipping.ErrNotCarried)}, shipping.Request{Destination: home},
			fallback(shipping.NotCarried, &parcel), 1},
		"busy": {carrier{err: shipping.ErrBusy}, shipping.Request{Destination: home},
			fallback(shipping.CarrierBusy, &parcel), 1},
		"down": {carrier{err: errors.New("gone")}, shipping.Request{Destination: home},
			fallback(shipping.CarrierDown, &parcel), 1},
		"negative price": {carrier{rate: shipping.Rate{Price: -1}}, shipping.Request{Destination: home},
			fallback(shipping.CarrierDown, &parcel), 1},
	} {
		t.Run(name, func(t *testing.T) {
			tc.req.At = testTime
			if tc.req.Items == nil {
				tc.req.Items = []shipping.Item{disc}
			}
			rules := shipping.Rules{FlatRate: 300, OriginCountry: "US", Carrier: &tc.carrier}
			got, err := rules.Quote(context.Background(), tc.req)
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(shipping.Quote{}, "Option", "Options")); err != nil ||
				diff != "" {
				t.Error(err, diff)
			}
			if len(tc.carrier.asked) != tc.asked {
				t.Errorf("the carrier was called %d times, want %d", len(tc.carrier.asked), tc.asked)
			}
			for _, s := range tc.carrier.asked {
				want := shipping.Shipment{Parcel: parcel, To: tc.req.Destination, At: testTime, Signed: tc.req.Option != ""}
				if diff := cmp.Diff(want, s); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func fallback(why shipping.Cause, p *shipping.Parcel) shipping.Quote {
	return shipping.Quote{Shipping: 300, Reason: shipping.Fallback, Fallback: why,
		Source: "shipping.fallback_flat_rate", Parcel: p}
}

func ExampleRules() {
	rules := shipping.Rules{FlatRate: 300, OriginCountry: "US"} // no carrier
	q, err := rules.Quote(context.Background(), shipping.Request{Items: []shipping.Item{
		{Name: "Blu-ray", Quantity: 1, Delivery: campaign.Delivery{Category: campaign.Physical, ShippingPreset: "bluray"}},
	}})
	fmt.Println(q.Shipping, q.Reason, err)
	// Output: $3.00 platform_flat_rate <nil>
}
