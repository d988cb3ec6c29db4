package settlement

import (
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func chargeOf(g *state.Group, key string, now time.Time) psp.NewCharge {
	return psp.NewCharge{Key: key, Group: g.Key,
		Metadata: map[string]string{psp.CampaignKey: g.CampaignSlug}, Amount: g.Amount,
		CustomerID: g.CustomerID, PaymentMethodID: g.PaymentMethodID, NotAfter: now.Add(time.Hour)}
}

// A response about another charge books nothing and is shown to operators. The correct result is
// booked once it can be read.
func TestCharge_AnswerAboutAnotherCharge(t *testing.T) {
	for kind, reason := range map[sim.FaultKind]string{
		sim.OtherCustomer: state.AnswerDiffers, sim.OtherMethod: state.AnswerDiffers,
		sim.OtherGroup: state.AnswerDiffers, sim.OtherMode: state.AnswerDiffers,
		sim.ShortCapture: state.AmountDiffers, sim.Misreport: state.AmountDiffers,
	} {
		t.Run(string(kind), func(t *testing.T) {
			w := newFixture(t)
			id := w.pledge("ana", "film", 2500, sim.CardOK)
			w.deadline()
			w.ok(w.sim.InjectFaults(sim.Fault{Kind: kind, Op: sim.CreateIntent}, sim.Fault{Kind: kind, Op: sim.ListIntents},
				// the first list is the import's
				sim.Fault{Kind: kind, Op: sim.ListIntents}, sim.Fault{Kind: kind, Op: sim.RetrieveIntent}))
			w.settle("film", false)
			g := w.group("ana", "film")
			if g.Status != state.NeedsAttention || g.Reason != reason || w.pledgeByID(id).Charged || len(w.mails()) != 0 {
				t.Fatalf("the charge is %s (%s, %s), the pledge charged %t, mails %v", g.Status, g.Reason,
					g.Code, w.pledgeByID(id).Charged, w.mails())
			}
			waiting, err := w.svc.Attention(w.ctx, "film")
			w.ok(err)
			if len(waiting) != 1 {
				t.Errorf("%d charges wait for operators", len(waiting))
			}
			w.sim.ClearFaults()
			w.now = w.now.Add(time.Hour)
			w.settle("film", false)
			if g := w.group("ana", "film"); g.Status != state.Succeeded || !w.pledgeByID(id).Charged ||
				len(w.sim.Entries()) != 1 {
				t.Errorf("with a correct answer the charge is %s (%s), the pledge charged %t, %d payments",
					g.Status, g.Reason, w.pledgeByID(id).Charged, len(w.sim.Entries()))
			} else if kept := len(g.Differences) > 0; kept != (reason == state.AnswerDiffers) {
				t.Errorf("evidence: %+v", g.Differences)
			}
		})
	}
}

// A capture of less than the requested amount is not booked as a success.
func TestCharge_PartialCapture(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.PartialCapture, Op: sim.CreateIntent}))
	for range 3 {
		w.settle("film", false)
		w.now = w.now.Add(time.Hour)
	}
	g := w.group("ana", "film")
	if g.Status != state.NeedsAttention || g.Reason != state.AmountDiffers || g.Received != 1250 ||
		w.pledgeByID(id).Charged {
		t.Fatalf("the charge is %s (%s), the pledge charged %t", g.Status, g.Reason, w.pledgeByID(id).Charged)
	}
	st := state.Statement{Group: g.Hash, PaymentID: g.PaymentIntentID, AcceptAmount: true}
	for _, operator := range []string{"ada", "eve"} {
		_, err := w.svc.Resolve(w.ctx, "film", operator, st)
		w.ok(err)
	}
	if p := w.pledgeByID(id); !p.Charged || p.Paid() != 1250 || p.Amount != 2500 {
		t.Errorf("charged %t, %s of %s", p.Charged, p.Paid(), p.Amount)
	}
}

// The processor rejects requests as invalid. After three rejections with the same code the breaker
// opens: the other charges wait, and no supporter is asked for another card. After the cause is
// fixed and the breaker released, all are charged.
func TestCharge_RejectedAsInvalid(t *testing.T) {
	w := newFixture(t)
	const supporters = 40
	for i := range supporters {
		w.pledge(fmt.Sprintf("fan%02d", i), "film", 100, sim.CardOK)
	}
	w.deadline()
	var faults []sim.Fault
	for range 2 * supporters {
		faults = append(faults, sim.Fault{Kind: sim.Refuse, Op: sim.CreateIntent})
	}
	w.ok(w.sim.InjectFaults(faults...))
	for range 48 {
		_, _ = w.svc.Settle(w.ctx, "film", false)
		w.now = w.now.Add(time.Hour)
	}
	if n := w.sim.Received(sim.CreateIntent); n != 3 {
		t.Errorf("%d charges were sent to a processor that rejects them", n)
	}
	st, err := w.svc.Status(w.ctx, "film")
	w.ok(err)
	if st.Held == nil || !st.Held.Refused || len(w.mails()) != 0 {
		t.Fatalf("held %+v, mails %v", st.Held, w.mails())
	}
	w.sim.ClearFaults()
	_, err = w.svc.Release(w.ctx, "film")
	w.ok(err)
	w.runUntilDone()
	if n := len(w.sim.Entries()); n != supporters || len(w.mails()) != supporters {
		t.Errorf("%d supporters were charged, %d emailed", n, len(w.mails()))
	}
	if _, done := w.completedAt("film"); !done {
		t.Error("the settlement is not complete")
	}
}

// A single rejection is handled as a failed charge: the same card is retried, a new card is
// charged, and at the end the pledge is dropped.
func TestCharge_OneRejection(t *testing.T) {
	refused := func(t *testing.T) (w *fixture, name, id string) {
		w = newFixture(t)
		w.pledge("ana", "film", 700, sim.CardOK)
		w.pledge("bob", "film", 2500, sim.CardOK)
		w.deadline()
		w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.Refuse, Op: sim.CreateIntent}))
		w.settle("film", false)
		if len(w.mails()) != 1 || len(w.charged()) != 1 {
			t.Fatalf("charged %v, mails %v", w.charged(), w.mails())
		}
		for _, name := range w.names {
			if id := w.pledgesOf[name][0]; !w.pledgeByID(id).Charged {
				w.now = w.now.Add(time.Hour)
				w.settle("film", false)
				return w, name, id
			}
		}
		return w, "", ""
	}
	t.Run("retried", func(t *testing.T) {
		w, name, id := refused(t)
		if mails := w.mails(); len(mails) != 2 {
			t.Errorf("mails %v", mails)
		}
		p := w.pledgeByID(id)
		if p.Status != pledge.PaymentFailed || p.Recovery == nil || p.Recovery.Lane != pledge.Wait {
			t.Fatalf("the pledge of %s is %s, %+v", name, p.Status, p.Recovery)
		}
		w.now = p.Recovery.RetryAt.Add(time.Minute)
		w.runUntilDone()
		if !w.pledgeByID(id).Charged {
			t.Errorf("the pledge of %s is %s", name, w.pledgeByID(id).Status)
		}
	})
	t.Run("another card", func(t *testing.T) {
		w, name, id := refused(t)
		w.newCard(name, sim.CardOK, 0)
		w.ok(w.svc.RetryCard(w.ctx, "film", email(name)))
		if !w.pledgeByID(id).Charged {
			t.Errorf("the pledge of %s is %s", name, w.pledgeByID(id).Status)
		}
	})
}

// A payment in the processor's list that was made with another customer's card is kept as
// evidence and not booked.
func TestImport_PaymentOfAnotherCustomer(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.BadGateway, Op: sim.CreateIntent}))
	w.settle("film", false)
	g := w.group("ana", "film")
	other := w.saveCard("bob", sim.CardOK)
	c := chargeOf(g, "by hand", w.now)
	c.CustomerID, c.PaymentMethodID = other.CustomerID, other.PaymentMethodID
	out := w.sim.Processor().Charge(w.ctx, c)
	w.now = w.now.Add(time.Hour)
	w.svc = w.service()
	w.settle("film", false)
	if g := w.group("ana", "film"); g.Status != state.NeedsAttention || g.Reason != state.AnswerDiffers ||
		w.pledgeByID(id).Charged || len(w.charged()) != 1 {
		t.Fatalf("the charge is %s (%s), the pledge charged %t, payments %v", g.Status, g.Reason,
			w.pledgeByID(id).Charged, w.charged())
	}
	_, err := w.sim.Refund(out.Payment.ID, 0)
	w.ok(err)
	w.stateNothingCharged(g)
	if !w.pledgeByID(id).Charged || len(w.charged()) != 2 {
		t.Errorf("the pledge charged %t, payments %v", w.pledgeByID(id).Charged, w.charged())
	}
}

// A restored database lacks a payment. If the customer in the processor's list differs from
// the pledge's, the payment is kept as evidence; it is booked once the list is correct.
func TestImport_LostPaymentOfAnotherCustomer(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	before := w.db.Snapshot()
	w.settle("film", false)
	w.db.Restore(before)
	w.now = w.now.Add(time.Hour)
	w.svc = w.service()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.OtherCustomer, Op: sim.ListIntents}))
	w.settle("film", false)
	if g := w.group("ana", "film"); g.Status != state.NeedsAttention || g.Reason != state.AnswerDiffers ||
		g.Code != "customer" || w.pledgeByID(id).Charged {
		t.Fatalf("the charge is %s (%s, %s), the pledge charged %t", g.Status, g.Reason, g.Code, w.pledgeByID(id).Charged)
	}
	for range 3 {
		w.now = w.now.Add(day)
		w.settle("film", false)
	}
	if !w.pledgeByID(id).Charged || len(w.charged()) != 1 {
		t.Errorf("the pledge charged %t, payments %v", w.pledgeByID(id).Charged, w.charged())
	}
}

// stateNothingCharged has two operators state, a day later, that a charge charged nothing.
func (w *fixture) stateNothingCharged(g *state.Group) {
	w.t.Helper()
	w.now = w.now.Add(25 * time.Hour)
	w.svc = w.service()
	for _, operator := range []string{"ada", "eve"} {
		_, err := w.svc.Resolve(w.ctx, g.CampaignSlug, operator, state.Statement{Group: g.Hash, NothingCharged: true})
		w.ok(err)
	}
}

// A payment of the wrong amount is refunded, and two operators state that nothing was charged.
// The charge is repeated, and the refunded payment in the processor's list does not prevent that.
func TestResolve_NothingChargedAfterARefund(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.PartialCapture, Op: sim.CreateIntent}))
	w.settle("film", false)
	g := w.group("ana", "film")
	_, err := w.sim.Refund(g.PaymentIntentID, 0)
	w.ok(err)
	w.stateNothingCharged(g)
	for range 3 {
		w.svc = w.service()
		w.settle("film", false)
		w.now = w.now.Add(day)
	}
	if p := w.pledgeByID(id); !p.Charged || p.Paid() != 2500 || p.PaymentIntentID == g.PaymentIntentID ||
		len(w.charged()) != 2 {
		t.Errorf("charged %t, %s by %s, payments %v", p.Charged, p.Paid(), p.PaymentIntentID, w.charged())
	}
}
