package settlement

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// unansweredCharges returns a fixture with thirty supporters, of whom the first twenty were
// charged without an answer.
func unansweredCharges(t *testing.T, card string) *fixture {
	w := newFixture(t)
	for i := range 30 {
		w.pledge(fmt.Sprintf("s%d", i), "film", 2500, card)
	}
	w.deadline()
	w.conn.chargesLost = true
	settleSilently(t, w, "at first", 20)
	return w
}

// settleSilently settles, expects that to be refused, and compares the number of charges sent
// so far.
func settleSilently(t *testing.T, w *fixture, when string, sent int) {
	t.Helper()
	_, err := w.service().Settle(w.ctx, "film", false) // by a new process
	wantCode(t, when, err, fault.Conflict)
	if n := len(w.conn.charges); n != sent {
		t.Fatalf("%s: %d charges were sent, want %d", when, n, sent)
	}
}

func countLookups(w *fixture) (n int) {
	for _, name := range w.names {
		if g := w.group(name, "film"); g != nil {
			n += g.Asks
		}
	}
	return n
}

// After twenty charges in a row without an answer, the others wait. A probe is sent at
// intervals, and an answer to it lets the others continue.
func TestBreaker_Silence(t *testing.T) {
	w := unansweredCharges(t, sim.CardOK)
	w.now = w.now.Add(29 * time.Minute)
	asked := countLookups(w)
	settleSilently(t, w, "before the next probe", 20)
	if n := countLookups(w) - asked; n != 20 {
		t.Errorf("%d lookups for 20 charges", n)
	}
	w.now = w.now.Add(time.Minute)
	settleSilently(t, w, "when one is tried", 21)
	settleSilently(t, w, "right after it", 21)
	w.now = w.now.Add(30 * time.Minute)
	w.conn.chargesLost = false
	r, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.now = w.now.Add(time.Hour)
	again, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if n := r.SupportersCharged + again.SupportersCharged; n != 30 || again.CompletedAt == nil {
		t.Errorf("finally %d are charged", n)
	}
	w.ok(w.sim.Check())
}

// Any answer to a charge ends the wait, including an inconclusive one.
func TestBreaker_AnswerEndsSilence(t *testing.T) {
	w := unansweredCharges(t, sim.CardProcessing+":900h")
	w.conn.chargesLost = false
	w.now = w.now.Add(30 * time.Minute)
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if n := w.sim.Received(sim.CreateIntent); n != 30 {
		t.Errorf("%d charges arrived", n)
	}
}

// After an operator's release, all charges are sent again.
func TestBreaker_ReleaseFromSilence(t *testing.T) {
	w := unansweredCharges(t, sim.CardOK)
	w.conn.chargesLost = false
	w.now = w.now.Add(20 * time.Minute)
	h, err := w.svc.Release(w.ctx, "film")
	if err != nil || h == nil || h.Unanswered != 20 {
		t.Fatalf("released: %+v, %v", h, err)
	}
	r, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	if r.SupportersCharged != 30 {
		t.Errorf("%d are charged", r.SupportersCharged)
	}
}

// A charge that another run completes just before it is sent again is not sent. It is not
// treated as postponed, so the caller gets the current state.
func TestCharge_CompletedByAnotherRun(t *testing.T) {
	for name, held := range map[string]bool{"nothing is held": false, "held for another charge": true} {
		w := newFixture(t)
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent}))
		w.deadline()
		w.settle("film", false)
		w.pledge("bob", "film", 700, sim.CardOK)
		w.settle("film", false)
		sent := len(w.conn.charges)
		w.now = w.now.Add(time.Hour)
		w.conn.watch = func(op memkv.Op) error {
			if op.Command.Kind != "attempt" {
				return nil
			}
			w.conn.watch = nil
			object := state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}
			_, err := object.RecordResult(w.ctx, state.Lease{}, *w.group("ana", "film"),
				state.Result{Status: psp.Declined, PaymentID: "pi_1", Code: "card_declined"})
			if held && err == nil {
				_, err = object.RecordResult(w.ctx, state.Lease{}, *w.group("bob", "film"),
					state.Result{Status: psp.NotStarted, Barred: true, RequestID: "req_1"})
			}
			return err
		}
		wantCode(t, name, w.svc.RetryCard(w.ctx, "film", email("ana")), fault.Conflict)
		if n := len(w.conn.charges) - sent; n != 0 || w.group("ana", "film").Status != state.Failed {
			t.Errorf("%s: %d charges were sent, and the group is %s", name, n, w.group("ana", "film").Status)
		}
	}
}
