package settlement

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A pause holds one campaign's charges until they are resumed, before and after the deadline.
func TestPause_HoldsCharges(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	held, err := w.svc.Pause(w.ctx, "film", "the printer is late")
	w.ok(err)
	if held.Paused != "the printer is late" || !held.Since.Equal(w.now) {
		t.Errorf("paused: %+v", held)
	}
	w.deadline()
	if _, err := w.svc.Settle(w.ctx, "film", false); !fault.Is(err, fault.Conflict) {
		t.Errorf("a paused settlement: %v", err)
	}
	st, err := w.svc.Status(w.ctx, "film")
	w.ok(err)
	if st.Held == nil || st.MayStart || len(w.charged()) != 0 {
		t.Errorf("while paused: held for %+v, may start %t, charged %v", st.Held, st.MayStart, w.charged())
	}
	released, err := w.svc.Release(w.ctx, "film")
	w.ok(err)
	if released == nil || released.Paused == "" {
		t.Errorf("released: %+v", released)
	}
	w.settle("film", false)
	if len(w.charged()) != 2 {
		t.Errorf("after it was resumed: charged %v", w.charged())
	}
	if _, err := w.svc.Pause(w.ctx, "film", "too late"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a pause of a settled campaign: %v", err)
	}
}

// A pause requires a reason and a campaign that can be charged. It does not hide the breaker's
// cause.
func TestPause_Refused(t *testing.T) {
	w, _ := missedFixture(t)
	if _, err := w.svc.Pause(w.ctx, "album", "a doubt"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a campaign that missed its goal: %v", err)
	}
	w = newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	for _, reason := range []string{"", "<b>"} {
		if _, err := w.svc.Pause(w.ctx, "film", reason); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != "reason" {
			t.Errorf("the reason %q: %v", reason, err)
		}
	}
	if _, err := w.svc.Pause(w.ctx, "nowhere", "a doubt"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown campaign: %v", err)
	}
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.APIKeyRevoked, Op: sim.CreateIntent}))
	_, _ = w.svc.Dispatch(w.ctx, "film")
	if held, err := w.svc.Pause(w.ctx, "film", "a doubt"); err != nil || !held.Barred || held.Paused != "" {
		t.Errorf("while the key is rejected: %+v, %v", held, err)
	}
}
