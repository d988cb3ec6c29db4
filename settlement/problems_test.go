package settlement

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func (w *fixture) problems() state.Problems {
	w.t.Helper()
	p, err := w.svc.Problems(w.ctx, "film")
	w.ok(err)
	return p
}

// A charge that waits for operators is a problem until it is resolved, regardless of the last
// job.
func TestProblems_Attention(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	if p := w.problems(); p.Attention || p.Held != nil || p.Job != nil || p.Disagreements != 0 {
		t.Errorf("before the first run: %+v", p)
	}
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.PartialCapture, Op: sim.CreateIntent}))
	w.settle("film", false)
	if p := w.problems(); !p.Attention || p.Job != nil {
		t.Errorf("another amount: %+v", p)
	}
	g := w.group("ana", "film")
	for _, operator := range []string{"ada", "eve"} {
		_, err := w.svc.Resolve(w.ctx, "film", operator,
			state.Statement{Group: g.Hash, PaymentID: g.PaymentIntentID, AcceptAmount: true})
		w.ok(err)
	}
	if p := w.problems(); p.Attention {
		t.Errorf("accepted: %+v", p)
	}
}

func TestProblems_Held(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.APIKeyRevoked, Op: sim.CreateIntent}))
	_, _ = w.svc.Dispatch(w.ctx, "film")
	if p := w.problems(); p.Held == nil || !p.Held.Barred || p.Job == nil || p.Attention {
		t.Errorf("held: %+v", p)
	}
	_, err := w.svc.Release(w.ctx, "film")
	w.ok(err)
	if p := w.problems(); p.Held != nil {
		t.Errorf("released: %+v", p)
	}
}

// Pledges whose terms differ from the processor's record are counted until two operators accept
// them.
func TestProblems_Disagreements(t *testing.T) {
	w := newFixture(t)
	first := w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("cleo", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.restore(func() { w.change("ana", 0, 300); w.change("cleo", 0, 300) })
	w.deadline()
	w.resume()
	w.settle("film", false)
	for _, operator := range []string{"ada", "eve"} {
		if p := w.problems(); p.Disagreements != 2 || p.Attention {
			t.Errorf("before %s decides: %+v", operator, p)
		}
		_, err := w.svc.AcceptTerms(w.ctx, "film", operator, first, "a test")
		w.ok(err)
	}
	if p := w.problems(); p.Disagreements != 1 {
		t.Errorf("after one is accepted: %+v", p)
	}
}
