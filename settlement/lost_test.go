package settlement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A database that is restored to before a running job ends that run only.
func TestJob_LostInTheDatabase(t *testing.T) {
	w := newWorld(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.backup = w.db.Snapshot()
	lost := false
	w.line.watch = func(op memkv.Op) error {
		if !lost && op.Kind == memkv.OpPut && !op.After && strings.HasPrefix(op.Key, "settlement-group:v1:") {
			lost = true
			w.db.Restore(w.backup)
		}
		return nil
	}
	_, err := w.svc.Dispatch(w.ctx, "film")
	wantCode(t, "a job that was lost", err, fault.Busy)
	w.line.watch = nil
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	if n := len(w.sim.Entries()); !lost || n > 1 {
		t.Errorf("%d charges", n)
	}
}

// The order of a charge without an answer is lost. The charge is looked up all the same; if that
// is impossible, operators are notified. Nothing is sent for it.
func TestLostOrder_ChargeIsLookedUp(t *testing.T) {
	for name, tt := range map[string]struct {
		arrived bool
		later   time.Duration
		status  state.GroupStatus
	}{
		"it was made":                  {true, time.Hour, state.Succeeded},
		"it was not, and may yet be":   {false, time.Hour, state.Submitted},
		"it was not, and nobody knows": {false, psp.KeyHorizon, state.NeedsAttention},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before := w.db.Snapshot()
			id := w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.line.mute = !tt.arrived
			if tt.arrived {
				w.ok(w.sim.Order(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}))
				w.line.deaf = 1
			}
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			sent := len(w.line.charges)

			w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
			w.now = w.now.Add(tt.later)
			report, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			if g := w.group("ana", "film"); g.Status != tt.status || g.Booked || len(w.line.charges) != sent {
				t.Errorf("the charge is %s, booked: %t, and was sent %d times, then %d", g.Status, g.Booked, sent, len(w.line.charges))
			}
			if report.Success || len(report.Errors) == 0 {
				t.Errorf("nothing is said of the lost order: %+v", report.Result)
			}
		})
	}
}

// A visit to such a charge makes one lookup, also right after operators were notified, and no
// more if the processor does not answer. A new card, which causes two visits, finds the payment
// later.
func TestLostOrder_OneLookupPerVisit(t *testing.T) {
	w := newWorld(t)
	before := w.db.Snapshot()
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.sim.Order(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}))
	w.line.deaf, w.line.late = 1, true
	w.settle("film", false)
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
	w.now = w.now.Add(psp.KeyHorizon)
	for _, tt := range []struct {
		deaf, unanswered int
		want             state.GroupStatus
	}{{10, 2, state.NeedsAttention}, {0, 0, state.Succeeded}} {
		w.line.deaf = tt.deaf
		err := w.svc.RetryCard(w.ctx, "film", email("ana"))
		if g, n := w.group("ana", "film"), tt.deaf-w.line.deaf; err == nil || g.Status != tt.want || n != tt.unanswered {
			t.Errorf("%v; the charge is %s, want %s, and %d questions went unanswered, want %d", err, g.Status, tt.want, n, tt.unanswered)
		}
	}
}

// Some orders of a failed charge are restored to where they were claimed for it. They record the
// failure again, and the next card pays for all of them at once.
func TestRestoredOrder_FailureIsRecordedAgain(t *testing.T) {
	for _, back := range [][]int{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}} {
		t.Run(fmt.Sprint(back), func(t *testing.T) {
			w := newWorld(t)
			for range 3 {
				w.pledge("ana", "film", 1000, sim.CardChargeDeclined)
			}
			w.deadline()
			w.line.watch = func(op memkv.Op) error {
				if op.Command.Kind == "attempt" && !op.After {
					w.backup = w.db.Snapshot()
				}
				return nil
			}
			w.settle("film", false)
			w.line.watch = nil
			for _, i := range back {
				w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: w.pledgesOf["ana"][i]}, w.backup)
			}
			w.now = w.now.Add(time.Hour)
			w.newCard("ana", sim.CardOK, back[len(back)-1])
			w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
			if books := w.sim.Entries(); len(books) != 1 || books[0].Amount != 3000 {
				t.Errorf("charged: %+v", books)
			}
			for i, id := range w.pledgesOf["ana"] {
				p := w.truth(id)
				if told := slices.ContainsFunc(p.History, func(e pledge.Entry) bool { return e.Type == "payment_failed" }); !p.Charged || !told {
					t.Errorf("pledge %d is %s, told of the failure: %t", i+1, p.Status, told)
				}
			}
			w.ok(w.sim.Check())
		})
	}
}

// An order that lost a failure and was claimed for the next attempt by a run that crashed belongs
// to that attempt: it is charged with the others.
func TestRestoredOrder_ClaimedForTheNextAttempt(t *testing.T) {
	w := newWorld(t)
	first, second := w.pledge("ana", "film", 2500, sim.CardChargeDeclined), w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	w.deadline()
	w.backup = w.db.Snapshot()
	w.settle("film", false)
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: second}, w.backup)
	w.newCard("ana", sim.CardOK, 0)
	for _, id := range []string{first, second} {
		_, err := w.svc.Orders.Claim(w.ctx, id, state.GroupHash("film", email("ana")), 2)
		w.ok(err)
	}
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if books := w.sim.Entries(); len(books) != 1 || books[0].Amount != 3200 {
		t.Errorf("charged: %+v", books)
	}
}

// Orders record attempts that their campaign's object has lost, and of which the processor has no
// payment. The next attempt comes after those, or is the one that a pledge is claimed for: if
// that one is still running, both have the same key.
func TestRestoredOrder_AttemptsOnlyInOrders(t *testing.T) {
	type memory struct{ failed, claimed int } // attempts of an order; 0 for none
	for name, tt := range map[string]struct {
		orders []memory
		group  int // its last attempt, which failed; 0 for none
		want   int
	}{
		"claimed for the first":                    {[]memory{{0, 1}}, 0, 1},
		"claimed for the second":                   {[]memory{{0, 2}}, 0, 2},
		"claimed for the third, the first failed":  {[]memory{{1, 3}, {0, 0}}, 0, 3},
		"one failed in it, one is claimed for it":  {[]memory{{1, 0}, {0, 1}}, 0, 2},
		"one is claimed for the next, one is not":  {[]memory{{0, 2}, {0, 0}}, 0, 2},
		"one is claimed for another than the next": {[]memory{{0, 3}, {0, 1}}, 0, 3},
		"the record has the first":                 {[]memory{{1, 3}}, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			hash := state.GroupHash("film", email("ana"))
			for i := range tt.orders {
				card := sim.CardOK
				if tt.group > 0 {
					card = sim.CardAuthInsufficient
				}
				w.pledge("ana", "film", money.Cents(2000*(i+1)), card)
			}
			w.deadline()
			if tt.group > 0 {
				w.settle("film", false)
				w.newCard("ana", sim.CardOK, 0)
			}
			var amount money.Cents
			for i, o := range tt.orders {
				id := w.pledgesOf["ana"][i]
				amount += money.Cents(2000 * (i + 1))
				if o.failed > tt.group {
					_, err := w.svc.Orders.Claim(w.ctx, id, hash, o.failed)
					w.ok(err)
					_, err = w.svc.Orders.Fail(w.ctx, id, hash, o.failed, pledge.Failure{Kind: "declined"}, pledge.Recovery{Lane: pledge.NewCard})
					w.ok(err)
				}
				if o.claimed > 0 {
					_, err := w.svc.Orders.Claim(w.ctx, id, hash, o.claimed)
					w.ok(err)
				}
			}
			w.svc = w.service()
			w.settle("film", false)
			books := w.sim.Entries()
			if len(books) != 1 || books[0].Amount != amount || books[0].Group != state.AttemptKey("film", hash, tt.want) {
				t.Errorf("charged: %+v, want %s by attempt %d", books, amount, tt.want)
			}
			if g := w.group("ana", "film"); g.Status != state.Succeeded || !g.Booked {
				t.Errorf("the group is %s", g.Status)
			}
		})
	}
}
