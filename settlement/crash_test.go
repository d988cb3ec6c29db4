package settlement

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // crashing at every pair of effects produces much garbage
	os.Exit(m.Run())
}

// small returns a campaign with three supporters: one with two pledges and a good card, one with
// a declined card, one with a pledge and a good card.
func small(t *testing.T, faults ...sim.Fault) *world {
	w := newWorld(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
	w.pledge("ana", "film", 500, sim.CardOK)
	w.pledge("cleo", "film", 800, sim.CardOK)
	w.pledge("dan", "film", 900, sim.CardOK)
	w.cancel("dan", 0)
	w.deadline()
	w.ok(w.sim.Order(faults...))
	w.line.effects = 0
	return w
}

// until runs the hourly jobs until nothing is due.
func (w *world) until() {
	w.t.Helper()
	for range 60 {
		w.svc = w.service()
		due, err := w.svc.DueCampaigns(w.ctx)
		w.ok(err)
		if len(due) == 0 {
			return
		}
		w.now = w.now.Add(time.Hour)
		w.batches("chain", "film")
	}
	w.t.Fatalf("the campaign does not come to an end: %v", w.show("film", nil))
}

// settledOnce checks the final state of the small campaign, which does not depend on what
// happened before.
func (w *world) settledOnce() {
	w.t.Helper()
	paid := map[string]money.Cents{}
	for _, b := range w.sim.Entries() {
		paid[b.Group] += b.Amount
	}
	wanted := map[string]money.Cents{
		state.AttemptKey("film", state.GroupHash("film", email("ana")), 1):  3000,
		state.AttemptKey("film", state.GroupHash("film", email("cleo")), 1): 800,
	}
	if diff := cmp.Diff(wanted, paid); diff != "" || len(w.sim.Entries()) != 2 {
		w.t.Fatalf("%d charges in the processor's books (-want +got):\n%s", len(w.sim.Entries()), diff)
	}
	w.ok(w.sim.Check())
	statuses := map[string]pledge.Status{}
	for _, name := range w.names {
		for i, id := range w.pledgesOf[name] {
			p, stored, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
			w.ok(err)
			if diff := cmp.Diff(*w.truth(id), p); !stored || diff != "" {
				w.t.Fatalf("the record of %s's pledge (-order +record):\n%s", name, diff)
			}
			statuses[fmt.Sprint(name, i)] = p.Status
		}
		w.copied(name)
	}
	if diff := cmp.Diff(map[string]pledge.Status{"ana0": pledge.Charged, "ana1": pledge.Charged, "bob0": pledge.PaymentFailed,
		"cleo0": pledge.Charged, "dan0": pledge.Cancelled}, statuses); diff != "" {
		w.t.Fatalf("pledges (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"charged ana", "charged cleo", "update_card bob"}, w.mails()); diff != "" {
		w.t.Fatalf("mails (-want +got):\n%s", diff)
	}
	if _, ok := w.completedAt("film"); !ok {
		w.t.Fatal("the campaign is not marked as charged")
	}
	snap, err := w.svc.Inventory.Snapshot(w.ctx, "film")
	w.ok(err)
	if got := snap.Totals.Statuses; got[pledge.Charged] != 3 || got[pledge.PaymentFailed] != 1 || got[pledge.Active] != 0 {
		w.t.Fatalf("the campaign's accounts say %v", got)
	}
}

// copied compares the Store's copy of a group with the object.
func (w *world) copied(name string) {
	w.t.Helper()
	g := w.group(name, "film")
	if g == nil {
		return
	}
	c, _, err := kv.Read[state.Group](w.ctx, w.svc.Store, state.GroupKey("film", g.Hash))
	w.ok(err)
	c.UpdatedAt = g.UpdatedAt // the copy is written before the group is closed
	if diff := cmp.Diff(*g, c); diff != "" {
		w.t.Fatalf("the copy of %s's group (-object +store):\n%s", name, diff)
	}
}

func noFault() []sim.Fault { return nil }

// ordered returns the fault for the first charge.
func ordered(kind sim.FaultKind) func() []sim.Fault {
	return func() []sim.Fault {
		return []sim.Fault{{Kind: kind, Op: sim.CreateIntent, For: 90 * time.Minute}}
	}
}

var weathers = []struct {
	name   string
	faults func() []sim.Fault
}{
	{"calm", noFault},
	{"lost answer", ordered(sim.DropAnswer)},
	{"lost request", ordered(sim.DropRequest)},
	{"500 after success", ordered(sim.ServerErrorAfter)},
	{"rolled forward", ordered(sim.RollForward)},
	{"rate limited", ordered(sim.RateLimit)},
}

// The process crashes before or after each effect of a settlement in turn (each write, command
// and request) and is restarted.
//
// Proves SET-03 and SET-09.
func TestSettle_CrashAnywhere(t *testing.T) {
	for _, weather := range weathers {
		for _, how := range []string{"settle", "chain"} {
			t.Run(weather.name+"/"+how, func(t *testing.T) {
				clean := small(t, weather.faults()...)
				clean.proceed(how)
				effects := clean.line.effects
				clean.until()
				clean.settledOnce()
				for cut := 1; cut <= effects; cut += stride() {
					w := small(t, weather.faults()...)
					w.line.cutAt = cut
					w.proceed(how)
					w.revive()
					w.until()
					w.settledOnce()
					if t.Failed() {
						t.Fatalf("cut at effect %d of %d", cut, effects)
					}
				}
				t.Logf("%d crash points", effects)
			})
		}
	}
}

// The restarted run crashes too: at every effect of the first and the second run. The soak test
// takes every pair, this test a third, which covers every effect.
//
// Proves SET-03.
func TestSettle_CrashTwice(t *testing.T) {
	const parts = 8
	step, each := 1, 3
	if testing.Short() {
		step, each = 40, 40
	}
	if os.Getenv("PLEDGEWORKS_SOAK") != "" {
		each = 1
	}
	clean := small(t)
	clean.proceed("chain")
	effects := clean.line.effects
	for part := range parts {
		t.Run(fmt.Sprintf("part %d of %d", part+1, parts), func(t *testing.T) {
			t.Parallel()
			pairs := 0
			for first := 1 + part*step; first <= effects; first += parts * step {
				for second := 1 + first%each; ; second += each {
					w := small(t, sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent})
					w.line.cutAt = first
					w.proceed("chain")
					w.revive()
					w.now = w.now.Add(time.Hour)
					w.line.effects, w.line.cutAt = 0, second
					w.proceed("settle")
					died := w.line.dead
					w.revive()
					w.until()
					w.settledOnce()
					if t.Failed() {
						t.Fatalf("cut at effect %d, and then at effect %d", first, second)
					}
					if !died {
						break
					}
					pairs++
				}
			}
			t.Logf("%d pairs of crash points", pairs)
		})
	}
}

// A card is replaced after the order recorded the failure and before the group was booked, and
// the run crashes there.
func TestSettle_CardReplacedWhileBooking(t *testing.T) {
	w := newWorld(t)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.line.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "fail" && op.After {
			w.line.dead = true
		}
		return nil
	}
	w.settle("film", false)
	w.line.watch = nil
	w.revive()
	w.now = w.now.Add(time.Hour)
	w.newCard("ana", sim.CardOK, 0)
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
	w.ok(err)
	if diff := cmp.Diff(*w.truth(id), stored); diff != "" || !stored.Charged || stored.PaymentMethodID != w.group("ana", "film").PaymentMethodID {
		t.Errorf("the record is %+v (-order +record):\n%s", stored, diff)
	}
	if n := len(w.sim.Entries()); n != 1 {
		t.Errorf("%d charges", n)
	}
}

func (w *world) proceed(how string) {
	if how == "settle" {
		w.settle("film", false)
		return
	}
	w.batches(how, "film")
}

// stride skips crash points in short tests.
func stride() int {
	if testing.Short() {
		return 5
	}
	return 1
}

func (w *world) revive() { w.line.dead, w.line.cutAt = false, 0 }
