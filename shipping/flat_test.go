package shipping_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

var (
	disc   = pledge.Line{Kind: pledge.TierLine, Name: "Blu-ray", Quantity: 1, Category: campaign.Physical}
	stream = pledge.Line{Kind: pledge.TierLine, Name: "Stream", Quantity: 1, Category: campaign.Digital}
)

func ptr[T any](v T) *T { return &v }

// Proves SHP-04: a campaign's own rate, free shipping and options come before
// the platform's, and only what it does not state is inherited.
func TestFlat(t *testing.T) {
	usual := shipping.Flat{Rate: 300, OriginCountry: "US"}
	generous := shipping.Flat{Rate: 300, OriginCountry: "US", FreeByDefault: true}
	signed := campaign.Shipping{Options: []string{campaign.SignatureRequired, campaign.AdultSignature}}
	home, abroad := pledge.Address{Country: "US"}, pledge.Address{Country: "CA"}
	for name, tc := range map[string]struct {
		flat shipping.Flat
		req  shipping.Request
		want shipping.Quote
	}{
		"nothing to send": {usual, shipping.Request{Lines: []pledge.Line{stream}, Option: "signature_required"},
			shipping.Quote{Reason: shipping.NothingToSend, Source: "lines"}},
		"no lines": {usual, shipping.Request{}, shipping.Quote{Reason: shipping.NothingToSend, Source: "lines"}},
		"shipping itself is nothing to send": {usual,
			shipping.Request{Lines: []pledge.Line{{Kind: pledge.ShippingLine, Quantity: 1, Category: campaign.Physical}}},
			shipping.Quote{Reason: shipping.NothingToSend, Source: "lines"}},
		"inherited rate": {usual, shipping.Request{Lines: []pledge.Line{stream, disc}, Destination: home},
			shipping.Quote{Shipping: 300, Reason: shipping.PlatformFlat, Source: "shipping.fallback_flat_rate", Option: "standard"}},
		"abroad, the same rate": {usual, shipping.Request{Lines: []pledge.Line{disc}, Destination: abroad, Option: "standard"},
			shipping.Quote{Shipping: 300, Reason: shipping.PlatformFlat, Source: "shipping.fallback_flat_rate", Option: "standard"}},
		"own rate": {usual, shipping.Request{Lines: []pledge.Line{disc}, Overrides: campaign.Shipping{FallbackFlatRate: ptr(money.Cents(725))}},
			shipping.Quote{Shipping: 725, Reason: shipping.CampaignFlat, Source: "campaign shipping_fallback_flat_rate", Option: "standard"}},
		"own rate of nothing": {usual, shipping.Request{Lines: []pledge.Line{disc}, Overrides: campaign.Shipping{FallbackFlatRate: ptr(money.Cents(0))}},
			shipping.Quote{Reason: shipping.CampaignFlat, Source: "campaign shipping_fallback_flat_rate", Option: "standard"}},
		"own free shipping": {usual, shipping.Request{Lines: []pledge.Line{disc}, Overrides: campaign.Shipping{Free: ptr(true), FallbackFlatRate: ptr(money.Cents(725))}},
			shipping.Quote{Reason: shipping.Free, Source: "campaign free_shipping", Option: "standard"}},
		"inherited free shipping": {generous, shipping.Request{Lines: []pledge.Line{disc}},
			shipping.Quote{Reason: shipping.Free, Source: "shipping.free_shipping_default", Option: "standard"}},
		"free shipping refused": {generous, shipping.Request{Lines: []pledge.Line{disc}, Overrides: campaign.Shipping{Free: ptr(false)}},
			shipping.Quote{Shipping: 300, Reason: shipping.PlatformFlat, Source: "shipping.fallback_flat_rate", Option: "standard"}},
		"signature": {usual, shipping.Request{Lines: []pledge.Line{disc}, Overrides: signed, Destination: home, Option: "signature_required"},
			shipping.Quote{Shipping: 695, Reason: shipping.PlatformFlat, Source: "shipping.fallback_flat_rate + signature_required", Option: "signature_required"}},
		"adult signature, destination not known yet": {usual, shipping.Request{Lines: []pledge.Line{disc}, Overrides: signed, Option: "adult_signature_required"},
			shipping.Quote{Shipping: 1270, Reason: shipping.PlatformFlat, Source: "shipping.fallback_flat_rate + adult_signature_required", Option: "adult_signature_required"}},
		"free shipping covers the option": {generous, shipping.Request{Lines: []pledge.Line{disc}, Overrides: signed, Destination: home, Option: "signature_required"},
			shipping.Quote{Reason: shipping.Free, Source: "shipping.free_shipping_default", Option: "signature_required"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tc.flat.Quote(context.Background(), tc.req)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

func TestFlatRefuses(t *testing.T) {
	flat := shipping.Flat{Rate: 300, OriginCountry: "US"}
	signed := campaign.Shipping{Options: []string{campaign.SignatureRequired, "drone"}}
	for name, req := range map[string]shipping.Request{
		"an option nobody offers":      {Option: "signature_required"},
		"an option that is not listed": {Option: "adult_signature_required", Overrides: signed},
		"an option that is not priced": {Option: "drone", Overrides: signed},
		"an option abroad":             {Option: "signature_required", Overrides: signed, Destination: pledge.Address{Country: "CA"}},
	} {
		req.Lines = []pledge.Line{disc}
		got, err := flat.Quote(context.Background(), req)
		if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "shippingOption" || got != (shipping.Quote{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func ExampleFlat() {
	q, err := shipping.Flat{Rate: 300, OriginCountry: "US"}.Quote(context.Background(), shipping.Request{
		Lines: []pledge.Line{{Kind: pledge.TierLine, Quantity: 1, Category: campaign.Physical}},
	})
	fmt.Println(q.Shipping, q.Reason, err)
	// Output: $3.00 platform_flat_rate <nil>
}
