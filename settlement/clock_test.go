package settlement

import (
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// The clock is 60 days ahead when the deadline is checked, and correct when it is compared
// with the processor's.
func TestSettle_ClockRightAfterTheDeadlineCheck(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	asked := 0
	w.svc.Now = func() time.Time {
		if asked++; asked <= 2 {
			return w.now.Add(60 * day)
		}
		return w.now
	}
	w.settle("film", false)
	if n := len(w.charged()); n != 0 {
		t.Errorf("%d were charged a month before the deadline", n)
	}
}

// The clock jumps at each effect of a run in turn and is correct again afterwards. Nothing is
// charged twice, and the settlement completes.
func TestSettle_ClockJumpsAnywhere(t *testing.T) {
	for _, jump := range []time.Duration{60 * day} {
		for cut := 1; cut < 120; cut++ {
			w := newFixture(t)
			w.pledge("ana", "film", 700, sim.CardOK)
			w.pledge("bob", "film", 2500, sim.CardOK)
			w.deadline()
			n := 0
			w.conn.watch = func(memkv.Op) error {
				if n++; n == cut {
					w.now = w.now.Add(jump)
					w.sim.Advance(-jump)
				}
				return nil
			}
			_, _ = w.svc.Settle(w.ctx, "film", false)
			w.conn.watch = nil
			if n < cut {
				break
			}
			w.now = w.now.Add(-jump)
			w.sim.Advance(jump)
			for range 30 {
				_, _ = w.svc.Settle(w.ctx, "film", false)
				w.now = w.now.Add(time.Hour)
			}
			_, done := w.completedAt("film")
			if got := w.charged(); !slices.Equal(got, []money.Cents{700, 2500}) || !done {
				t.Errorf("jump of %s at %d: charged %v, complete %t, ana %s, bob %s", jump, cut, got,
					done, w.showGroup("ana"), w.showGroup("bob"))
			}
		}
	}
}
