package httpapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// paintedSet returns a cart with one painted set, a reward limited to three units.
func paintedSet() checkout.Cart {
	return checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__painted-set"}}, ShippingAddress: &home}
}

// begin starts a checkout of a limited reward from an address.
func (e *edge) begin(address string) httpapi.Response {
	e.t.Helper()
	body, err := json.Marshal(checkout.StartRequest{Email: "c@example.com", Cart: paintedSet()})
	if err != nil {
		e.t.Fatal(err)
	}
	return e.from(address, "POST", "/checkout-intent/start", body)
}

// One network can hold only a share of the units, no matter how many addresses it uses.
func TestReservations_SharePerNetwork(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.wantStatus(e.begin("2001:db8:0:1::1"), 200)
	for _, address := range []string{"2001:db8:0:1::1", "2001:db8:0:1:ffff::9"} {
		r := e.begin(address)
		if f := decode[failure](t, r); r.Status != 409 || f.Code != "busy" || f.Field != "items[0].quantity" {
			t.Errorf("%s: %d %s", address, r.Status, r.Body)
		}
	}
	e.wantStatus(e.begin("2001:db8:0:2::1"), 200)
	if f := decode[failure](t, e.begin("2001:db8:0:3::1")); f.Code != "busy" { // the same /48 cannot hold the last unit
		t.Errorf("third /64 of the same /48: %+v", f)
	}
	e.wantStatus(e.begin("192.0.2.1"), 200)
}

// The checkout page extends the reservation, and a returning browser resumes the checkout.
func TestReservations_ExtendAndResume(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s := e.start("a@example.com", paintedSet())
	mine := checkout.OpenRequest{OrderID: s.OrderID, Token: s.Token}
	e.Advance(4 * time.Minute)
	kept := decode[checkout.Extended](t, e.post("/checkout-intent/extend", mine))
	if want := e.Now().Add(checkout.HoldLife); !kept.HeldUntil.Equal(want) {
		t.Errorf("reserved until %s, want %s", kept.HeldUntil, want)
	}
	again := decode[checkout.Started](t, e.post("/checkout-intent/resume", mine))
	if again.SessionID != s.SessionID || again.ClientSecret != s.ClientSecret || again.Token != s.Token {
		t.Errorf("resumed %+v, started %+v", again, s)
	}
	paths := []string{"/checkout-intent/extend", "/checkout-intent/resume"}
	for _, path := range paths {
		e.wantStatus(e.post(path, checkout.OpenRequest{OrderID: s.OrderID, Token: "x.y"}), 401)
	}
	e.post("/checkout-intent/abandon", mine)
	for _, path := range paths {
		e.wantFailure(e.post(path, mine), 410, "This checkout has ended, and its units are no longer reserved")
	}
}
