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

// forgotten is a checkout whose card is saved, and which the database has lost with all
// that followed; its manifest is what the supporter accepted.
func (w *world) forgotten(r checkout.StartRequest) (checkout.Started, order.Manifest, order.Accepted) {
	w.t.Helper()
	backup := w.db.Snapshot()
	started := w.pledge(r)
	o := must[order.Order](w.t)(w.svc.Orders.Get(w.ctx, started.OrderID))
	accepted := must[order.Accepted](w.t)(w.svc.Orders.Accepted(w.ctx, started.OrderID))
	w.db.Restore(backup)
	return started, o.Manifest, accepted
}

func (w *world) lost() []checkout.LostOrder {
	w.t.Helper()
	return must[[]checkout.LostOrder](w.t)(w.svc.LostOrders(w.ctx, w.clock().Add(-48*time.Hour)))
}

// A saved card whose order is lost is listed, and its order is taken in again by the
// manifest that was accepted with it, and by no other.
func TestALostOrderIsAdopted(t *testing.T) {
	w := newWorld(t)
	w.pledge(request("b@example.org", seats(1)))
	s, m, accepted := w.forgotten(request("a@example.org", seats(1)))
	want := []checkout.LostOrder{{SessionID: s.SessionID, OrderID: s.OrderID, CampaignSlug: "film", AmountCents: want(m)}}
	if diff := cmp.Diff(want, w.lost()); diff != "" {
		t.Fatalf("lost (-want +got):\n%s", diff)
	}
	other := m
	other.TipPercent++
	text, err := json.Marshal(other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.Adopt(w.ctx, s.SessionID, must[order.Accepted](t)(order.ReadAccepted(text))); code(err) != fault.Conflict {
		t.Errorf("another manifest: %v", err)
	}
	for range 2 { // the last answer was lost
		o := must[order.Order](t)(w.svc.Adopt(w.ctx, s.SessionID, accepted))
		if p := w.read(o.Pledges[0].OrderID); p.Status != pledge.Active || p.Amount != m.Amount {
			t.Errorf("the pledge is %s of %s", p.Status, p.Amount)
		}
	}
	if n := len(w.lost()); n != 0 || w.stock("film", "tier/seat").Committed != 2 {
		t.Errorf("%d orders are lost, and the stock is %+v", n, w.stock("film", "tier/seat"))
	}
	if err := w.svc.AskAgain(w.ctx, s.SessionID); code(err) != fault.Conflict {
		t.Errorf("asked again: %v", err)
	}
}

func want(m order.Manifest) string {
	return strings.NewReplacer("$", "", ".", "").Replace(m.Amount.String())
}

// Where the order is to be had nowhere, its supporter is asked to pledge again, once, and
// it is listed no more.
func TestASupporterIsAskedAgain(t *testing.T) {
	w := newWorld(t)
	s, _, _ := w.forgotten(request("a@example.org", seats(1)))
	if err := w.svc.AskAgain(w.ctx, s.SessionID); err != nil {
		t.Fatal(err)
	}
	if n := len(w.lost()); n != 0 {
		t.Errorf("%d orders are lost", n)
	}
	if err := w.svc.AskAgain(w.ctx, s.SessionID); code(err) != fault.Conflict {
		t.Errorf("asked twice: %v", err)
	}
	if end := w.end(); strings.Count(end, "email-outbox:v1:") != 1 {
		t.Errorf("nobody is written to:\n%s", end)
	}
}

// Nobody is told that nothing is charged whose card was; of others' cards it says nothing.
func TestWhoWasChargedIsNotAskedAgain(t *testing.T) {
	for charged, want := range map[string]fault.Code{"their card": fault.Conflict, "another's": ""} {
		w := newWorld(t)
		other := w.pledge(request("b@example.org", seats(1)))
		s, m, _ := w.forgotten(request("a@example.org", seats(1)))
		session := s.SessionID
		if want == "" {
			session = other.SessionID
		}
		card := must[psp.Session](t)(w.sim.Processor().Session(w.ctx, session))
		o := w.sim.Processor().Charge(w.ctx, psp.NewCharge{Key: "k", Group: "g", Amount: m.Amount, CustomerID: card.CustomerID,
			PaymentMethodID: card.PaymentMethodID, NotAfter: w.clock().Add(time.Hour)})
		if err := w.svc.AskAgain(w.ctx, s.SessionID); o.Status != psp.Succeeded || code(err) != want {
			t.Errorf("%s is charged (%s), and asked again: %v", charged, o.Status, err)
		}
	}
}

// What is gone is not sold twice for an order that was lost.
func TestALostOrderMayBeTooLate(t *testing.T) {
	w := newWorld(t)
	s, _, m := w.forgotten(request("a@example.org", seats(2)))
	w.pledge(request("b@example.org", seats(2)))
	if _, err := w.svc.Adopt(w.ctx, s.SessionID, m); code(err) != fault.SoldOut {
		t.Fatalf("adopted: %v", err)
	}
	if err := w.svc.AskAgain(w.ctx, s.SessionID); err != nil || len(w.lost()) != 0 {
		t.Errorf("asked again: %v", err)
	}
}

// What is no saved card of a checkout is not taken for a lost order: a page that is still
// open, what others do with the same account, another card for a pledge.
func TestWhatIsNoLostOrder(t *testing.T) {
	w := newWorld(t)
	w.start(request("a@example.org", seats(1)))
	customer := must[string](t)(w.svc.Processor.CreateCustomer(w.ctx, psp.NewCustomer{Key: "theirs", Email: "x@example.org"}))
	w.save(must[psp.Session](t)(w.svc.Processor.StartSetup(w.ctx, psp.NewSetup{
		Key: "theirs too", CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://other.example/", Expires: w.clock().Add(time.Hour),
	})).ID)
	backup := w.db.Snapshot()
	s := w.pledge(request("b@example.org", seats(1)))
	w.save(must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(s.OrderID)})).SessionID)
	w.db.Restore(backup)
	var lost []string
	for _, l := range w.lost() {
		lost = append(lost, l.SessionID)
	}
	if diff := cmp.Diff([]string{s.SessionID}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}
