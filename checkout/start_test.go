package checkout_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/tax"
)

func homeAddress() *pledge.Address {
	return &pledge.Address{Name: "Ada", Line1: "1 Main St", City: "Taos", State: "NM", PostalCode: "87571",
		Country: "us"}
}

// Proves CHK-01, CHK-07, CHK-08, CHK-09, CHK-11, CHK-15, CHK-17, CHK-21, CHK-24, CHK-33, CHK-41, CHK-42, MON-03, MON-25.
func TestStart_FreezesTotalsAndOpensSession(t *testing.T) {
	w := newFixture(t)
	r := request("Ada@Example.org", checkout.Item{ID: "film__poster", Quantity: new(2)},
		checkout.Item{ID: "film__support__lens", Amount: new(int64(10))})
	r.CustomAmount, r.TipPercent, r.ShippingAddress = new(int64(20)), new(10), homeAddress()
	r.PreferredLang = "es-MX"
	s := w.start(r)

	// 2×40 + 10 + 20 = 110; tax 10 % = 11; shipping 3; tip 10 % = 11.
	want := pledge.Totals{Subtotal: 11000, Tax: 1100, Shipping: 300, TipPercent: 10, TipAmount: 1100,
		Amount: 13500, CampaignSubtotal: 11000}
	if diff := cmp.Diff(want, s.Campaigns[0].Totals); diff != "" {
		t.Error(diff)
	}
	if s.UIMode != "custom" || s.ClientSecret == "" || s.PublishableKey != "pk_test_1" ||
		s.URL != "" || s.SessionID == "" || s.OrderID == "" {
		t.Errorf("started: %+v", s)
	}
	sess := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, s.SessionID))
	o := must[order.Order](t)(w.svc.Orders.Get(w.ctx, s.OrderID))
	wantMeta := map[string]string{
		"orderId": s.OrderID, "campaignSlug": "film", "checkoutProvider": "psp", "checkoutNonce": o.Manifest.Nonce,
		"cart":             "film__poster*2,film__support__lens=10,film__custom-support=20",
		"checkoutCartHash": o.Hash, "amountCents": "13500", "tipPercent": "10", "hasPhysical": "true",
		"preferredLang": "es",
	}
	if diff := cmp.Diff(wantMeta, sess.Metadata); diff != "" {
		t.Error(diff)
	}
	intent, _, err := kv.Read[checkout.Intent](w.ctx, w.svc.Store, "checkout-intent:"+s.OrderID)
	if err != nil || intent.Hash != o.Hash || intent.Manifest.Amount != 13500 ||
		intent.Manifest.Email != "ada@example.org" {
		t.Errorf("intent %+v, %v", intent, err)
	}
	var kept struct{ Manifest struct{ Amount json.Number } }
	if text, _ := w.value("checkout-intent:" + s.OrderID); json.Unmarshal([]byte(text), &kept) != nil ||
		kept.Manifest.Amount != "13500" {
		t.Errorf("stored manifest: %s", text)
	}
	if len(w.sim.Entries()) != 0 {
		t.Error("something was charged")
	}
	if _, ok := w.value("pledge:" + s.OrderID); ok {
		t.Error("pledge exists before the card is saved")
	}
	w.advance(2 * time.Hour)
	if _, err := w.svc.Summary(w.ctx, s.OrderID, s.Token); codeOf(err) != fault.Unauthorized {
		t.Errorf("token of an expired checkout: %v", err)
	}
	if _, err := w.svc.Summary(w.ctx, s.OrderID, s.Token[:len(s.Token)-2]+"AA"); codeOf(err) != fault.Unauthorized {
		t.Errorf("token with another signature: %v", err)
	}
}

// stubTax is a tax provider with fixed amounts that records its requests.
type stubTax struct {
	amounts  map[string]money.Cents // by country
	requests []tax.Request
}

func (p *stubTax) Quote(_ context.Context, r tax.Request) (tax.Quote, error) {
	p.requests = append(p.requests, r)
	return tax.Quote{Status: tax.Quoted, Tax: p.amounts[r.Destination.Country], Provider: "test", Source: "a test"}, nil
}

// The provider's amount is each pledge's tax. Its requests contain the chosen items and their
// destination: the shipping address for physical items, otherwise the billing address.
//
// Proves CHK-21.
func TestStart_ProviderTax(t *testing.T) {
	w := newFixture(t)
	provider := &stubTax{amounts: map[string]money.Cents{"US": 777, "DE": 13}}
	w.svc.Tax = provider
	r := shipped(request("a@example.org", seats(2), one("game__box")))
	r.BillingAddress = &pledge.Address{Country: "DE", PostalCode: "10115"}
	s := w.start(r)
	got := map[string][3]money.Cents{}
	for _, c := range s.Campaigns {
		got[c.CampaignSlug] = [3]money.Cents{c.Tax, c.Amount - c.Subtotal - c.Shipping - c.TipAmount, c.Subtotal}
	}
	if diff := cmp.Diff(map[string][3]money.Cents{"film": {13, 13, 5000}, "game": {777, 777, 6000}}, got); diff != "" {
		t.Errorf("tax and subtotal (-want +got):\n%s", diff)
	}
	if len(provider.requests) != 2 {
		t.Fatalf("%d tax requests, want 2", len(provider.requests))
	}
	var asked []string
	for _, q := range provider.requests {
		for _, l := range q.Lines {
			asked = append(asked, fmt.Sprintf("%s %s %s %d", q.Destination.Country, l.Kind, l.ID, l.Amount))
		}
		if !q.At.Equal(w.clock()) {
			t.Errorf("tax request for the time %s", q.At)
		}
	}
	if diff := cmp.Diff([]string{"DE tier seat 5000", "US tier box 6000", "US shipping  700"}, asked); diff != "" {
		t.Errorf("tax requests (-want +got):\n%s", diff)
	}
}

// A session's metadata describes its cart: the campaign where it was started,
// which is not necessarily the first, and whether anything is shipped.
//
// Proves CHK-11.
func TestStart_SessionMetadata(t *testing.T) {
	w := newFixture(t)
	for slug, physical := range map[string]string{"film": "false", "game": "true"} {
		r := request("a@example.org", one("film__thanks"))
		if physical == "true" {
			r = shipped(request("a@example.org", one("film__thanks"), one("game__box")))
		}
		r.CampaignSlug = slug
		s := must[psp.Session](t)(w.svc.Processor.Session(w.ctx, w.start(r).SessionID))
		if got := s.Metadata; got["campaignSlug"] != slug || got["hasPhysical"] != physical ||
			got["tipPercent"] != "5" || got["preferredLang"] != "en" {
			t.Errorf("started at %s: %v", slug, got)
		}
	}
}

// Proves CHK-34.
func TestStart_HostedPage(t *testing.T) {
	w := newFixture(t)
	w.svc.Settings.PublishableKey = ""
	s := w.start(request("a@example.org", one("film__thanks")))
	if s.UIMode != "hosted" || s.URL == "" || s.ClientSecret != "" || s.PublishableKey != "" {
		t.Errorf("started: %+v", s)
	}
}

// An add-on's price is that of its definition or variant, regardless of the request.
//
// Proves CHK-16.
func TestStart_AddOnPrices(t *testing.T) {
	w := newFixture(t)
	w.files["add-ons.yml"].Data = bytes.Replace([]byte(addOnsFile), []byte("price: 30, inventory: 0"),
		[]byte("price: 30"), 1)
	w.files["add-ons.yml"].Data = append(w.files["add-ons.yml"].Data, "  - {id: mug, name: Another mug, price: 9}\n"...)
	w.reload()
	priced := func(id string) checkout.Item { return checkout.Item{ID: id, Quantity: new(2), Amount: new(int64(1))} }
	s := w.start(shipped(request("a@example.org", seats(1), priced("film__addon__mug"), priced("addon__sticker"),
		priced("addon__shirt__variant__s"), priced("addon__shirt__variant__xl"), priced("addon__mug"))))
	got := map[string]money.Cents{}
	for _, l := range s.Campaigns[0].Lines {
		got[l.Name+l.Variant] = l.Amount
	}
	want := map[string]money.Cents{"Seat": 2500, "Mug": 2400, "Sticker": 800, "Shirts": 5600,
		"Shirtxl": 6000, "Another mug": 1800}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Proves CHK-33.
func TestStarted_JSONFields(t *testing.T) {
	w := newFixture(t)
	b, err := json.Marshal(w.start(request("a@example.org", one("film__thanks"))))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"checkoutUiMode", "sessionId", "clientSecret", "publishableKey", "orderId",
		"checkoutToken", "expiresAt", "amount", "campaigns", "consent"} {
		if _, ok := fields[f]; !ok {
			t.Errorf("no field %s", f)
		}
	}
	if got := string(fields["checkoutUiMode"]); got != `"custom"` {
		t.Errorf("mode %s", got)
	}
}
