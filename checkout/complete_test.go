package checkout_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves PLG-40, PLG-41, CHK-37.
func TestComplete_MissedWebhook(t *testing.T) {
	w := newFixture(t)
	a := w.start(request("a@example.org", one("film__thanks")))
	if _, err := w.svc.Complete(w.ctx,
		checkout.CompleteRequest{OrderID: a.OrderID, SessionID: a.SessionID}); codeOf(err) != fault.Conflict {
		t.Errorf("open session: %v", err)
	}
	w.save(a.SessionID)
	got := must[checkout.Completed](t)(w.svc.Complete(w.ctx,
		checkout.CompleteRequest{OrderID: a.OrderID, SessionID: a.SessionID}))
	if got != (checkout.Completed{Success: true, Recovered: true, Persisted: true, OrderID: a.OrderID}) {
		t.Errorf("completed: %+v", got)
	}
	before, asked := w.finalState(), w.sim.Received("")
	got = must[checkout.Completed](t)(w.svc.Complete(w.ctx,
		checkout.CompleteRequest{OrderID: a.OrderID, SessionID: a.SessionID}))
	if got.Recovered || !got.Persisted {
		t.Errorf("completed again: %+v", got)
	}
	if diff := cmp.Diff(before, w.finalState()); diff != "" {
		t.Error(diff)
	}
	if n := w.sim.Received(""); n != asked {
		t.Errorf("repeated call sent %d requests", n-asked)
	}
	b := w.start(request("b@example.org", one("film__thanks")))
	w.save(b.SessionID)
	if _, err := w.svc.Recover(w.ctx,
		checkout.RecoverRequest{SessionID: b.SessionID, OrderID: a.OrderID}); codeOf(err) != fault.Conflict {
		t.Errorf("Recover with another order's ID: %v", err)
	}
	if _, err := w.svc.Complete(w.ctx,
		checkout.CompleteRequest{OrderID: a.OrderID, SessionID: b.SessionID}); codeOf(err) != fault.Conflict {
		t.Errorf("Complete with another order's session: %v", err)
	}
	rec := must[checkout.Completed](t)(w.svc.Recover(w.ctx,
		checkout.RecoverRequest{SessionID: b.SessionID, OrderID: b.OrderID}))
	if !rec.Recovered || rec.OrderID != b.OrderID || w.read(b.OrderID).Status != pledge.Active ||
		storedStatus(w, b.OrderID) != "active1" {
		t.Errorf("recovered: %+v", rec)
	}
	if _, err := w.svc.Recover(w.ctx,
		checkout.RecoverRequest{SessionID: "cs_test_nothing"}); codeOf(err) != fault.NotFound {
		t.Errorf("unknown session: %v", err)
	}
}

// A card update session belongs to one pledge, even within an order.
//
// Proves CHK-37.
func TestComplete_CardOfOnePledge(t *testing.T) {
	w := newFixture(t)
	id := w.pledge(shipped(request("a@example.org", seats(1), one("game__box")))).OrderID
	other := w.pledge(request("b@example.org", one("film__thanks"))).OrderID
	card := must[checkout.CardStarted](t)(w.svc.StartCard(w.ctx, checkout.CardRequest{Token: w.link(id + "-film")}))
	w.save(card.SessionID)
	before := w.finalState()
	for _, order := range []string{id, id + "-game", other} {
		if _, err := w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: order, SessionID: card.SessionID}); codeOf(err) != fault.Conflict {
			t.Errorf("as %s: %v", order, err)
		}
	}
	if diff := cmp.Diff(before, w.finalState()); diff != "" {
		t.Error(diff)
	}
	must[checkout.Completed](t)(w.svc.Complete(w.ctx,
		checkout.CompleteRequest{OrderID: id + "-film", SessionID: card.SessionID}))
	if film, game := w.read(id+"-film"), w.read(id+"-game"); film.PaymentMethodID == game.PaymentMethodID ||
		film.Revision != 2 || game.Revision != 1 {
		t.Errorf("cards %s and %s", film.PaymentMethodID, game.PaymentMethodID)
	}
}

// Complete finishes a confirmation that was interrupted at any point.
func TestComplete_InterruptedWebhook(t *testing.T) {
	for cut, wasCut := 0, true; wasCut; cut++ {
		w := newFixture(t)
		s := w.start(request("a@example.org", seats(2)))
		w.save(s.SessionID)
		off := w.cutAt(cut)
		_ = w.deliver()
		wasCut = off()
		w.restore()
		must[checkout.Completed](t)(w.svc.Complete(w.ctx,
			checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}))
		all := w.db.Snapshot().Stores["PLEDGES"]
		if storedStatus(w, s.OrderID) != "active1" || len(keys(all, "email-outbox:v1:")) != 1 ||
			len(keys(all, "pending-")) != 0 {
			t.Errorf("cut at %d: stored status %s, mails %s, pending records %s", cut, storedStatus(w, s.OrderID),
				keys(all, "email-outbox:v1:"), keys(all, "pending-"))
		}
		w.wantPublicStock(fmt.Sprintf("cut at %d", cut), 0, 1)
	}
}

// A webhook that arrives after Complete has finished the confirmation only confirms the order again
// and records its event.
func TestWebhook_AfterComplete(t *testing.T) {
	w := newFixture(t)
	s := w.start(request("a@example.org", seats(2)))
	w.save(s.SessionID)
	must[checkout.Completed](t)(w.svc.Complete(w.ctx,
		checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}))
	var changes []string
	w.mu.Lock()
	w.fail = func(op memkv.Op) error {
		if !op.After && op.Kind != memkv.OpGet && op.Kind != memkv.OpList && op.Kind != memkv.OpQuery {
			kind, _, _ := strings.Cut(op.Key, ":")
			changes = append(changes, string(op.Kind)+" "+kind+op.Command.Kind)
		}
		return nil
	}
	w.mu.Unlock()
	if err := w.deliver(); err != nil {
		t.Fatal(err)
	}
	want := []string{"do confirm", "put processor-event", "put psp-event"}
	slices.Sort(changes) // other events are only recorded
	if diff := cmp.Diff(want, slices.Compact(changes)); diff != "" {
		t.Error(diff)
	}
}

// A webhook finishes a confirmation in which Complete was interrupted at any point.
func TestWebhook_AfterInterruptedComplete(t *testing.T) {
	for cut, wasCut := 0, true; wasCut; cut++ {
		w := newFixture(t)
		s := w.start(request("a@example.org", seats(2)))
		w.save(s.SessionID)
		off := w.cutAt(cut)
		_, _ = w.svc.Complete(w.ctx, checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID})
		wasCut = off()
		w.restore()
		if err := w.deliver(); err != nil {
			t.Fatal(err)
		}
		all := w.db.Snapshot().Stores["PLEDGES"]
		if storedStatus(w, s.OrderID) != "active1" || len(keys(all, "email-outbox:v1:")) != 1 ||
			len(keys(all, "pending-")) != 0 {
			t.Errorf("cut at %d: stored status %s, mails %s, pending records %s", cut, storedStatus(w, s.OrderID),
				keys(all, "email-outbox:v1:"), keys(all, "pending-"))
		}
		w.wantPublicStock(fmt.Sprintf("cut at %d", cut), 0, 1)
	}
}
