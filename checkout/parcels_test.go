package checkout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// perOunceCarrier is a carrier that charges perOunce and fails with err if it is
// set.
type perOunceCarrier struct {
	perOunce int64
	err      error
}

func (c *perOunceCarrier) Rate(_ context.Context, s shipping.Shipment) (shipping.Rate, error) {
	if c.err != nil {
		return shipping.Rate{}, c.err
	}
	oz := s.Parcel.Weight.Ceil().IntPart()
	return shipping.Rate{Price: money.Cents(oz * c.perOunce), Source: fmt.Sprintf("snail, %d oz", oz)}, nil
}

// withCarrier adds presets to the film's items, a package to the platform's
// sticker, and a carrier.
func (w *fixture) withCarrier() *perOunceCarrier {
	w.t.Helper()
	film := strings.NewReplacer("name: Poster,", "name: Poster, shipping_preset: poster,", "name: Mug,",
		"name: Mug, shipping_preset: mug,").Replace(filmFile)
	addOns := strings.Replace(addOnsFile, "name: Sticker,",
		"name: Sticker, shipping: {weight_oz: 1, packaging_weight_oz: 0.5, length_in: 6, width_in: 4, height_in: 0.2},", 1)
	w.files["campaigns/film.md"].Data, w.files["add-ons.yml"].Data = []byte(film), []byte(addOns)
	w.reload()
	c := &perOunceCarrier{perOunce: 10}
	w.svc.Shipping = shipping.Rules{FlatRate: 300, OriginCountry: "US", Carrier: c}
	return c
}

// shippingReasons makes a pledge and returns how its shipping was calculated, and the total.
func shippingReasons(w *fixture, r checkout.StartRequest) []string {
	w.t.Helper()
	s := w.start(r)
	w.save(s.SessionID)
	if err := w.deliver(); err != nil {
		w.t.Fatal(err)
	}
	p := w.read(s.OrderID)
	var out []string
	for _, d := range p.Explanation {
		if d.Amount == "shipping" {
			out = append(out, fmt.Sprintf("%s %s (%s)", d.Cents, d.Rule, d.Source))
		}
	}
	return append(out, p.Shipping.String())
}

// Proves CHK-20: items are packed by their presets or packages, the campaign's
// in one parcel and the platform's in another. Both are priced by the carrier, or
// at the flat rate with a reason.
func TestStart_Parcels(t *testing.T) {
	w := newFixture(t)
	c := w.withCarrier()
	buy := func(email string, items ...checkout.Item) checkout.StartRequest {
		r := request(email, items...)
		r.ShippingAddress = homeAddress()
		return r
	}
	two := checkout.Item{ID: "film__poster", Quantity: new(2)}
	for name, tt := range map[string]struct {
		r      checkout.StartRequest
		broken error
		want   []string
	}{
		// two posters of 3.5 oz, a mug of 13.5 oz and a tube of 7 oz; a sticker
		// of 1 oz in 0.5 oz packaging
		"two parcels": {buy("a@example.org", two, one("film__addon__mug"), one("addon__sticker")), nil,
			[]string{"$2.80 carrier_rate (snail, 28 oz)", "$0.20 platform's parcel, carrier_rate (snail, 2 oz)",
				"$3.00"}},
		"platform only": {buy("b@example.org", one("film__thanks"), one("addon__sticker")), nil,
			[]string{"$0.00 nothing_to_send (items)", "$0.20 platform's parcel, carrier_rate (snail, 2 oz)", "$0.20"}},
		"campaign with its own rate": {buy("c@example.org", one("game__box")), nil,
			[]string{"$7.00 campaign_flat_rate (campaign shipping_fallback_flat_rate)", "$7.00"}},
		"carrier down": {buy("d@example.org", one("film__poster")), fmt.Errorf("gone"),
			[]string{"$3.00 fallback_flat_rate: carrier_down (shipping.fallback_flat_rate)", "$3.00"}},
		"too heavy": {buy("e@example.org", one("film__poster")), shipping.ErrNotCarried,
			[]string{"$3.00 fallback_flat_rate: not_carried (shipping.fallback_flat_rate)", "$3.00"}},
		"nothing to send": {request("f@example.org", one("film__thanks")), nil,
			[]string{"$0.00 nothing_to_send (items)", "$0.00"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.err = tt.broken
			if diff := cmp.Diff(tt.want, shippingReasons(w, tt.r)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if strings.Contains(w.log.String(), "not_carried") {
		t.Error("a parcel rejected by the carrier was logged as an outage")
	}
	if log := w.log.String(); !strings.Contains(log, "quoted the flat rate") ||
		!strings.Contains(log, "carrier_down") {
		t.Errorf("the carrier's failure is not logged: %s", log)
	}
}

// The carrier's later prices do not change accepted shipping.
func TestConfirm_AcceptedShipping(t *testing.T) {
	w := newFixture(t)
	c := w.withCarrier()
	r := request("a@example.org", one("film__poster"))
	r.ShippingAddress = homeAddress()
	s := w.start(r)
	c.perOunce = 1000
	w.save(s.SessionID)
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	if p := w.read(s.OrderID); p.Shipping != 110 || p.Amount != s.Amount {
		t.Errorf("shipping %s, total %s, accepted total %s", p.Shipping, p.Amount, s.Amount)
	}
}

// A preview contains every parcel with its reason and the address fields that its price depends on.
func TestQuoteShipping(t *testing.T) {
	w := newFixture(t)
	w.withCarrier()
	items := []checkout.Item{one("film__poster"), one("addon__sticker"), one("game__print")}
	q := must[checkout.ShippingQuote](t)(w.svc.QuoteShipping(w.ctx, checkout.Cart{Items: items}))
	standard := shipping.Option{ID: "standard"}
	missing := []string{"country", "postalCode"}
	want := []checkout.ParcelQuote{
		{CampaignSlug: "film", Quote: shipping.Quote{Shipping: 300, Reason: shipping.Fallback,
			Fallback: shipping.MissingDestination, Missing: missing,
			Source: "shipping.fallback_flat_rate", Option: "standard",
			Options: []shipping.Option{standard, {ID: "signature_required", Surcharge: 395}}}},
		{Quote: shipping.Quote{Shipping: 300, Reason: shipping.Fallback, Fallback: shipping.MissingDestination,
			Missing: missing,
			Source:  "shipping.fallback_flat_rate", Option: "standard", Options: []shipping.Option{standard}}},
		{CampaignSlug: "game",
			Quote: shipping.Quote{Reason: shipping.NothingToSend, Source: "items", Options: []shipping.Option{}}},
	}
	if diff := cmp.Diff(want, q.Quotes, cmpopts.IgnoreFields(shipping.Quote{}, "Parcel")); diff != "" ||
		q.Shipping != 600 {
		t.Errorf("%s %s", q.Shipping, diff)
	}
	q = must[checkout.ShippingQuote](t)(w.svc.QuoteShipping(w.ctx,
		checkout.Cart{Items: items, ShippingAddress: homeAddress()}))
	if q.Shipping != 130 || q.Quotes[0].Parcel.Weight.String() != "10.5" {
		t.Errorf("%+v", q)
	}
	_, err := w.svc.QuoteShipping(w.ctx, checkout.Cart{Items: items, ShippingOption: "adult_signature_required"})
	if f := fault.Of(err); f == nil || f.Code != fault.Invalid || f.Field != "shippingOption" {
		t.Errorf("unknown option: %v", err)
	}
}

// An option that only one campaign of the cart offers applies to that campaign's parcel, in the
// preview, the quote and the checkout.
func TestShippingOption_OfOneCampaign(t *testing.T) {
	w := newFixture(t)
	c := checkout.Cart{Items: []checkout.Item{one("film__poster"), one("game__box")},
		ShippingAddress: homeAddress(), ShippingOption: "signature_required"}
	preview := must[checkout.ShippingQuote](t)(w.svc.QuoteShipping(w.ctx, c))
	if len(preview.Quotes) != 2 || preview.Quotes[0].Option != "signature_required" ||
		preview.Quotes[1].Option != "standard" {
		t.Fatalf("%+v", preview.Quotes)
	}
	quote := must[checkout.TaxQuote](t)(w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Cart: c}))
	s := w.pledge(checkout.StartRequest{Cart: c, Email: "ada@example.org"})
	var charged money.Cents
	for i, want := range []string{"signature_required", "standard"} {
		p := w.read(s.Campaigns[i].OrderID)
		if charged += p.Shipping; p.ShippingOption != want {
			t.Errorf("%s is sent with %s", p.CampaignSlug, p.ShippingOption)
		}
	}
	if quote.Shipping != preview.Shipping || charged != preview.Shipping || charged != 300+395+700 {
		t.Errorf("the preview has %s, the quote %s, the pledges %s", preview.Shipping, quote.Shipping, charged)
	}
	c.Items = []checkout.Item{one("film__seat"), one("game__box")}
	if _, err := w.svc.QuoteShipping(w.ctx, c); fault.Of(err) == nil || fault.Of(err).Field != "shippingOption" {
		t.Errorf("an option of a campaign without a parcel: %v", err)
	}
}

// slowCarrier blocks until the context ends, then fails.
type slowCarrier struct{}

func (s slowCarrier) Rate(ctx context.Context, _ shipping.Shipment) (shipping.Rate, error) {
	<-ctx.Done()
	return shipping.Rate{}, ctx.Err()
}

// The timeout of a slow carrier applies once per checkout, not per parcel.
func TestQuote_SlowCarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.withCarrier()
		w.svc.Shipping = shipping.Rules{FlatRate: 300, OriginCountry: "US", Carrier: slowCarrier{}}
		r := request("a@example.org", one("film__poster"), one("addon__sticker"))
		r.ShippingAddress = homeAddress()
		for name, ask := range map[string]func() (money.Cents, error){
			"start": func() (money.Cents, error) {
				s, err := w.svc.Start(w.ctx, r)
				return s.Campaigns[0].Shipping, err
			},
			"shipping quote": func() (money.Cents, error) {
				q, err := w.svc.QuoteShipping(w.ctx, r.Cart)
				return q.Shipping, err
			},
			"tax quote": func() (money.Cents, error) {
				q, err := w.svc.QuoteTax(w.ctx, checkout.TaxQuoteRequest{Cart: r.Cart})
				return q.Shipping, err
			},
		} {
			began := time.Now()
			if got, err := ask(); err != nil || got != 600 || time.Since(began) != checkout.QuoteTimeout {
				t.Errorf("%s: %s, %v after %s", name, got, err, time.Since(began))
			}
		}
	})
}
