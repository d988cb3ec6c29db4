package settlement

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A delayed response to a charge that is known to have failed changes neither the failure's
// reason nor the retry of the card.
func TestRecovery_LateAnswer(t *testing.T) {
	for _, late := range []psp.Status{psp.NotStarted, psp.Unknown} {
		w := newFixture(t)
		id := w.pledge("ana", "film", 2500, sim.CardOK)
		w.deadline()
		w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.Decline, DeclineCode: "insufficient_funds"}))
		_, err := w.svc.Settle(w.ctx, "film", false)
		w.ok(err)
		failed := *w.group("ana", "film")
		if failed.Status != state.Failed || !failed.MayPass || failed.DeclineCode != "insufficient_funds" {
			t.Fatalf("the charge is %+v", failed)
		}
		w.now = w.now.Add(time.Hour)
		_, err = state.Client{Coordinator: w.svc.Coordinator, Slug: "film"}.RecordResult(w.ctx,
			state.Lease{}, failed, state.Result{Status: late, Code: "late"})
		w.ok(err)
		got := *w.group("ana", "film")
		failed.UpdatedAt, failed.Learned = got.UpdatedAt, got.Learned
		if diff := cmp.Diff(failed, got); diff != "" {
			t.Errorf("%s changes the failure (-want +got):\n%s", late, diff)
		}
		w.now = *w.pledgeByID(id).Recovery.RetryAt
		due, err := w.svc.DueCampaigns(w.ctx)
		w.ok(err)
		if diff := cmp.Diff([]string{"film"}, due); diff != "" {
			t.Errorf("after %s the retry is not due (-want +got):\n%s", late, diff)
		}
	}
}

// A delayed result of the first attempt's decline does not change the second attempt.
func TestRecovery_LateDecline(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardProcessing+":90m")
	w.deadline()
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.Decline, DeclineCode: "insufficient_funds"}))
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	first := *w.group("ana", "film")
	w.now = *w.pledgeByID(id).Recovery.RetryAt
	_, err = w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	second := *w.group("ana", "film")
	if first.Generation != 1 || second.Generation != 2 || second.Status != state.Submitted {
		t.Fatalf("attempt %d is %s, and attempt %d %s", first.Generation, first.Status, second.Generation, second.Status)
	}
	_, err = state.Client{Coordinator: w.svc.Coordinator, Slug: "film"}.RecordResult(w.ctx, state.Lease{},
		first, state.Result{Status: psp.Declined, Code: "late"})
	w.ok(err)
	if diff := cmp.Diff(second, *w.group("ana", "film")); diff != "" {
		t.Errorf("a decline of the first attempt changes the second (-want +got):\n%s", diff)
	}
}

// with returns a changed copy of a group.
func with(g state.Group, change func(*state.Group)) state.Group {
	change(&g)
	return g
}

// The plan's verdicts for a new attempt, a drop and the end of the recovery period.
func TestPlan_Recovery(t *testing.T) {
	policy := campaign.Recovery{GraceDays: 10, RetryDays: []int{2}, Attempts: 3}
	first := noon
	failed := state.Group{Status: state.Failed, Booked: true, Generation: 1, FirstFailedAt: &first,
		SettledAt: &first, CardSavedAt: noon}
	soft := with(failed, func(g *state.Group) { g.MayPass = true })
	waiting := with(failed, func(g *state.Group) { g.Confirmable = true })
	old, newer := aPledge("a", 2500, pledge.PaymentFailed, "a", 0), aPledge("a", 2500, pledge.PaymentFailed, "b", 1)
	tests := []struct {
		name  string
		g     state.Group
		p     *pledge.Pledge
		after time.Duration
		want  verdict
	}{
		{"before the retry", soft, old, 2*day - 1, nothingOwed},
		{"the retry", soft, old, 2 * day, toCharge},
		{"no retry of a card that cannot succeed", failed, old, 2 * day, nothingOwed},
		{"newer card before the end", failed, newer, day, toCharge},
		{"newer card after the end", failed, newer, 11 * day, toCharge},
		{"just before the end", failed, old, 10*day - 1, nothingOwed},
		{"the end", failed, old, 10 * day, toDrop},
		{"waiting for approval", waiting, old, 9 * day, nothingOwed},
		{"no retry while waiting for approval", with(waiting, func(g *state.Group) { g.MayPass = true }),
			old, 2 * day, nothingOwed},
		{"never approved", waiting, old, 10 * day, toDrop},
		{"all attempts made", with(failed, func(g *state.Group) { g.Generation = 3 }), old, day, toDrop},
		{"all attempts made, newer card", with(failed, func(g *state.Group) { g.Generation = 3 }), newer, day, toDrop},
		{"all attempts made, waiting for approval", with(waiting, func(g *state.Group) { g.Generation = 3 }),
			old, day, nothingOwed},
		{"dropped", with(failed, func(g *state.Group) { g.DroppedAt = &first }), newer, 11 * day, latePledge},
	}
	for _, tt := range tests {
		if p := planFor(&tt.g, []*pledge.Pledge{tt.p}, policy, noon.Add(tt.after)); p.verdict != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, p.verdict, tt.want)
		}
	}
	dropped := *newer
	dropped.Recovery = &pledge.Recovery{Lane: pledge.Dropped}
	given := with(failed, func(g *state.Group) { g.DroppedAt = &first })
	if p := planFor(&given, []*pledge.Pledge{&dropped}, policy, noon.Add(11*day)); p.verdict != nothingOwed {
		t.Errorf("dropped, and recorded in the pledge: %s, want nothing", p.verdict)
	}
}

// endings are the ways in which a failed charge can end.
var endings = []struct {
	name, card string
	act        func(w *fixture)
	status     pledge.Status
	lane       pledge.Lane
}{
	{"approved", sim.CardAuthAlways, func(w *fixture) {
		w.ok(w.sim.Authenticate(w.group("ana", "film").PaymentIntentID))
		_ = w.approved("ana")
	}, pledge.Charged, ""},
	{"approved and new card", sim.CardAuthAlways, func(w *fixture) {
		w.ok(w.sim.Authenticate(w.group("ana", "film").PaymentIntentID))
		_ = w.svc.RetryCard(w.ctx, "film", email("ana"))
	}, pledge.Charged, ""},
	{"new card instead of approval", sim.CardAuthAlways,
		func(w *fixture) { _ = w.svc.RetryCard(w.ctx, "film", email("ana")) }, pledge.Charged, ""},
	{"a new card", sim.CardChargeDeclined, func(w *fixture) { _ = w.svc.RetryCard(w.ctx, "film", email("ana")) },
		pledge.Charged, ""},
	{"no other card", sim.CardChargeDeclined, nil, pledge.PaymentFailed, pledge.Dropped},
	{"never approved", sim.CardAuthAlways, nil, pledge.PaymentFailed, pledge.Dropped},
}

// The process crashes at every effect of a recovery in turn and is restarted. There is at most
// one charge, and one email about the outcome.
func TestRecovery_CrashAnywhere(t *testing.T) {
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			start := func() *fixture {
				w := newFixture(t)
				w.pledge("ana", "film", 2500, e.card)
				w.deadline()
				w.settle("film", false)
				w.mails()
				if e.act == nil {
					w.now = w.now.Add(14*day + time.Hour)
					return w
				}
				if e.name != "approved" {
					w.newCard("ana", sim.CardOK, 0)
				}
				return w
			}
			run := func(w *fixture) {
				w.conn.effects = 0
				if e.act != nil {
					e.act(w)
					return
				}
				if due, err := w.svc.DueCampaigns(w.ctx); err == nil && len(due) > 0 {
					w.batches("chain", "film")
				}
			}
			clean := start()
			run(clean)
			effects := clean.conn.effects
			for cut := 0; cut <= effects; cut += stride() {
				w := start()
				w.conn.failAt = cut
				run(w)
				w.restart()
				w.runPastRecovery()
				w.checkOutcome(e.status, e.lane)
				if t.Failed() {
					t.Fatalf("cut at effect %d of %d", cut, effects)
				}
			}
			t.Logf("%d crash points", effects)
		})
	}
}

// The process crashes after it claimed a pledge for another attempt, and does not run until
// the recovery period is over. The pledge is dropped.
func TestRecovery_DroppedWhileClaimed(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardAuthInsufficient)
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(3*day + time.Hour)
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "submit" {
			return errDisconnected
		}
		return nil
	}
	w.run([]string{"hour"})
	if c := w.pledgeByID(id).Settlement; c == nil || c.Generation != 2 {
		t.Fatalf("the pledge is claimed: %+v", c)
	}
	w.conn.watch = nil
	w.now = w.now.Add(14 * day)
	w.runPastRecovery()
	w.checkOutcome(pledge.PaymentFailed, pledge.Dropped)
}

// runPastRecovery runs the jobs until long after every recovery period.
func (w *fixture) runPastRecovery() {
	w.t.Helper()
	for range 60 {
		w.svc = w.service()
		w.now = w.now.Add(7 * time.Hour)
		due, err := w.svc.DueCampaigns(w.ctx)
		w.ok(err)
		if len(due) > 0 {
			w.batches("chain", "film")
		}
	}
}

func (w *fixture) checkOutcome(status pledge.Status, lane pledge.Lane) {
	w.t.Helper()
	w.ok(w.sim.Check())
	id := w.pledgesOf["ana"][0]
	p := w.pledgeByID(id)
	stored, _, err := kv.Read[pledge.Pledge](w.ctx, w.svc.Store, pledge.Key(id))
	w.ok(err)
	if diff := cmp.Diff(*p, stored); diff != "" {
		w.t.Errorf("the record (-order +record):\n%s", diff)
	}
	w.checkCopy("ana")
	mails := []string{"update_card ana"}
	charges := 0
	if status == pledge.Charged {
		mails, charges = append([]string{"charged ana"}, mails...), 1
	} else {
		mails = append([]string{"dropped ana"}, mails...)
	}
	if n := len(w.sim.Entries()); n != charges || p.Status != status || (p.Recovery != nil) != (lane != "") ||
		lane != "" && p.Recovery.Lane != lane {
		w.t.Errorf("%d charges, the pledge is %s, %+v", n, p.Status, p.Recovery)
	}
	if diff := cmp.Diff(mails, w.mails()); diff != "" {
		w.t.Errorf("mails (-want +got):\n%s", diff)
	}
	if s := fmt.Sprint(w.group("ana", "film").Status); (s == string(state.Succeeded)) != (status == pledge.Charged) {
		w.t.Errorf("the group is %s", s)
	}
}

// The supporter approves the payment while its failure is being booked. The success is booked
// as well.
func TestRecovery_ApprovedWhileBooking(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardAuthAlways)
	w.deadline()
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind != memkv.OpDo || op.Command.Kind != "fail" || !op.After {
			return nil
		}
		w.conn.watch = nil
		g := w.group("ana", "film")
		w.ok(w.sim.Authenticate(g.PaymentIntentID))
		p, err := w.svc.Processor.Payment(w.ctx, g.PaymentIntentID)
		w.ok(err)
		_, err = state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}.RecordResult(w.ctx,
			state.Lease{}, *g, w.svc.lookupResult(*g, p))
		w.ok(err)
		return nil
	}
	w.settle("film", false)
	if g := w.group("ana", "film"); g.Status != state.Succeeded || !g.Booked || !w.pledgeByID(id).Charged {
		t.Errorf("the group is %s, booked %t, and the pledge %s", g.Status, g.Booked, w.pledgeByID(id).Status)
	}
	if diff := cmp.Diff([]string{"charged ana"}, w.mails()); diff != "" {
		t.Errorf("mails (-want +got):\n%s", diff)
	}
}

// Every failure is handled, however many there are, including the last one; here it is the
// only one with a step due.
func TestRecovery_ManyFailures(t *testing.T) {
	const failures = 29 // one more would open the breaker
	w := newFixture(t)
	for i := range failures {
		w.pledge(fmt.Sprintf("fan%02d", i), "film", 1000, sim.CardChargeDeclined)
	}
	w.deadline()
	w.settle("film", false)
	slices.SortFunc(w.names, func(a, b string) int {
		return strings.Compare(state.GroupHash("film", email(a)), state.GroupHash("film", email(b)))
	})
	if w.run([]string{"due"}); len(w.conn.charges) != failures || failures <= BatchSize {
		t.Fatalf("%d charges", len(w.conn.charges))
	}
	for _, those := range [][]int{{failures - 1}, {0, BatchSize - 1, BatchSize}} {
		for _, nth := range those {
			w.newCard(w.names[nth], sim.CardOK, 0)
		}
		w.run([]string{"hour"})
		for _, nth := range those {
			if p := w.pledgeByID(w.pledgesOf[w.names[nth]][0]); !p.Charged {
				t.Errorf("failure %d of %d has a new card, and its pledge is %s", nth+1, failures, p.Status)
			}
		}
	}
	if n := len(w.sim.Entries()); n != 4 {
		t.Errorf("%d charges", n)
	}
}

// Each charge of an address is handled, whether or not its card was replaced.
func TestRecovery_SeveralChargesOfAnAddress(t *testing.T) {
	for nth := range 3 {
		w := newFixture(t)
		for range 3 {
			w.pledgeTyped("ana", "film", 1000, sim.CardChargeDeclined)
		}
		w.deadline()
		w.settle("film", false)
		w.newCard("ana", sim.CardOK, nth)
		w.run([]string{"hour"})
		for i, id := range w.pledgesOf["ana"] {
			if p := w.pledgeByID(id); p.Charged != (i == nth) {
				t.Errorf("with another card for pledge %d, pledge %d is %s", nth+1, i+1, p.Status)
			}
		}
	}
}

// A payment that its supporter approved is booked immediately if the supporter also replaces
// the card, and the new card is not charged.
func TestRecovery_ApprovedAndNewCard(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardAuthAlways)
	w.deadline()
	w.settle("film", false)
	w.ok(w.sim.Authenticate(w.group("ana", "film").PaymentIntentID))
	w.newCard("ana", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if g := w.group("ana", "film"); !w.pledgeByID(id).Charged || !g.Booked || g.Generation != 1 ||
		len(w.sim.Entries()) != 1 {
		t.Errorf("the pledge is %s, the group %+v, the processor has %+v", w.pledgeByID(id).Status, g, w.sim.Entries())
	}
	w.ok(w.svc.Approved(w.ctx, w.pledgeByID(w.pledge("zoe", "film", 500, sim.CardOK)))) // without a payment to approve
}

// Without a webhook, a payment that may be approved is read every six hours.
func TestRecovery_PollsForApproval(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardAuthAlways)
	w.deadline()
	w.settle("film", false)
	asked := w.now
	for _, tt := range []struct {
		after time.Duration
		due   string
	}{{time.Hour, "none"}, {6 * time.Hour, "none"}, {6*time.Hour + time.Second, "film"}} {
		w.now = asked.Add(tt.after)
		if got := w.run([]string{"due"}); got[0] != "due: "+tt.due {
			t.Errorf("after %s: %v", tt.after, got)
		}
	}
}

// canceling is a processor that calls a function just before a payment is canceled.
type canceling struct {
	psp.Processor
	before func(id string) (psp.Payment, bool)
}

func (p canceling) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	if found, instead := p.before(id); instead {
		return found, nil
	}
	return p.Processor.CancelPayment(ctx, id, key)
}

// A payment is about to be canceled because of a new card or the end of its recovery period,
// and its supporter approves it at that moment: it is booked without an error. If the
// processor is working on it, settlement waits.
func TestRecovery_ApprovedBeforeCancel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		over   bool // at the end of the recovery period
		works  bool // the processor is working on it
		status pledge.Status
	}{
		{"approved, new card", false, false, pledge.Charged},
		{"approved at the end", true, false, pledge.Charged},
		{"processing, new card", false, true, pledge.PaymentFailed},
		{"processing at the end", true, true, pledge.PaymentFailed},
	} {
		w := newFixture(t)
		id := w.pledge("ana", "film", 2500, sim.CardAuthAlways)
		w.deadline()
		w.settle("film", false)
		if tt.over {
			w.sendMails()
			w.now = w.now.Add(15 * day)
		} else {
			w.newCard("ana", sim.CardOK, 0)
		}
		asked := 0
		w.svc.Processor = canceling{w.conn, func(id string) (psp.Payment, bool) {
			asked++
			if !tt.works {
				w.ok(w.sim.Authenticate(id))
			}
			return psp.Payment{ID: id, Status: psp.Pending}, tt.works
		}}
		r, err := w.svc.Settle(w.ctx, "film", false)
		p, g := w.pledgeByID(id), w.group("ana", "film")
		if err != nil || len(r.Errors) != 0 || asked != 1 || p.Status != tt.status || p.Dropped() ||
			g.Generation != 1 || len(w.conn.charges) != 1 ||
			g.Confirmable != tt.works || isClaimedFor(p, g.Hash, 2) {
			t.Errorf("%s: %v, %+v, the pledge is %s, the group %+v", tt.name, err, r.Result, p.Status, g)
		}
		if w.status().Open { // a visit request for the failed step
			t.Errorf("%s: a group or visit request is open", tt.name)
		}
	}
}
