package settlement

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// canCancel checks the result of CanCancel for a pledge.
func (w *fixture) canCancel(name, id string, want bool) {
	w.t.Helper()
	p, err := w.svc.Orders.Pledge(w.ctx, id)
	w.ok(err)
	if got, err := w.svc.CanCancel(w.ctx, p); err != nil || got != want {
		w.t.Errorf("%s can be cancelled: %t %v, want %t", name, got, err, want)
	}
}

// Only a pledge that settlement cannot charge is accepted by CancelUnchargeable.
func TestCancelUnchargeable(t *testing.T) {
	w := newFixture(t)
	fine := w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardChargeDeclined)
	bare := w.pledge("cleo", "film", 700, "none")
	_, err := w.svc.CancelUnchargeable(w.ctx, bare)
	wantCode(t, "before the deadline", err, fault.Conflict)
	w.canCancel("before the deadline", bare, false)
	w.deadline()
	_, err = w.svc.CancelUnchargeable(w.ctx, fine)
	wantCode(t, "chargeable pledge", err, fault.Conflict)
	_, err = w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	late := w.pledge("ana", "film", 900, sim.CardOK)
	for name, id := range map[string]string{"charged pledge": fine,
		"failed pledge whose card may be replaced": w.pledgesOf["bob"][0]} {
		_, err = w.svc.CancelUnchargeable(w.ctx, id)
		wantCode(t, name, err, fault.Conflict)
		w.canCancel(name, id, false)
	}
	w.canCancel("late pledge", late, true)
	w.canCancel("pledge without a card", bare, true)
	for _, id := range []string{late, bare, bare} { // the last response was lost
		p, err := w.svc.CancelUnchargeable(w.ctx, id)
		w.ok(err)
		if p.Status != pledge.Cancelled {
			t.Errorf("%s is %s", id, p.Status)
		}
		w.canCancel("cancelled pledge", id, false)
	}
	if diff := cmp.Diff([]string{"cancelled ana", "cancelled cleo", "charged ana", "update_card bob"},
		w.mails()); diff != "" {
		t.Error(diff)
	}
	r, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if r.CompletedAt == nil || len(r.Skipped) != 0 {
		t.Errorf("the settlement is not complete: %+v", r.Skipped)
	}
}

// A restored database has a pledge with outdated terms, its payment is refunded, and two
// operators state that nothing was charged. The pledge is held because of its terms, and
// operators cancel it.
func TestCancelUnchargeable_AfterAVoidAttempt(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	before := w.db.Snapshot()
	w.change("ana", 0, 500)
	w.deadline()
	w.settle("film", false)
	w.db.Restore(before)
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	g := w.group("ana", "film")
	if g.Reason != state.AmountDiffers {
		t.Fatalf("the charge is %s (%s)", g.Status, g.Reason)
	}
	_, err := w.sim.Refund(g.PaymentIntentID, 0)
	w.ok(err)
	w.stateNothingCharged(g)
	w.settle("film", false)
	if p := w.pledgeByID(id); p.Charged || len(w.charged()) != 2 {
		t.Fatalf("the pledge is %s, charged %v", p.Status, w.charged())
	}
	p, err := w.svc.CancelUnchargeable(w.ctx, id)
	w.ok(err)
	if p.Status != pledge.Cancelled {
		t.Errorf("the pledge is %s", p.Status)
	}
}
