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

// smallCampaign returns a fixture after the deadline with four supporters: ana with two pledges and
// a valid card, bob with a declined card, cleo with a valid card, and dan, who cancelled.
func smallCampaign(t *testing.T, faults ...sim.Fault) *fixture {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("bob", "film", 1000, sim.CardChargeDeclined)
	w.pledge("ana", "film", 500, sim.CardOK)
	w.pledge("cleo", "film", 800, sim.CardOK)
	w.pledge("dan", "film", 900, sim.CardOK)
	w.cancel("dan", 0)
	w.deadline()
	w.ok(w.sim.InjectFaults(faults...))
	w.conn.effects = 0
	return w
}

// runUntilDone runs the hourly jobs until nothing is due.
func (w *fixture) runUntilDone() {
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
	w.t.Fatalf("the campaign is still due after all runs: %v", w.show("film", nil))
}

// checkSettled checks the final state of the small campaign, which is the same in every test.
func (w *fixture) checkSettled() {
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
	w.checkLedger("film", 3800)
	statuses := map[string]pledge.Status{}
	for _, name := range w.names {
		for i, id := range w.pledgesOf[name] {
			p, stored, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
			w.ok(err)
			if diff := cmp.Diff(*w.pledgeByID(id), p); !stored || diff != "" {
				w.t.Fatalf("the record of %s's pledge (-order +record):\n%s", name, diff)
			}
			statuses[fmt.Sprint(name, i)] = p.Status
		}
		w.checkCopy(name)
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
		w.t.Fatalf("the campaign's accounts are %v", got)
	}
}

// checkCopy compares the Store's copy of a group with the object.
func (w *fixture) checkCopy(name string) {
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

// firstChargeFault returns a function that returns a fault of the first charge.
func firstChargeFault(kind sim.FaultKind) func() []sim.Fault {
	return func() []sim.Fault {
		return []sim.Fault{{Kind: kind, Op: sim.CreateIntent, For: 90 * time.Minute}}
	}
}

var faultCases = []struct {
	name   string
	faults func() []sim.Fault
}{
	{"calm", noFault},
	{"lost answer", firstChargeFault(sim.DropAnswer)},
	{"lost request", firstChargeFault(sim.DropRequest)},
	{"500 after success", firstChargeFault(sim.ServerErrorAfter)},
	{"rolled forward", firstChargeFault(sim.RollForward)},
	{"rate limited", firstChargeFault(sim.RateLimit)},
}

// The process crashes before or after each effect (write, command or request) of a settlement
// in turn, and is restarted.
//
// Proves SET-03 and SET-09.
func TestSettle_CrashAnywhere(t *testing.T) {
	for _, faultCase := range faultCases {
		for _, how := range []string{"settle", "chain"} {
			t.Run(faultCase.name+"/"+how, func(t *testing.T) {
				w := smallCampaign(t, faultCase.faults()...)
				begin := w.checkpoint()
				w.settleBy(how)
				effects := w.conn.effects
				w.runUntilDone()
				w.checkSettled()
				for cut := 1; cut <= effects; cut += stride() {
					w.rewind(begin)
					w.conn.failAt = cut
					w.settleBy(how)
					w.restart()
					w.runUntilDone()
					w.checkSettled()
					if t.Failed() {
						t.Fatalf("cut at effect %d of %d", cut, effects)
					}
				}
				t.Logf("%d crash points", effects)
			})
		}
	}
}

// The restarted run crashes too, at every effect of the first and the second run. The soak
// test covers every pair; this test covers a third of them, which includes every effect.
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
	clean := smallCampaign(t)
	clean.settleBy("chain")
	effects := clean.conn.effects
	for part := range parts {
		t.Run(fmt.Sprintf("part %d of %d", part+1, parts), func(t *testing.T) {
			t.Parallel()
			pairs := 0
			w := smallCampaign(t, sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent})
			begin := w.checkpoint()
			for first := 1 + part*step; first <= effects; first += parts * step {
				w.rewind(begin)
				w.conn.failAt = first
				w.settleBy("chain")
				crashed := w.checkpoint()
				for second := 1 + first%each; ; second += each {
					w.rewind(crashed)
					w.now = w.now.Add(time.Hour)
					w.conn.failAt = second
					w.settleBy("settle")
					died := w.conn.down
					w.restart()
					w.runUntilDone()
					w.checkSettled()
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
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "fail" && op.After {
			w.conn.down = true
		}
		return nil
	}
	w.settle("film", false)
	w.conn.watch = nil
	w.restart()
	w.now = w.now.Add(time.Hour)
	w.newCard("ana", sim.CardOK, 0)
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
	w.ok(err)
	if diff := cmp.Diff(*w.pledgeByID(id), stored); diff != "" || !stored.Charged ||
		stored.PaymentMethodID != w.group("ana", "film").PaymentMethodID {
		t.Errorf("the record is %+v (-order +record):\n%s", stored, diff)
	}
	if n := len(w.sim.Entries()); n != 1 {
		t.Errorf("%d charges", n)
	}
}

func (w *fixture) settleBy(how string) {
	if how == "settle" {
		w.settle("film", false)
		return
	}
	w.batches(how, "film")
}

// stride returns the distance between the crash points that are tested: 5 in short tests, otherwise
// 1.
func stride() int {
	if testing.Short() {
		return 5
	}
	return 1
}

func (w *fixture) restart() { w.conn.down, w.conn.failAt = false, 0 }
