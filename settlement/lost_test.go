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
)

// The database lost a lease, and another run has one with the same number. Writes of the lost
// lease's run are refused, also right after its successor wrote the same.
//
// Proves SET-05.
func TestLease_LostInTheDatabase(t *testing.T) {
	lost, w := newWorld(t), newWorld(t) // two histories
	old, err := client{lost.db.Coordinator(), "film"}.acquire(w.ctx, acquire{Owner: "old"})
	w.ok(err)
	object := client{w.db.Coordinator(), "film"}
	lease, err := object.acquire(w.ctx, acquire{Owner: "new"})
	w.ok(err)
	if old.Number != lease.Number {
		t.Fatalf("the leases have numbers %d and %d", old.Number, lease.Number)
	}

	p := plan{generation: 1, amount: 2500, card: aPledge("a", 2500, "active", "a", 1)}
	g := p.freeze("film", "ana", hashOf("film", "ana"))
	_, err = object.submit(w.ctx, lease, g)
	w.ok(err)
	sent, err := object.attempt(w.ctx, lease, g)
	w.ok(err)
	check := func(name string, do func(t Lease) error) {
		t.Helper()
		if err := do(lease); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantCode(t, name+" in the lost lease", do(old), fault.Busy)
	}
	check("submit", func(t Lease) error { _, err := object.submit(w.ctx, t, g); return err })
	check("attempt", func(t Lease) error { _, err := object.attempt(w.ctx, t, g); return err })
	failed, err := object.recordResult(w.ctx, lease, sent, result{Status: psp.Declined, Code: "card_declined"})
	w.ok(err)
	for _, tt := range []struct {
		name string
		do   func(t Lease) error
	}{
		{"renew", func(t Lease) error { _, err := object.renew(w.ctx, t, 1); return err }},
		{"start", func(t Lease) error { _, err := object.start(w.ctx, t, true, 1); return err }},
		{"alarm", func(t Lease) error { _, err := object.alarm(w.ctx, t, failed); return err }},
		{"booked", func(t Lease) error { _, err := object.booked(w.ctx, t, failed); return err }},
		{"met", func(t Lease) error { return object.clearVisit(w.ctx, t, g.Hash, "n") }},
		{"checkpoint", func(t Lease) error { _, err := object.checkpoint(w.ctx, t, checkpoint{Batch: 1}); return err }},
		{"complete", func(t Lease) error { _, err := object.complete(w.ctx, t); return err }},
		{"drop", func(t Lease) error { _, err := object.drop(w.ctx, t, failed); return err }},
	} {
		check(tt.name, tt.do)
	}
	w.release(object, old)
	if _, err := object.renew(w.ctx, lease, 2); err != nil {
		t.Errorf("the lost lease's release: %v", err)
	}
	w.release(object, lease)
	if _, err := object.acquire(w.ctx, acquire{Owner: "next"}); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

// Results are accepted from the run of a lost lease too, and its successor's result of the same
// request does not replace them.
//
// Proves SET-11.
func TestLease_ResultOfALostLease(t *testing.T) {
	lost, w := newWorld(t), newWorld(t)
	old, err := client{lost.db.Coordinator(), "film"}.acquire(w.ctx, acquire{Owner: "old"})
	w.ok(err)
	object := client{w.db.Coordinator(), "film"}
	lease, err := object.acquire(w.ctx, acquire{Owner: "new"})
	w.ok(err)
	p := plan{generation: 1, amount: 2500, card: aPledge("a", 2500, "active", "a", 1)}
	g, err := object.submit(w.ctx, lease, p.freeze("film", "ana", hashOf("film", "ana")))
	w.ok(err)
	g, err = object.attempt(w.ctx, lease, g)
	w.ok(err)
	_, err = object.recordResult(w.ctx, lease, g, result{Status: psp.Pending})
	w.ok(err)
	got, err := object.recordResult(w.ctx, old, g, result{Status: psp.Pending, PaymentID: "pi_1"})
	if err != nil || got.PaymentIntentID != "pi_1" {
		t.Errorf("the payment is %q, %v", got.PaymentIntentID, err)
	}
}

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
		status  Status
	}{
		"it was made":                  {true, time.Hour, Succeeded},
		"it was not, and may yet be":   {false, time.Hour, Submitted},
		"it was not, and nobody knows": {false, psp.KeyHorizon, NeedsAttention},
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
		want             Status
	}{{10, 2, NeedsAttention}, {0, 0, Succeeded}} {
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
		_, err := w.svc.Orders.Claim(w.ctx, id, GroupHash("film", email("ana")), 2)
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
			hash := GroupHash("film", email("ana"))
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
			if len(books) != 1 || books[0].Amount != amount || books[0].Group != attemptKey("film", hash, tt.want) {
				t.Errorf("charged: %+v, want %s by attempt %d", books, amount, tt.want)
			}
			if g := w.group("ana", "film"); g.Status != Succeeded || !g.Booked {
				t.Errorf("the group is %s", g.Status)
			}
		})
	}
}
