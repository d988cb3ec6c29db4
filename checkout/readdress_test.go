package checkout_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/shipping"
)

// zoned is a carrier with a surcharge outside of New Mexico.
type zoned struct{}

func (zoned) Rate(_ context.Context, s shipping.Shipment) (shipping.Rate, error) {
	if strings.HasPrefix(s.To.PostalCode, "87") {
		return shipping.Rate{Price: 300, Source: "near"}, nil
	}
	return shipping.Rate{Price: 900, Source: "far"}, nil
}

// pledgeWithCarrier creates a pledge that is shipped to homeAddress at the rate of the zoned
// carrier.
func (w *fixture) pledgeWithCarrier() (orderID string) {
	w.t.Helper()
	w.withCarrier()
	w.svc.Shipping = shipping.Rules{FlatRate: 300, OriginCountry: "US", Carrier: zoned{}}
	r := request("ada@example.org", one("film__poster"))
	r.ShippingAddress = homeAddress()
	return w.pledge(r).OrderID
}

func readdressing(orderID, id string, change func(*pledge.Address)) checkout.Readdressing {
	to := homeAddress()
	change(to)
	return checkout.Readdressing{CampaignSlug: "film", OrderID: orderID, ShippingAddress: to,
		Reason: "Moved house", ChangeID: id}
}

// wantRejectedAddress checks that an address change fails with a code and field and changes
// nothing.
func (w *fixture) wantRejectedAddress(what string, r checkout.Readdressing, code fault.Code, field string) {
	w.t.Helper()
	before := w.dump()
	_, err := w.svc.Readdress(w.ctx, "ben@example.org", r)
	if f := fault.Of(err); f == nil || f.Code != code || f.Field != field {
		w.t.Errorf("%s: %v", what, err)
	}
	if w.dump() != before {
		w.t.Errorf("%s: the store was changed", what)
	}
}

// While a campaign is live, an operator can change the address only if the pledge's total stays the
// same: the supporter has to accept any other total.
func TestReaddress_KeepsTotal(t *testing.T) {
	w := newFixture(t)
	id := w.pledgeWithCarrier()
	before := w.read(id)
	w.wantRejectedAddress("higher shipping", readdressing(id, "1",
		func(a *pledge.Address) { a.PostalCode, a.State = "10001", "NY" }), fault.Conflict, "shippingAddress")
	near := readdressing(id, "1", func(a *pledge.Address) { a.Line1, a.PostalCode = "2 Main St", "87501" })
	for range 2 {
		p, err := w.svc.Readdress(w.ctx, "ben@example.org", near)
		if err != nil || p.ShippingAddress.Line1 != "2 Main St" || p.ShippingAddress.Country != "US" ||
			p.Totals != before.Totals || p.Revision != before.Revision+1 {
			t.Fatalf("nearby: %+v, %v", p, err)
		}
	}
	if kept, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id)); err != nil ||
		kept.ShippingAddress.Line1 != "2 Main St" {
		t.Errorf("stored address: %+v, %v", kept.ShippingAddress, err)
	}
	d, err := w.svc.Outbox.Delivery(w.ctx, "readdressed:"+id+":2")
	if err != nil || d.Kind != notify.Readdressed {
		t.Errorf("email to the supporter: %+v, %v", d, err)
	}
}

// An unchanged address is not recorded or emailed. An ID and a reason of the maximum length are
// accepted.
func TestReaddress_SameAddress(t *testing.T) {
	w := newFixture(t)
	id := w.pledgeWithCarrier()
	r := readdressing(id, strings.Repeat("x", 64), func(*pledge.Address) {})
	r.Reason = strings.Repeat("x", 500)
	before := w.dump()
	if p, err := w.svc.Readdress(w.ctx, "ben@example.org", r); err != nil || p.Revision != 1 {
		t.Errorf("readdressed: %+v, %v", p, err)
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
	r.ShippingAddress.Line1 = "2 Main St"
	if p, err := w.svc.Readdress(w.ctx, "ben@example.org", r); err != nil || p.Revision != 2 {
		t.Errorf("moved: %+v, %v", p, err)
	}
}

// After the campaign's end the amounts are frozen, and an address anywhere in the same country is
// accepted.
func TestReaddress_AfterDeadline(t *testing.T) {
	w := newFixture(t)
	id := w.pledgeWithCarrier()
	before := w.read(id)
	w.advance(60 * 24 * time.Hour)
	w.wantRejectedAddress("another country", readdressing(id, "1", func(a *pledge.Address) {
		a.Country, a.State = "CA", "ON"
	}), fault.Invalid, "shippingAddress.country")
	p, err := w.svc.Readdress(w.ctx, "ben@example.org",
		readdressing(id, "1", func(a *pledge.Address) { a.PostalCode, a.State = "10001", "NY" }))
	if err != nil || p.ShippingAddress.State != "NY" || p.Totals != before.Totals {
		t.Errorf("moved: %+v, %v", p, err)
	}
}

// Invalid addresses and pledges of other campaigns are rejected before anything
// is written.
func TestReaddress_Invalid(t *testing.T) {
	w := newFixture(t)
	id := w.pledgeWithCarrier()
	same := func(*pledge.Address) {}
	with := func(change func(*checkout.Readdressing)) checkout.Readdressing {
		r := readdressing(id, "1", func(a *pledge.Address) { a.Line1 = "2 Main St" })
		change(&r)
		return r
	}
	w.wantRejectedAddress("no ID", readdressing(id, "", same), fault.Invalid, "changeId")
	w.wantRejectedAddress("ID too long", readdressing(id, strings.Repeat("x", 65), same), fault.Invalid, "changeId")
	w.wantRejectedAddress("no reason", with(func(r *checkout.Readdressing) { r.Reason = "" }), fault.Invalid, "reason")
	w.wantRejectedAddress("reason too long",
		with(func(r *checkout.Readdressing) { r.Reason = strings.Repeat("x", 501) }),
		fault.Invalid, "reason")
	w.wantRejectedAddress("no address", with(func(r *checkout.Readdressing) { r.ShippingAddress = nil }),
		fault.Invalid, "shippingAddress.name")
	w.wantRejectedAddress("no street", readdressing(id, "1", func(a *pledge.Address) { a.Line1 = " " }),
		fault.Invalid, "shippingAddress.line1")
	w.wantRejectedAddress("no city", readdressing(id, "1", func(a *pledge.Address) { a.City = "" }),
		fault.Invalid, "shippingAddress.city")
	w.wantRejectedAddress("no country", readdressing(id, "1", func(a *pledge.Address) { a.Country = "" }),
		fault.Invalid, "shippingAddress.country")
	w.wantRejectedAddress("not a phone number", readdressing(id, "1", func(a *pledge.Address) { a.Phone = "none" }),
		fault.Invalid, "shippingAddress.phone")
	w.wantRejectedAddress("another campaign", with(func(r *checkout.Readdressing) { r.CampaignSlug = "game" }),
		fault.NotFound, "orderId")
	w.wantRejectedAddress("unknown order", with(func(r *checkout.Readdressing) {
		r.OrderID = "pw-01arz3ndektsv4rrffq69g5fav"
	}), fault.NotFound, "orderId")
	w.wantRejectedAddress("malformed order ID", with(func(r *checkout.Readdressing) { r.OrderID = "x" }),
		fault.Invalid, "orderId")
	w.wantRejectedAddress("outdated revision", with(func(r *checkout.Readdressing) { r.ExpectedRevision = 7 }),
		fault.Conflict, "")
	digital := w.pledge(request("ben@example.org", one("film__thanks"))).OrderID
	w.wantRejectedAddress("nothing to send", readdressing(digital, "1", same), fault.Conflict, "")
}
