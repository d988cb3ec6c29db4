package settlement

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// The time in which a payment can be repaired begins when the provider has taken the mail
// that says so, or will never take it.
func TestGraceBeginsWithTheMail(t *testing.T) {
	for name, tt := range map[string]struct {
		taken bool
		more  time.Duration // after twenty days
	}{
		"the mail is taken late":  {true, 14 * day},
		"the mail is never taken": {false, notify.OutboxLife - 6*day},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.pledge("bob", "film", 2500, sim.CardOK)
			id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
			w.deadline()
			w.settle("film", false)
			dropped := func(after time.Duration, want bool) {
				t.Helper()
				w.now = w.now.Add(after)
				due, err := w.svc.DueCampaigns(w.ctx)
				w.ok(err)
				w.settle("film", false)
				if got := w.truth(id).Dropped(); got != want || (len(due) > 0) != want {
					t.Fatalf("dropped: %t, due: %v", got, due)
				}
			}
			dropped(20*day, false)
			if tt.taken {
				w.post()
			}
			dropped(tt.more-time.Second, false)
			dropped(time.Second, true)
		})
	}
}

// An order that goes back to a time before its charge, as when one object is restored, knows
// nothing of it any more: the mail that was sent for the charge still counts.
func TestGraceAfterAnOrderWentBack(t *testing.T) {
	w := newWorld(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	object := kv.Object{Class: order.ClassName, Name: id}
	before := w.db.Snapshot().Objects[object]
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(20 * day)
	w.post() // the mail is taken late
	now := w.db.Snapshot()
	now.Objects[object] = before
	w.db.Restore(now)
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{time.Hour, false}, {14*day - time.Hour - time.Second, false}, {time.Second, true}} {
		w.now = w.now.Add(step.after)
		w.settle("film", false)
		if got := w.truth(id).Dropped(); got != step.want {
			t.Fatalf("%s later it is dropped: %t", step.after, got)
		}
	}
}
