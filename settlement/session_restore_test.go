package settlement

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A database that lost the charge of a session finds the session's pledges by the amount. If
// an order was lost too, its pledge waits for an operator, as in any other group.
//
// Proves SET-03.
func TestSession_PaymentAfterRestore(t *testing.T) {
	forgetOrder := func(w *fixture,
		id string) {
		w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, w.backup)
	}
	for name, tt := range map[string]struct {
		lose func(w *fixture, ids []string)
		want string // of the session's payment
	}{
		"the settlement": {func(w *fixture, _ []string) { w.restoreSettlement(w.backup) }, "a+b by b: $32.00"},
		"the database":   {func(w *fixture, _ []string) { w.db.Restore(w.backup); w.svc = w.service() }, "a+b by b: $32.00"},
		"an order":       {func(w *fixture, ids []string) { forgetOrder(w, ids[1]) }, "a by b: $32.00"},
		"an order and the settlement": {func(w *fixture, ids []string) {
			forgetOrder(w, ids[1])
			w.restoreSettlement(w.backup)
		}, "a+b by b: $32.00"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
				w.pledgeInSession("y", 300, sim.CardOK), w.pledgeTyped("ana", "film", 2500, sim.CardOK)}
			w.deadline()
			w.backup = w.db.Snapshot()
			w.settle("film", false)
			tt.lose(w, ids)
			w.now = w.now.Add(25 * time.Hour) // the processor has forgotten the keys
			w.settle("film", false)
			w.settle("film", false)
			want := []string{tt.want, "c by c: $3.00", "d by d: $25.00"}
			if diff := cmp.Diff(want, w.paid(ids...)); diff != "" {
				t.Error(diff)
			}
			if books := w.sim.Entries(); len(books) != 3 {
				t.Errorf("the processor has %+v", books)
			}
		})
	}
}

// A pledge that left its session after the backup was not part of the charge. If the payment
// names no pledges, its amount differs from the session's total in the database, and an
// operator decides.
func TestSession_PaymentThatDoesNotFit(t *testing.T) {
	w := newFixture(t)
	w.conn.omitPledges = true
	ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK),
		w.pledgeInSession("x", 300, sim.CardOK), w.pledgeInSession("y", 500, "none")}
	w.backup = w.db.Snapshot()
	w.cancel("ana", 2)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	w.db.Restore(w.backup)
	w.svc = w.service()
	w.now = w.now.Add(25 * time.Hour)
	_, err = w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	g, err := w.svc.Group(w.ctx, "film", state.OwnGroupHash("film", ids[0]))
	w.ok(err)
	if g.Status != state.NeedsAttention || g.Reason != state.AmountDiffers {
		t.Errorf("the charge is %s (%s)", g.Status, g.Reason)
	}
	if diff := cmp.Diff(ids[:3], g.OrderIDs()); diff != "" {
		t.Errorf("its pledges (-want +got):\n%s", diff)
	}
	if books := w.sim.Entries(); len(books) != 1 {
		t.Errorf("the processor has %+v", books)
	}
	if p := w.pledgeByID(ids[3]); p.Claimed() {
		t.Errorf("a pledge of another session is claimed by %s", p.Group)
	}
}

// A pledge that was cancelled after the backup is not the one after which the group is named,
// even if it is the first of its session again.
func TestSession_PaymentNamedAfterSecondPledge(t *testing.T) {
	w := newFixture(t)
	ids := []string{w.pledgeInSession("x", 300, sim.CardOK), w.pledgeInSession("x", 2500, sim.CardOK),
		w.pledgeInSession("x", 700, sim.CardOK)}
	w.backup = w.db.Snapshot()
	w.cancel("ana", 0)
	w.deadline()
	w.settle("film", false)
	w.db.Restore(w.backup)
	w.svc = w.service()
	w.now = w.now.Add(25 * time.Hour)
	w.settle("film", false)
	if diff := cmp.Diff([]string{"a by a: $3.00", "b+c by c: $32.00"}, w.paid(ids...)); diff != "" {
		t.Error(diff)
	}
}

// A payment that its pledges record does not take pledges that were added to the session
// later.
func TestSession_PaymentWithoutLatePledge(t *testing.T) {
	w := newFixture(t)
	ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardOK)}
	w.deadline()
	w.backup = w.db.Snapshot()
	w.settle("film", false)
	w.restoreSettlement(w.backup)
	ids = append(ids, w.pledgeInSession("x", 300, sim.CardOK))
	w.settle("film", false)
	if diff := cmp.Diff([]string{"a+b by b: $32.00", "c by c: $3.00"}, w.paid(ids...)); diff != "" {
		t.Error(diff)
	}
}

// The card of a lost, declined charge is found again, and is not retried before its time.
func TestSession_RefusedPaymentAfterRestore(t *testing.T) {
	for _, by := range []pledge.Grouping{pledge.ByConfirmation, pledge.ByEmail} {
		w := newFixture(t)
		w.svc.Grouping = by
		w.pledge("bob", "film", 2500, sim.CardOK)
		ids := []string{w.pledgeInSession("x", 2500, sim.CardOK), w.pledgeInSession("x", 700, sim.CardChargeDeclined)}
		w.deadline()
		w.backup = w.db.Snapshot()
		w.settle("film", false)
		w.db.Restore(w.backup)
		w.svc = w.service()
		w.svc.Grouping = by
		w.now = w.now.Add(25 * time.Hour)
		w.settle("film", false)
		charges := slices.DeleteFunc(slices.Clone(w.conn.charges), func(c psp.NewCharge) bool { return c.Amount != 3200 })
		if len(charges) != 1 || w.pledgeByID(ids[0]).Status != pledge.PaymentFailed ||
			w.pledgeByID(ids[0]).Group != w.pledgeByID(ids[1]).Group {
			t.Errorf("%s: %d charges of both, the first is %s", by, len(charges), w.pledgeByID(ids[0]).Status)
		}
	}
}

// A payment of the first pledge only does not affect the other pledges of its session.
func TestSession_PaymentOfFirstPledge(t *testing.T) {
	for name, card := range map[string]string{"paid": sim.CardOK, "refused": sim.CardChargeDeclined} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.pledge("bob", "film", 2500, sim.CardOK)
			ids := []string{w.pledgeInSession("x", 2500, card)}
			w.deadline()
			w.backup = w.db.Snapshot()
			w.settle("film", false)
			w.db.Restore(w.backup)
			w.svc = w.service()
			w.now = w.now.Add(25 * time.Hour)
			ids = append(ids, w.pledgeInSession("x", 700, sim.CardOK))
			w.settle("film", false)
			first, other := w.pledgeByID(ids[0]), w.pledgeByID(ids[1])
			if first.Charged != (name == "paid") || first.Group != state.OwnGroupHash("film", ids[0]) ||
				!other.Charged || other.Group != state.OwnGroupHash("film", ids[1]) {
				t.Errorf("the first is %s in %s, the other %s in %s", first.Status, first.Group, other.Status, other.Group)
			}
		})
	}
}
