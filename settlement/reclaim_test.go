package settlement

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// openCharge returns a fixture in which ana's charge is frozen and not sent, or was sent and did
// not arrive, and then her order alone was restored to before the claim. It also returns the ID of
// her pledge.
func openCharge(t *testing.T, sent bool) (w *fixture, id string) {
	w = newFixture(t)
	id = w.pledge("ana", "film", 700, sim.CardOK)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.deadline()
	before := w.db.Snapshot()
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind != "attempt" || op.After ||
			!strings.Contains(string(op.Command.Body), state.GroupHash("film", email("ana"))) {
			return nil
		}
		if sent {
			return w.sim.InjectFaults(sim.Fault{Kind: sim.DropRequest})
		}
		return fault.New(fault.Unavailable, "No answer")
	}
	w.settle("film", false)
	w.conn.watch = nil
	if g := w.group("ana", "film"); g.Status != state.Submitted || (g.FirstSubmittedAt != nil) != sent {
		t.Fatalf("the charge is %s, sent %v", g.Status, g.FirstSubmittedAt)
	}
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
	return w, id
}

// A restored order is claimed again for the frozen charge.
func TestOpenCharge_RestoredOrder(t *testing.T) {
	for _, sent := range []bool{false, true} {
		w, id := openCharge(t, sent)
		w.now = w.now.Add(time.Hour)
		w.settle("film", false)
		if !w.pledgeByID(id).Charged || len(w.charged()) != 2 {
			t.Errorf("sent %t: the pledge is %s, charged %v", sent, w.pledgeByID(id).Status, w.charged())
		}
	}
}

// The supporter cancels or changes the restored pledge. The frozen request is not sent, and
// the changed pledge is charged with its new amount: immediately if no request was sent
// before, otherwise after operators decide.
func TestOpenCharge_RestoredOrderChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		sent    bool
		change  func(w *fixture)
		charged []money.Cents
		status  pledge.Status
	}{
		"canceled, never sent": {false, func(w *fixture) { w.cancel("ana", 0) }, []money.Cents{2500}, pledge.Cancelled},
		"canceled, sent":       {true, func(w *fixture) { w.cancel("ana", 0) }, []money.Cents{2500}, pledge.Cancelled},
		"reduced, never sent": {false, func(w *fixture) { w.change("ana", 0, 600) },
			[]money.Cents{600, 2500}, pledge.Charged},
		"reduced, sent": {true, func(w *fixture) { w.change("ana", 0, 600) },
			[]money.Cents{600, 2500}, pledge.Charged},
	} {
		t.Run(name, func(t *testing.T) {
			w, id := openCharge(t, tc.sent)
			tc.change(w)
			for range 30 {
				w.now = w.now.Add(time.Hour)
				w.settle("film", false)
			}
			if g := w.group("ana", "film"); tc.sent && tc.status == pledge.Charged {
				if g.Status != state.NeedsAttention || g.Reason != state.NoAnswer || len(w.charged()) != 1 {
					t.Fatalf("the charge is %s (%s), charged %v", g.Status, g.Reason, w.charged())
				}
				w.stateNothingCharged(g)
				w.settle("film", false)
			}
			if diff := cmp.Diff(tc.charged, w.charged()); diff != "" {
				t.Errorf("charged (-want +got):\n%s", diff)
			}
			if p := w.pledgeByID(id); p.Status != tc.status {
				t.Errorf("the pledge is %s, want %s", p.Status, tc.status)
			}
		})
	}
}
