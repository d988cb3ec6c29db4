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

// A restore to before a running job ends only that run; the next run
// completes the campaign.
func TestJob_LostInTheDatabase(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.backup = w.db.Snapshot()
	lost := false
	w.conn.watch = func(op memkv.Op) error {
		if !lost && op.Kind == memkv.OpPut && !op.After && strings.HasPrefix(op.Key, "settlement-group:v1:") {
			lost = true
			w.db.Restore(w.backup)
		}
		return nil
	}
	_, err := w.svc.Dispatch(w.ctx, "film")
	wantCode(t, "a lost job", err, fault.Busy)
	w.conn.watch = nil
	w.svc = w.service()
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	if n := len(w.sim.Entries()); !lost || n > 1 {
		t.Errorf("%d charges", n)
	}
}

// The order of a charge without an answer is lost. The charge is still looked up; if that is
// impossible, operators are notified. No request is sent for it.
func TestLostOrder_ChargeIsLookedUp(t *testing.T) {
	for name, tt := range map[string]struct {
		arrived bool
		later   time.Duration
		status  state.GroupStatus
	}{
		"charged":                  {true, time.Hour, state.Succeeded},
		"not charged, key valid":   {false, time.Hour, state.Submitted},
		"not charged, key expired": {false, psp.KeyHorizon, state.NeedsAttention},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			before := w.db.Snapshot()
			id := w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.conn.chargesLost = !tt.arrived
			if tt.arrived {
				w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}))
				w.conn.lookupsLost = 1
			}
			_, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			sent := len(w.conn.charges)

			w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
			w.now = w.now.Add(tt.later)
			report, err := w.svc.Settle(w.ctx, "film", false)
			w.ok(err)
			if g := w.group("ana", "film"); g.Status != tt.status || g.Booked || len(w.conn.charges) != sent {
				t.Errorf("the charge is %s, booked: %t, and was sent %d times, then %d", g.Status,
					g.Booked, sent, len(w.conn.charges))
			}
			if report.Success || len(report.Errors) == 0 {
				t.Errorf("the lost order is not reported: %+v", report.Result)
			}
		})
	}
}

// Each visit to such a charge makes exactly one lookup, even right after operators were notified
// or if the processor does not answer. A new card causes two visits; a later one finds the payment.
func TestLostOrder_OneLookupPerVisit(t *testing.T) {
	w := newFixture(t)
	before := w.db.Snapshot()
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}))
	w.conn.lookupsLost, w.conn.listEmpty = 1, true
	w.settle("film", false)
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, before)
	w.now = w.now.Add(psp.KeyHorizon)
	for _, tt := range []struct {
		lost, unanswered int
		want             state.GroupStatus
	}{{10, 2, state.NeedsAttention}, {0, 0, state.Succeeded}} {
		w.conn.lookupsLost = tt.lost
		err := w.svc.RetryCard(w.ctx, "film", email("ana"))
		if g, n := w.group("ana", "film"), tt.lost-w.conn.lookupsLost; err == nil ||
			g.Status != tt.want || n != tt.unanswered {
			t.Errorf("%v; the charge is %s, want %s, and %d lookups got no answer, want %d", err,
				g.Status, tt.want, n, tt.unanswered)
		}
	}
}

// Some orders of a failed charge are restored to the time of their claim. They record the
// failure again, and the next card pays for all of them together.
func TestRestoredOrder_FailureIsRecordedAgain(t *testing.T) {
	for _, back := range [][]int{{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}} {
		t.Run(fmt.Sprint(back), func(t *testing.T) {
			w := newFixture(t)
			for range 3 {
				w.pledge("ana", "film", 1000, sim.CardChargeDeclined)
			}
			w.deadline()
			w.conn.watch = func(op memkv.Op) error {
				if op.Command.Kind == "attempt" && !op.After {
					w.backup = w.db.Snapshot()
				}
				return nil
			}
			w.settle("film", false)
			w.conn.watch = nil
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
				p := w.pledgeByID(id)
				if failed := slices.ContainsFunc(p.History,
					func(e pledge.Entry) bool { return e.Type == "payment_failed" }); !p.Charged || !failed {
					t.Errorf("pledge %d is %s, failure recorded: %t", i+1, p.Status, failed)
				}
			}
			w.ok(w.sim.Check())
		})
	}
}

// An order that lost its failure and was claimed for the next attempt by a run that crashed
// belongs to that attempt and is charged with the others.
func TestRestoredOrder_ClaimedForTheNextAttempt(t *testing.T) {
	w := newFixture(t)
	first, second := w.pledge("ana", "film", 2500, sim.CardChargeDeclined),
		w.pledge("ana", "film", 700, sim.CardChargeDeclined)
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

// Orders record attempts that their campaign's object has lost and that have no payment at the
// processor. The next attempt follows those, or is the attempt that a pledge is claimed for.
// If that one is still running, both have the same key.
func TestRestoredOrder_AttemptsOnlyInOrders(t *testing.T) {
	type attempts struct{ failed, claimed int } // attempts of an order; 0 for none
	for name, tt := range map[string]struct {
		orders []attempts
		group  int // the group's last attempt, which failed; 0 for none
		want   int
	}{
		"claimed for attempt 1":                        {[]attempts{{0, 1}}, 0, 1},
		"claimed for attempt 2":                        {[]attempts{{0, 2}}, 0, 2},
		"claimed for attempt 3 after failed attempt 1": {[]attempts{{1, 3}, {0, 0}}, 0, 3},
		"one failed in attempt 1, one claimed for it":  {[]attempts{{1, 0}, {0, 1}}, 0, 2},
		"one claimed for attempt 2, one unclaimed":     {[]attempts{{0, 2}, {0, 0}}, 0, 2},
		"one claimed for attempt 3, one for attempt 1": {[]attempts{{0, 3}, {0, 1}}, 0, 3},
		"attempt 1 also in the group's record":         {[]attempts{{1, 3}}, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
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
					_, err = w.svc.Orders.MarkFailed(w.ctx, id, hash, o.failed, pledge.Failure{Kind: "declined"},
						pledge.Recovery{Lane: pledge.NewCard})
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
