package checkout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// startAndLoseOrder creates a checkout with a saved card and restores the database to the state
// before. It returns the checkout and the manifest that the supporter accepted.
func (w *fixture) startAndLoseOrder(r checkout.StartRequest) (checkout.Started, order.Manifest, order.Accepted) {
	w.t.Helper()
	backup := w.db.Snapshot()
	started := w.pledge(r)
	o := must[order.Order](w.t)(w.svc.Orders.Get(w.ctx, started.OrderID))
	accepted := must[order.Accepted](w.t)(w.svc.Orders.Accepted(w.ctx, started.OrderID))
	w.db.Restore(backup)
	return started, o.Manifest, accepted
}

func (w *fixture) lostOrders() []checkout.LostOrder {
	w.t.Helper()
	return must[[]checkout.LostOrder](w.t)(w.svc.LostOrders(w.ctx, w.clock().Add(-48*time.Hour)))
}

// A saved card whose order is lost is listed. Its order can be restored from the
// manifest that was accepted with it, and from no other.
func TestAdopt_LostOrder(t *testing.T) {
	w := newFixture(t)
	w.pledge(request("b@example.org", seats(1)))
	s, m, accepted := w.startAndLoseOrder(request("a@example.org", seats(1)))
	want := []checkout.LostOrder{{SessionID: s.SessionID, OrderID: s.OrderID, CampaignSlug: "film",
		AmountCents: amountCents(m)}}
	if diff := cmp.Diff(want, w.lostOrders()); diff != "" {
		t.Fatalf("lost (-want +got):\n%s", diff)
	}
	other := m
	other.TipPercent++
	text, err := json.Marshal(other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.Adopt(w.ctx, s.SessionID,
		must[order.Accepted](t)(order.ReadAccepted(text))); codeOf(err) != fault.Conflict {
		t.Errorf("another manifest: %v", err)
	}
	for range 2 { // the response was lost
		o := must[order.Order](t)(w.svc.Adopt(w.ctx, s.SessionID, accepted))
		if p := w.read(o.Pledges[0].OrderID); p.Status != pledge.Active || p.Amount != m.Amount {
			t.Errorf("pledge is %s, amount %s", p.Status, p.Amount)
		}
	}
	if n := len(w.lostOrders()); n != 0 || w.stock("film", "tier/seat").Committed != 2 {
		t.Errorf("%d lost orders, stock %+v", n, w.stock("film", "tier/seat"))
	}
	if err := w.svc.AskToPledgeAgain(w.ctx, s.SessionID); codeOf(err) != fault.Conflict {
		t.Errorf("asked again: %v", err)
	}
}

// amountCents returns the manifest's total in cents, as in the session's metadata.
func amountCents(m order.Manifest) string {
	return strings.NewReplacer("$", "", ".", "").Replace(m.Amount.String())
}

// If the order cannot be recovered, its supporter is asked once to pledge again,
// and the order is no longer listed.
func TestAskToPledgeAgain(t *testing.T) {
	w := newFixture(t)
	s, _, _ := w.startAndLoseOrder(request("a@example.org", seats(1)))
	if err := w.svc.AskToPledgeAgain(w.ctx, s.SessionID); err != nil {
		t.Fatal(err)
	}
	if n := len(w.lostOrders()); n != 0 {
		t.Errorf("%d lost orders, want 0", n)
	}
	if err := w.svc.AskToPledgeAgain(w.ctx, s.SessionID); codeOf(err) != fault.Conflict {
		t.Errorf("asked twice: %v", err)
	}
	if end := w.finalState(); strings.Count(end, "email-outbox:v1:") != 1 {
		t.Errorf("want one queued mail:\n%s", end)
	}
}

// A supporter whose card was charged is not asked to pledge again. Charges to other cards are
// ignored.
func TestAskToPledgeAgain_ChargedCard(t *testing.T) {
	for charged, want := range map[string]fault.Code{"their card": fault.Conflict, "another order's": ""} {
		w := newFixture(t)
		other := w.pledge(request("b@example.org", seats(1)))
		s, m, _ := w.startAndLoseOrder(request("a@example.org", seats(1)))
		session := s.SessionID
		if want == "" {
			session = other.SessionID
		}
		card := must[psp.Session](t)(w.sim.Processor().Session(w.ctx, session))
		o := w.sim.Processor().
			Charge(w.ctx, psp.NewCharge{Key: "k", Group: "g", Amount: m.Amount, CustomerID: card.CustomerID,
				PaymentMethodID: card.PaymentMethodID, NotAfter: w.clock().Add(time.Hour)})
		if err := w.svc.AskToPledgeAgain(w.ctx, s.SessionID); o.Status != psp.Succeeded || codeOf(err) != want {
			t.Errorf("charge of %s (%s), then AskToPledgeAgain: %v", charged, o.Status, err)
		}
	}
}

// Units that are sold out are not sold again for a lost order.
func TestAdopt_SoldOut(t *testing.T) {
	w := newFixture(t)
	s, _, m := w.startAndLoseOrder(request("a@example.org", seats(2)))
	w.pledge(request("b@example.org", seats(2)))
	if _, err := w.svc.Adopt(w.ctx, s.SessionID, m); codeOf(err) != fault.SoldOut {
		t.Fatalf("adopted: %v", err)
	}
	if err := w.svc.AskToPledgeAgain(w.ctx, s.SessionID); err != nil || len(w.lostOrders()) != 0 {
		t.Errorf("asked again: %v", err)
	}
}

// Open sessions, sessions of other services with the same account, and card
// updates are not listed as lost orders.
func TestLostOrders_OtherSessions(t *testing.T) {
	w := newFixture(t)
	w.start(request("a@example.org", seats(1)))
	customer := must[string](t)(w.svc.Processor.CreateCustomer(w.ctx,
		psp.NewCustomer{Key: "theirs", Email: "x@example.org"}))
	w.save(must[psp.Session](t)(w.svc.Processor.StartSetup(w.ctx, psp.NewSetup{
		Key: "theirs too", CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://other.example/",
		Expires: w.clock().Add(time.Hour),
	})).ID)
	backup := w.db.Snapshot()
	s := w.pledge(request("b@example.org", seats(1)))
	w.save(must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx,
		checkout.CardRequest{Token: w.link(s.OrderID)})).SessionID)
	w.db.Restore(backup)
	var lost []string
	for _, l := range w.lostOrders() {
		lost = append(lost, l.SessionID)
	}
	if diff := cmp.Diff([]string{s.SessionID}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}
