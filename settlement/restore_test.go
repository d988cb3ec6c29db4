package settlement

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// restore takes a backup, calls changes, and restores the backup as an operator does: charging is
// stopped until it is resumed.
func (w *fixture) restore(changes func()) {
	w.t.Helper()
	snapshot := w.db.Snapshot()
	changes()
	w.db.Restore(snapshot)
	w.svc = w.service()
	w.ok(w.svc.Switch().StopForRestore(w.ctx))
}

func (w *fixture) resume() {
	w.t.Helper()
	_, err := w.svc.Switch().Resume(w.ctx)
	w.ok(err)
}

// charged lists the amounts of the processor's payments.
func (w *fixture) charged() []money.Cents {
	var all []money.Cents
	for _, b := range w.sim.Entries() {
		all = append(all, b.Amount)
	}
	slices.Sort(all)
	return all
}

func (w *fixture) change(name string, nth int, amount money.Cents) *pledge.Pledge {
	w.t.Helper()
	id := w.pledgesOf[name][nth]
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.CalculateTotals(lines, 0, 0, pledge.Tip{})
	w.ok(err)
	was := w.pledgeByID(id)
	p, err := w.svc.Orders.Modify(w.ctx, id, was.Revision, "test",
		order.Change{Lines: lines, Totals: totals, Promise: was.Promise})
	w.ok(err)
	_, err = w.svc.Projector.Book(w.ctx, p, "")
	w.ok(err)
	w.agree(p)
	return p
}

// agree records the terms of a pledge at the processor, as checkout does.
func (w *fixture) agree(p *pledge.Pledge) {
	w.t.Helper()
	w.ok(w.sim.Processor().UpdateCustomer(w.ctx, p.CustomerID, "order:"+p.OrderID, map[string]string{"orderId": p.OrderID}))
	w.ok(agreement.Record(w.ctx, w.sim.Processor(), p, fmt.Sprint(w.randomReads.Add(1))))
}

// Payments are imported from the first pledge on, so that none is missed if the deadline was moved
// after the restore (formerly everyone was charged twice).
func TestRestore_DeadlineMovedLater(t *testing.T) {
	for _, deadline := range []string{"2026-03-21", "2026-02-20"} {
		w := newFixture(t)
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.pledge("bob", "film", 700, sim.CardOK)
		w.deadline()
		w.restore(func() { w.settle("film", false) })
		w.edit(deadline, 20)
		w.now = w.now.Add(25 * day)
		w.resume()
		_, err := w.svc.Accept(w.ctx, "film", "the deadline was moved")
		w.ok(err)
		w.settle("film", false)
		if diff := cmp.Diff([]money.Cents{700, 2500}, w.charged()); diff != "" {
			t.Errorf("deadline %s, charged (-want +got):\n%s", deadline, diff)
		}
		for _, name := range w.names {
			if !w.pledgeByID(w.pledgesOf[name][0]).Charged {
				t.Errorf("deadline %s: the pledge of %s is not charged", deadline, name)
			}
		}
	}
}

func TestPaymentsSince(t *testing.T) {
	w := newFixture(t)
	film, err := w.catalogue.Campaign("film")
	w.ok(err)
	check := func(what string, want time.Time) {
		t.Helper()
		film, err := w.svc.Catalogue().Campaign("film")
		w.ok(err)
		if got, err := w.svc.PaymentsSince(w.ctx, film); err != nil || !got.Equal(want.Add(-day)) {
			t.Errorf("%s: %s, %v, want %s", what, got, err, want.Add(-day))
		}
	}
	check("no pledge", film.StartsAt(w.zone))
	first := w.now
	w.pledge("ana", "film", 2500, sim.CardOK)
	check("a pledge", first)
	w.pledge("bob", "film", 2500, sim.CardOK)
	check("two pledges", first)
	w.edit("2026-12-01", 20)
	check("a later deadline", first)
	w.edit("2026-01-15", 20)
	film, err = w.svc.Catalogue().Campaign("film")
	w.ok(err)
	check("deadline before the first pledge", film.EndsAt(w.zone))
	w.cancel("ana", 0)
	w.edit("2026-03-01", 20)
	check("first pledge cancelled", first)
}

// A restored database is below its goal although everyone was charged. The campaign is not closed
// while charging is stopped, and the payments are booked once it is resumed.
func TestRestore_BelowTheGoal(t *testing.T) {
	for name, settle := range map[string]func(w *fixture) error{
		"by an operator": func(w *fixture) error { _, err := w.svc.Settle(w.ctx, "film", false); return err },
		"in batches":     func(w *fixture) error { _, err := w.svc.Dispatch(w.ctx, "film"); return err },
		"by closing":     func(w *fixture) error { w.mustDeleteCards("film", CardDeletion{}); w.runUntilDone(); return nil },
	} {
		w := newFixture(t)
		ana := w.pledge("ana", "film", 700, sim.CardOK)
		w.restore(func() {
			w.pledge("bob", "film", 2500, sim.CardOK)
			w.deadline()
			w.settle("film", false)
		})
		w.now = w.now.Add(Closing + Reopening)
		for range 3 {
			w.mustKeep(name, "film", ana)
			w.now = w.now.Add(day)
		}
		w.resume()
		w.ok(settle(w))
		for range 3 {
			_, err := w.deleteCards("film")
			w.ok(err)
		}
		if closed, err := w.svc.Closed(w.ctx, "film"); err != nil || closed || !w.pledgeByID(ana).Charged {
			t.Errorf("%s: closed %t, ana charged %t, %v", name, closed, w.pledgeByID(ana).Charged, err)
		}
		if diff := cmp.Diff([]money.Cents{700, 2500}, w.charged()); diff != "" {
			t.Errorf("%s: charged (-want +got):\n%s", name, diff)
		}
		if mails := w.mails(); slices.ContainsFunc(mails, func(m string) bool { return strings.HasPrefix(m, "missed") }) {
			t.Errorf("%s: mails %v", name, mails)
		}
	}
}

// A pledge that was cancelled or reduced after the backup is held. It is not charged, and its
// supporter gets no mail about a failed charge.
func TestRestore_HoldsPledgesWithOtherTerms(t *testing.T) {
	for name, tc := range map[string]struct {
		then func(w *fixture)
		want agreement.Terms
	}{
		"cancelled": {func(w *fixture) { w.cancel("ana", 0); w.agree(w.pledgeByID(w.pledgesOf["ana"][0])) },
			agreement.Terms{Revision: 2, Cancelled: true}},
		"reduced": {func(w *fixture) { w.change("ana", 0, 300) }, agreement.Terms{Revision: 2, Amount: 300}},
		"raised":  {func(w *fixture) { w.change("ana", 0, 900) }, agreement.Terms{Revision: 2, Amount: 900}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			id := w.pledge("ana", "film", 700, sim.CardOK)
			w.pledge("bob", "film", 2500, sim.CardOK)
			w.restore(func() { tc.then(w) })
			w.deadline()
			w.resume()
			for range 3 {
				w.settle("film", false)
				w.now = w.now.Add(day)
			}
			if diff := cmp.Diff([]money.Cents{2500}, w.charged()); diff != "" {
				t.Fatalf("charged (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"charged bob"}, w.mails()); diff != "" {
				t.Errorf("mails (-want +got):\n%s", diff)
			}
			found, err := w.svc.Disagreements(w.ctx, "film")
			w.ok(err)
			if len(found) != 1 || found[0].PledgeID != id || found[0].Recorded != tc.want || found[0].Amount != 700 {
				t.Fatalf("disagreements: %+v", found)
			}
			if _, done := w.completedAt("film"); done {
				t.Error("the settlement is complete")
			}
		})
	}
}

// A disagreement ends when the pledge is cancelled, when two operators accept its amount, or
// when its supporter agrees to the amount again.
func TestDisagreement_Ends(t *testing.T) {
	held := func(t *testing.T) (*fixture, string) {
		w := newFixture(t)
		id := w.pledge("ana", "film", 700, sim.CardOK)
		w.pledge("bob", "film", 2500, sim.CardOK)
		w.restore(func() { w.change("ana", 0, 300) })
		w.deadline()
		w.resume()
		w.settle("film", false)
		return w, id
	}
	t.Run("cancelled by an operator", func(t *testing.T) {
		w, id := held(t)
		p, err := w.svc.CancelUnchargeable(w.ctx, id)
		w.ok(err)
		w.runUntilDone()
		if _, done := w.completedAt("film"); p.Status != pledge.Cancelled || !done || len(w.charged()) != 1 {
			t.Errorf("the pledge is %s, complete %t, charged %v", p.Status, done, w.charged())
		}
	})
	t.Run("charged by two operators", func(t *testing.T) {
		w, id := held(t)
		for _, operator := range []string{"ada", "ada", "eve"} {
			w.settle("film", false)
			if len(w.charged()) != 1 {
				t.Fatalf("%v were charged before a second operator agreed", w.charged())
			}
			_, err := w.svc.AcceptTerms(w.ctx, "film", operator, id, "they wrote to us")
			w.ok(err)
		}
		w.svc = w.service()
		w.runUntilDone()
		if diff := cmp.Diff([]money.Cents{700, 2500}, w.charged()); diff != "" {
			t.Errorf("charged (-want +got):\n%s", diff)
		}
	})
	t.Run("agreed to again", func(t *testing.T) {
		w, _ := held(t)
		w.agree(func() *pledge.Pledge { // the same amount as in our records is recorded again
			p := *w.pledgeByID(w.pledgesOf["ana"][0])
			p.History = append(p.History, pledge.Entry{Type: "modified"})
			return &p
		}())
		w.svc = w.service()
		w.runUntilDone()
		if found, err := w.svc.Disagreements(w.ctx, "film"); err != nil || len(found) != 0 || len(w.charged()) != 2 {
			t.Errorf("%+v, %v, charged %v", found, err, w.charged())
		}
	})
	t.Run("refusals", func(t *testing.T) {
		w, id := held(t)
		_, err := w.svc.AcceptTerms(w.ctx, "film", "ada", id, "")
		wantCode(t, "no reason", err, fault.Invalid)
		_, err = w.svc.AcceptTerms(w.ctx, "film", "ada", w.pledgesOf["bob"][0], "a reason")
		wantCode(t, "no disagreement", err, fault.NotFound)
		_, err = w.svc.AcceptTerms(w.ctx, "none", "ada", id, "a reason")
		wantCode(t, "no campaign", err, fault.NotFound)
		_, err = w.svc.Disagreements(w.ctx, "none")
		wantCode(t, "list of an unknown campaign", err, fault.NotFound)
	})
}

// A database that was restored to before a second pledge was joined has another amount than
// the processor charged. Two operators accept the charged amount, and the pledges then show it.
func TestResolve_AcceptsTheProcessorsAmount(t *testing.T) {
	w := newFixture(t)
	a := w.pledge("ana", "film", 2000, sim.CardOK)
	w.pledge("bob", "film", 700, sim.CardOK)
	w.restore(func() {
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.deadline()
		w.settle("film", false)
	})
	w.pledgesOf["ana"] = w.pledgesOf["ana"][:1]
	w.resume()
	w.settle("film", false)
	g := w.group("ana", "film")
	if g.Status != state.NeedsAttention || g.Reason != state.AmountDiffers || g.Amount != 2000 {
		t.Fatalf("the charge is %s (%s) of %s", g.Status, g.Reason, g.Amount)
	}
	st := state.Statement{Group: g.Hash, PaymentID: g.PaymentIntentID}
	_, err := w.svc.Resolve(w.ctx, "film", "ada", st)
	wantCode(t, "without accepting the amount", err, fault.Conflict)
	st.AcceptAmount = true
	for _, operator := range []string{"ada", "ada"} {
		if got, err := w.svc.Resolve(w.ctx, "film", operator, st); err != nil || got.Status != state.NeedsAttention {
			t.Fatalf("after one operator: %s, %v", got.Status, err)
		}
	}
	got, err := w.svc.Resolve(w.ctx, "film", "eve", st)
	w.ok(err)
	p := w.pledgeByID(a)
	if got.Status != state.Succeeded || got.Amount != 4500 || got.Requested != 2000 || !p.Charged ||
		p.Paid() != 4500 || p.Amount != 2000 || p.Financials.Gross != 4500 {
		t.Errorf("the charge is %s of %s (%s requested), the pledge of %s is charged %s, %+v", got.Status,
			got.Amount, got.Requested, p.Amount, p.Paid(), p.Financials)
	}
	snap, err := w.svc.Inventory.Snapshot(w.ctx, "film")
	w.ok(err)
	if snap.Totals.Funds.Collected != 5200 {
		t.Errorf("%s were collected", snap.Totals.Funds.Collected)
	}
	if diff := cmp.Diff([]money.Cents{700, 4500}, w.charged()); diff != "" {
		t.Errorf("charged (-want +got):\n%s", diff)
	}
}

// A payment that was refunded in full does not contradict a statement.
func TestResolve_RefundedPaymentsDoNotCount(t *testing.T) {
	w, hash := chargeInDoubt(t, sim.DropRequest)
	w.now = w.now.Add(25 * time.Hour)
	w.conn.lookupsLost, w.conn.listEmpty = 0, false
	g := w.group("bob", "film")
	out := w.sim.Processor().Charge(w.ctx, chargeOf(g, "by hand", w.now))
	st := state.Statement{Group: hash, NothingCharged: true}
	_, err := w.svc.Resolve(w.ctx, "film", "ada", st)
	wantCode(t, "a payment succeeded", err, fault.Conflict)
	_, err = w.sim.Refund(out.Payment.ID, 1000)
	w.ok(err)
	_, err = w.svc.Resolve(w.ctx, "film", "ada", st)
	wantCode(t, "refunded in part", err, fault.Conflict)
	_, err = w.sim.Refund(out.Payment.ID, 1500)
	w.ok(err)
	_, err = w.svc.Resolve(w.ctx, "film", "ada", st)
	w.ok(err)
}
