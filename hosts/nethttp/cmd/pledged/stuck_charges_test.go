package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// pay makes a payment for a pledge's charge directly at the processor, with the card of the same or
// another pledge.
func (s *testInstall) pay(id, card string) string {
	s.t.Helper()
	p, err := s.open().Services.Settlement.Orders.Pledge(s.t.Context(), card)
	s.ok(err)
	out := s.open().Sim.Processor().Charge(s.t.Context(), psp.NewCharge{
		Key: "by hand", Group: "settle:song:" + state.OwnGroupHash("song", id) + ":1", Amount: 2000,
		CustomerID: p.CustomerID, PaymentMethodID: p.PaymentMethodID,
		Metadata: map[string]string{psp.CampaignKey: "song"}, NotAfter: s.now.Add(time.Hour)})
	if out.Status != psp.Succeeded {
		s.t.Fatalf("payment = %+v", out)
	}
	return out.Payment.ID
}

func (s *testInstall) refund(payment string) {
	s.t.Helper()
	_, err := s.open().Sim.Refund(payment, 0)
	s.ok(err)
}

// attention returns the state of a charge that two operators have to resolve.
func (s *testInstall) attention(id, payment string) stuck {
	s.t.Helper()
	hash := state.OwnGroupHash("song", id)
	g, err := s.open().Services.Settlement.Group(s.t.Context(), "song", hash)
	s.ok(err)
	if g == nil || g.Status != state.NeedsAttention {
		s.t.Fatalf("charge = %+v", g)
	}
	is := stuck{words: map[string]string{"GROUP": hash}, keys: both, left: s.charged(id)}
	if payment != "" {
		is.words["PAYMENT"] = payment
	}
	return is
}

func unanswered(s *testInstall) stuck {
	id := s.pledge("ana", "download", sim.CardOK)
	s.now = time.Date(2026, time.November, 21, 8, 0, 0, 0, time.UTC)
	s.fault(sim.ServerError, 1)
	for range 26 {
		s.ok(s.settle())
		s.now = s.now.Add(time.Hour)
	}
	return s.attention(id, "")
}

// arrivedLate makes a charge without a response whose request reached the processor.
func arrivedLate(s *testInstall) stuck {
	unanswered(s)
	all, err := s.open().Services.Settlement.Attention(s.t.Context(), "song")
	s.ok(err)
	id := all[0].Orders[0].ID
	return s.attention(id, s.pay(id, id))
}

// misdirected makes a charge whose responses were about another customer's payment, and returns the
// ID of its pledge.
func (s *testInstall) misdirected() (id string) {
	id = s.pledge("ana", "download", sim.CardOK)
	for _, op := range []sim.Op{sim.CreateIntent, sim.ListIntents, sim.ListIntents} {
		s.ok(s.open().Sim.InjectFaults(sim.Fault{Kind: sim.OtherCustomer, Op: op}))
	}
	s.ok(s.settle())
	s.now = s.now.Add(time.Hour)
	return id
}

func wrongAnswer(s *testInstall) stuck {
	id := s.misdirected()
	s.attention(id, "")
	return stuck{left: s.charged(id)}
}

func wrongAnswerOnly(s *testInstall) stuck {
	id := s.misdirected()
	return s.attention(id, s.open().Sim.Entries()[0].PaymentID)
}

// paymentOfAnother makes a charge whose payment was made with another supporter's card.
func paymentOfAnother(s *testInstall) stuck {
	id, other := s.pledge("ana", "download", sim.CardOK), s.pledge("bob", "download", sim.CardOK)
	s.fault(sim.BadGateway, 2)
	s.ok(s.settle())
	payment := s.pay(id, other)
	s.now = s.now.Add(time.Hour)
	s.close() // the next run lists the processor's payments
	s.ok(s.settle())
	is := s.attention(id, "")
	is.first = func() {
		s.refund(payment)
		s.now = s.now.Add(25 * time.Hour)
	}
	return is
}

func (s *testInstall) captured() (id, payment string) {
	id = s.pledge("ana", "download", sim.CardOK)
	s.fault(sim.PartialCapture, 1)
	s.ok(s.settle())
	return id, s.open().Sim.Entries()[0].PaymentID
}

func partialCapture(s *testInstall) stuck {
	id, payment := s.captured()
	is := s.attention(id, payment)
	is.left = func() bool {
		p, err := s.open().Services.Settlement.Orders.Pledge(s.t.Context(), id)
		s.ok(err)
		return p.Paid() == 1000
	}
	return is
}

func partialCaptureRefunded(s *testInstall) stuck {
	id, payment := s.captured()
	is := s.attention(id, "")
	is.first = func() {
		s.refund(payment)
		s.now = s.now.Add(25 * time.Hour)
	}
	return is
}

func (s *testInstall) reconciled() bool {
	s.t.Helper()
	r, err := s.open().Services.Reconcile.Run(s.t.Context(), "song", reconcile.MaxRetrievals)
	s.ok(err)
	return r.OpenBreaks == 0
}

func notBooked(s *testInstall) stuck {
	id := s.pledge("ana", "download", sim.CardOK)
	s.forget(func() { s.ok(s.settle()) })
	s.now = s.now.Add(25 * time.Hour)
	return stuck{left: func() bool {
		return s.reconciled() && s.status(id) == pledge.Charged && len(s.open().Sim.Entries()) == 1
	}}
}

// keptFromClosing brings the campaign below its goal by removing a charged pledge from the
// database. It returns the ID of that pledge.
func (s *testInstall) keptFromClosing() (id string, is stuck) {
	s.edit("goal_amount: 20", "goal_amount: 30")
	s.pledge("bob", "download", sim.CardOK)
	backup := filepath.Join(s.t.TempDir(), "later.db")
	var lost checkout.Started
	s.forget(func() {
		lost = s.start("ana", "download")
		s.save(lost, sim.CardOK)
		s.must("backup " + backup)
		s.now = time.Date(2026, time.November, 21, 9, 0, 0, 0, time.UTC)
		id = lost.Campaigns[0].OrderID
		s.pay(id, id)
	})
	s.now = s.now.Add(settlement.Closing)
	if s.closedByCron() {
		s.t.Fatal("campaign closed despite a lost charge")
	}
	return id, stuck{words: map[string]string{"SESSION": lost.SessionID, "FILE": backup}, left: func() bool {
		first, second := s.closedByCron(), s.closedByCron()
		return !first && !second && s.isCharged(id)
	}}
}

// closedByCron runs the hourly work and reports whether the campaign is closed.
func (s *testInstall) closedByCron() bool {
	s.t.Helper()
	_, _ = s.open().Services.Cron(s.t.Context()) // fails while a settlement is held
	st, err := s.open().Services.Settlement.Status(s.t.Context(), "song")
	s.ok(err)
	return st.ClosedAt != nil
}

// isCharged reports whether a pledge is charged. It returns false for an unknown pledge.
func (s *testInstall) isCharged(id string) bool {
	s.t.Helper()
	p, err := s.open().Services.Settlement.Orders.Pledge(s.t.Context(), id)
	if !fault.Is(err, fault.NotFound) {
		s.ok(err)
	}
	return err == nil && p.Charged
}

func recoveredForClosing(s *testInstall) stuck {
	_, is := s.keptFromClosing()
	return is
}

func settledInsteadOfClosing(s *testInstall) stuck {
	id, is := s.keptFromClosing()
	return stuck{left: func() bool { return s.isCharged(id) }, first: func() {
		s.must("recover " + is.words["SESSION"] + " --backup " + is.words["FILE"])
	}}
}

func chargedTwice(s *testInstall) stuck {
	id := s.pledge("ana", "download", sim.CardOK)
	s.ok(s.settle())
	second := s.pay(id, id)
	s.now = s.now.Add(25 * time.Hour)
	return stuck{left: func() bool {
		r, err := s.open().Services.Reconcile.Report(s.t.Context(), "song")
		s.ok(err)
		return r.Pass > 0 && r.OpenBreaks == 0
	}, first: func() {
		if s.reconciled() {
			s.t.Fatal("no break was opened")
		}
		s.refund(second)
	}}
}

// allHave returns a function that reports whether all pledges have a status.
func (s *testInstall) allHave(ids []string, want pledge.Status) func() bool {
	return func() bool {
		for _, id := range ids {
			if s.status(id) != want {
				return false
			}
		}
		return true
	}
}

func (s *testInstall) pledges(n int, card string) (ids []string) {
	s.t.Helper()
	for i := range n {
		ids = append(ids, s.pledge(fmt.Sprintf("s%d", i), "download", card))
		s.now = s.now.Add(time.Minute)
	}
	return ids
}

func refusedKey(s *testInstall) stuck {
	id := s.pledge("ana", "download", sim.CardOK)
	s.fault(sim.APIKeyRevoked, 1)
	_ = s.settle()
	s.now = s.now.Add(time.Hour)
	return stuck{left: s.charged(id)}
}

func refusedAsInvalid(s *testInstall) stuck {
	ids := s.pledges(4, sim.CardOK)
	s.fault(sim.Refuse, 10)
	_ = s.settle()
	s.now = s.now.Add(2 * time.Hour)
	return stuck{left: s.allHave(ids, pledge.Charged), first: func() { s.open().Sim.ClearFaults() }}
}

func tooManyFailed(s *testInstall) stuck {
	ids := s.pledges(31, sim.CardChargeDeclined)
	_ = s.settle()
	return stuck{left: s.allHave(ids, pledge.PaymentFailed)} // each supporter is asked for another card
}

func noAnswers(s *testInstall) stuck {
	ids := s.pledges(21, sim.CardOK)
	s.fault(sim.BadGateway, 20)
	_ = s.settle()
	s.now = s.now.Add(20 * time.Minute)
	return stuck{left: s.allHave(ids, pledge.Charged)}
}

// A payment that was refunded at the processor does not prevent the closing of a campaign.
func TestCampaign_CloseAfterRefund(t *testing.T) {
	s := newTestInstall(t)
	_, _ = s.keptFromClosing()
	s.refund(s.open().Sim.Entries()[0].PaymentID)
	if !s.closedByCron() {
		t.Error("the campaign is not closed")
	}
}

// The list of charges contains the requested and received amounts, the reason, responses about
// other charges, and the first operator's statement.
func TestResolve_List(t *testing.T) {
	for name, tc := range map[string]struct {
		reach func(s *testInstall) stuck
		state string
		want  []string
	}{
		"another amount": {partialCapture, "--payment PAYMENT --accept-amount",
			[]string{"$20.00", "$10.00", "amount_differs", "PAYMENT", "ada: PAYMENT, amount accepted"}},
		"another charge": {wrongAnswerOnly, "--payment PAYMENT",
			[]string{"$20.00", "answer_differs", "the processor returned payment PAYMENT, which differs in customer"}},
		"no answer": {unanswered, "--nothing-charged", []string{"$20.00", "no_answer", "ada: nothing charged"}},
	} {
		s := newTestInstall(t)
		is := tc.reach(s)
		values := strings.NewReplacer("GROUP", is.words["GROUP"], "PAYMENT", is.words["PAYMENT"])
		s.decide(values.Replace("resolve song GROUP "+tc.state), "ada's", "Recorded for ada")
		out, code := s.run("resolve song", "")
		for _, want := range append(tc.want, "GROUP") {
			if want = values.Replace(want); code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s: output lacks %q, exit status %d:\n%s", name, want, code, out)
			}
		}
	}
}
