package settlement

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// The recovery period starts when the email provider accepts the mail about the failure, or
// when the mail's delivery has finally failed.
func TestGrace_StartsWithTheMail(t *testing.T) {
	for name, tt := range map[string]struct {
		accepted bool
		more     time.Duration // after twenty days
	}{
		"mail accepted late":  {true, 14 * day},
		"mail never accepted": {false, notify.OutboxLife - 6*day},
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			w.pledge("bob", "film", 2500, sim.CardOK)
			id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
			w.deadline()
			w.settle("film", false)
			dropped := func(after time.Duration, want bool) {
				t.Helper()
				w.now = w.now.Add(after)
				due, err := w.svc.DueCampaigns(w.ctx)
				w.ok(err)
				w.settle("film", false)
				if got := w.pledgeByID(id).Dropped(); got != want || (len(due) > 0) != want {
					t.Fatalf("dropped: %t, due: %v", got, due)
				}
			}
			dropped(20*day, false)
			if tt.accepted {
				w.sendMails()
			}
			dropped(tt.more-time.Second, false)
			dropped(time.Second, true)
		})
	}
}

// A supporter whose mail about the failure was sent only at the end of the recovery period
// gets the whole period from then on, even if the mail's record cannot be read yet.
func TestGrace_MailNotReadableYet(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && op.Key == pledge.Key(id) {
			return errDisconnected
		}
		return nil
	}
	w.settle("film", false)
	w.conn.watch = nil
	if g := w.group("ana", "film"); g.Status != state.Failed || g.Booked {
		t.Fatalf("the charge is %s, booked: %t", g.Status, g.Booked)
	}
	w.staleReads, w.now = true, w.now.Add(20*day)
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{0, false}, {30 * time.Second, false}, {time.Hour, false}, {14*day - time.Second, false}, {time.Second, true}} {
		w.now = w.now.Add(step.after)
		w.settle("film", false)
		if got := w.pledgeByID(id).Dropped(); got != step.want {
			t.Fatalf("%s later: dropped %t", step.after, got)
		}
		if step.after == time.Hour {
			w.sendMails()
		}
	}
}

// An order that is restored to before its charge does not record the charge. The mail that was
// sent for it still counts.
func TestGrace_RestoredOrder(t *testing.T) {
	for _, back := range []string{"before its claim", "before its failure"} {
		t.Run(back, func(t *testing.T) {
			w, id := declinedThenRestored(t, back)
			w.now = w.now.Add(20 * day)
			w.settle("film", false) // the pledge records the failure again
			w.sendMails()           // the mail is accepted late
			for _, step := range []struct {
				after time.Duration
				want  bool
			}{{time.Hour, false}, {14*day - time.Hour - time.Second, false}, {time.Second, true}} {
				w.now = w.now.Add(step.after)
				w.settle("film", false)
				if got := w.pledgeByID(id).Dropped(); got != step.want {
					t.Fatalf("%s later: dropped %t", step.after, got)
				}
			}
			if g := w.group("ana", "film"); !g.Booked || g.DroppedAt == nil {
				t.Errorf("the group was dropped at %v, booked: %t", g.DroppedAt, g.Booked)
			}
		})
	}
}

// A restored order does not count as a charge in progress: within the hour its pledge records
// the failure, and another card is charged.
func TestGrace_NewCardAfterRestoredOrder(t *testing.T) {
	for _, back := range []string{"before its claim", "before its failure"} {
		t.Run(back, func(t *testing.T) {
			w, id := declinedThenRestored(t, back)
			w.settle("film", false)
			if p := w.pledgeByID(id); p.Status != pledge.PaymentFailed || p.Settlement != nil {
				t.Errorf("the pledge is %s, claimed: %t", p.Status, p.Settlement != nil)
			}
			if copied, _, err := kv.Read[pledge.Pledge](w.ctx, w.db.Store("PLEDGES"), pledge.Key(id)); err != nil ||
				copied.Status != pledge.PaymentFailed {
				t.Errorf("its copy is %s, %v", copied.Status, err)
			}
			w.newCard("ana", sim.CardOK, 0)
			w.settle("film", false)
			if p := w.pledgeByID(id); !p.Charged {
				t.Errorf("the pledge is %s", p.Status)
			}
		})
	}
}

// A pledge whose order was restored to before its charge and then cancelled does not hide the
// mail from the charge's other pledge.
func TestGrace_CancelledPledgeInGroup(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	gone := w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	was := w.db.Snapshot()
	w.settle("film", false)
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: gone}, was)
	w.cancel("ana", 0)
	w.now = w.now.Add(20 * day)
	w.sendMails() // the mail is accepted late
	w.dropsAfter(id, 14*day)
}

// If a mail has no record, as after a restore, settlement waits for the time after which the
// record could be read on every server.
func TestGrace_LostMail(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.failCommand("fail")
	w.settle("film", false)
	w.conn.watch = nil
	w.now = w.now.Add(20 * day)
	w.settle("film", false)
	if p := w.pledgeByID(id); p.Status != pledge.PaymentFailed || p.Dropped() {
		t.Fatalf("the pledge is %s, dropped: %t", p.Status, p.Dropped())
	}
	w.svc.Outbox = &notify.Outbox{Store: w.db.Store("LOST"), Sender: w, Now: w.svc.Now, From: "pledges@example.org"}
	w.dropsAfter(id, storeDelay+time.Second)
}

// Settlement waits as in TestGrace_LostMail for a payment that its supporter can still approve and
// that is read periodically.
func TestGrace_LostMailConfirmable(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardAuthAlways)
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(20 * day)
	w.svc.Outbox = &notify.Outbox{Store: w.db.Store("LOST"), Sender: w, Now: w.svc.Now, From: "pledges@example.org"}
	for range 3 {
		w.settle("film", false)
		w.now = w.now.Add(time.Hour)
	}
	if p := w.pledgeByID(id); !p.Dropped() {
		t.Errorf("the pledge is %s, not dropped", p.Status)
	}
}

// The first attempt was void and not emailed, so the recovery period starts with the mail
// about the second attempt.
func TestGrace_VoidAttempt(t *testing.T) {
	w, _ := chargeInDoubt(t, sim.DropRequest)
	w.conn.lookupsLost = 0
	w.newCard("bob", sim.CardAuthAlways, 0)
	w.stateNothingCharged(w.group("bob", "film"))
	g := w.group("bob", "film")
	if g.Status != state.Failed || g.Generation != 2 {
		t.Fatalf("attempt %d is %s", g.Generation, g.Status)
	}
	w.sendMails()
	w.dropsAfter(w.pledgesOf["bob"][0], 14*day)
}

// After the last attempt, the pledge is dropped without waiting.
func TestGrace_LastAttempt(t *testing.T) {
	w := newFixture(t)
	w.campaign("film").Recovery.Attempts = 1
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	if p := w.pledgeByID(id); !p.Dropped() {
		t.Errorf("the pledge is %s, not dropped", p.Status)
	}
}

// dropsAfter checks that a pledge is dropped after a duration, and not one second earlier.
func (w *fixture) dropsAfter(id string, after time.Duration) {
	w.t.Helper()
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{after - time.Second, false}, {time.Second, true}} {
		w.now = w.now.Add(step.after)
		w.settle("film", false)
		if got := w.pledgeByID(id).Dropped(); got != step.want {
			w.t.Errorf("%s later: dropped %t", step.after, got)
		}
	}
}

// The next attempt starts only after all pledges have recorded the failure. Otherwise a pledge
// that is still claimed for the failed attempt would be left out.
func TestRecovery_AllPledgesRecordTheFailureFirst(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	for range 3 {
		w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	}
	ids := w.pledgesOf["ana"]
	w.deadline()
	var claimed memkv.Snapshot
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind == "claim" && op.After {
			claimed = w.db.Snapshot() // the last of them
		}
		return nil
	}
	w.settle("film", false)
	w.conn.watch = nil
	for _, id := range ids[1:] {
		w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, claimed)
	}
	w.newCard("ana", sim.CardOK, 0)
	w.conn.watch = func(op memkv.Op) error {
		if op.Command.Kind == "fail" && op.Object.Name == ids[2] {
			return fault.New(fault.Unavailable, "No answer")
		}
		return nil
	}
	sent := len(w.conn.charges)
	wantCode(t, "while one pledge cannot record the failure", w.svc.RetryCard(w.ctx, "film", email("ana")),
		fault.Unavailable)
	if n := len(w.conn.charges) - sent; n != 0 {
		t.Errorf("%d charges were sent", n)
	}
	w.conn.watch = nil
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if n := len(w.conn.charges) - sent; n != 1 || w.conn.charges[sent].Amount != 2100 {
		t.Errorf("then %d charges were sent: %+v", n, w.conn.charges[sent:])
	}
}

// A late pledge that is not part of the failed charge does not record the failure.
func TestLatePledge_DoesNotRecordEarlierFailure(t *testing.T) {
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	late := w.pledge("ana", "film", 1000, "none")
	w.settle("film", false)
	if p := w.pledgeByID(late); p.Status != pledge.Active || p.LastFailure != nil {
		t.Errorf("the late pledge is %s, with failure %+v", p.Status, p.LastFailure)
	}
}

// declinedThenRestored returns a fixture in which a charge was declined and the order of its
// pledge was restored afterwards, and the pledge's ID.
func declinedThenRestored(t *testing.T, back string) (*fixture, string) {
	t.Helper()
	w := newFixture(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	object := kv.Object{Class: order.ClassName, Name: id}
	was := w.db.Snapshot()
	w.deadline()
	w.conn.watch = func(op memkv.Op) error {
		if op.Object == object && op.After && op.Command.Kind == "claim" && back == "before its failure" {
			was = w.db.Snapshot()
		}
		return nil
	}
	w.settle("film", false)
	w.conn.watch = nil
	w.db.RestoreObject(object, was)
	return w, id
}
