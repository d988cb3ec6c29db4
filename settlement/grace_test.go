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

// The recovery period starts when the email provider accepted the mail about the failure, or when
// it is final that it will not.
func TestGrace_StartsWithTheMail(t *testing.T) {
	for name, tt := range map[string]struct {
		taken bool
		more  time.Duration // after twenty days
	}{
		"the mail is taken late":  {true, 14 * day},
		"the mail is never taken": {false, notify.OutboxLife - 6*day},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
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
				if got := w.truth(id).Dropped(); got != want || (len(due) > 0) != want {
					t.Fatalf("dropped: %t, due: %v", got, due)
				}
			}
			dropped(20*day, false)
			if tt.taken {
				w.post()
			}
			dropped(tt.more-time.Second, false)
			dropped(time.Second, true)
		})
	}
}

// A supporter whose mail about the failure was sent only at the end of the recovery period gets
// the whole period from then on, also if the mail's record cannot be read yet.
func TestGrace_MailNotReadableYet(t *testing.T) {
	w := newWorld(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.line.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && op.Key == pledge.Key(id) {
			return errCut
		}
		return nil
	}
	w.settle("film", false)
	w.line.watch = nil
	if g := w.group("ana", "film"); g.Status != state.Failed || g.Booked {
		t.Fatalf("the charge is %s, and everybody knows: %t", g.Status, g.Booked)
	}
	w.far, w.now = true, w.now.Add(20*day)
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{0, false}, {30 * time.Second, false}, {time.Hour, false}, {14*day - time.Second, false}, {time.Second, true}} {
		w.now = w.now.Add(step.after)
		w.settle("film", false)
		if got := w.truth(id).Dropped(); got != step.want {
			t.Fatalf("%s later it is dropped: %t", step.after, got)
		}
		if step.after == time.Hour {
			w.post()
		}
	}
}

// An order that is restored to before its charge does not record it: the mail that was sent for
// the charge still counts.
func TestGrace_RestoredOrder(t *testing.T) {
	for _, back := range []string{"before its claim", "before its failure"} {
		t.Run(back, func(t *testing.T) {
			w, id := orderWentBack(t, back)
			w.now = w.now.Add(20 * day)
			w.settle("film", false) // the pledge records the failure again
			w.post()                // the mail is accepted late
			for _, step := range []struct {
				after time.Duration
				want  bool
			}{{time.Hour, false}, {14*day - time.Hour - time.Second, false}, {time.Second, true}} {
				w.now = w.now.Add(step.after)
				w.settle("film", false)
				if got := w.truth(id).Dropped(); got != step.want {
					t.Fatalf("%s later it is dropped: %t", step.after, got)
				}
			}
			if g := w.group("ana", "film"); !g.Booked || g.DroppedAt == nil {
				t.Errorf("the group was given up at %v, and everybody knows: %t", g.DroppedAt, g.Booked)
			}
		})
	}
}

// A restored order is not taken for a charge in progress: within the hour its pledge records the
// failure, and another card is charged.
func TestGrace_NewCardAfterRestoredOrder(t *testing.T) {
	for _, back := range []string{"before its claim", "before its failure"} {
		t.Run(back, func(t *testing.T) {
			w, id := orderWentBack(t, back)
			w.settle("film", false)
			if p := w.truth(id); p.Status != pledge.PaymentFailed || p.Settlement != nil {
				t.Errorf("the pledge is %s, claimed: %t", p.Status, p.Settlement != nil)
			}
			if copied, _, err := kv.Read[pledge.Pledge](w.ctx, w.db.Store("PLEDGES"), pledge.Key(id)); err != nil || copied.Status != pledge.PaymentFailed {
				t.Errorf("its copy is %s, %v", copied.Status, err)
			}
			w.newCard("ana", sim.CardOK, 0)
			w.settle("film", false)
			if p := w.truth(id); !p.Charged {
				t.Errorf("the pledge is %s", p.Status)
			}
		})
	}
}

// A pledge whose order was restored to before its charge and then cancelled does not hide the
// mail from the other pledge of the charge.
func TestGrace_CancelledPledgeInGroup(t *testing.T) {
	w := newWorld(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	gone := w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	was := w.db.Snapshot()
	w.settle("film", false)
	w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: gone}, was)
	w.cancel("ana", 0)
	w.now = w.now.Add(20 * day)
	w.post() // the mail is accepted late
	w.dropsAfter(id, 14*day)
}

// If no record of a mail exists, as after a restore, settlement waits until the record could be
// read everywhere.
func TestGrace_LostMail(t *testing.T) {
	w := newWorld(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.refusing("fail")
	w.settle("film", false)
	w.line.watch = nil
	w.now = w.now.Add(20 * day)
	w.settle("film", false)
	if p := w.truth(id); p.Status != pledge.PaymentFailed || p.Dropped() {
		t.Fatalf("the pledge is %s, dropped: %t", p.Status, p.Dropped())
	}
	w.svc.Outbox = &notify.Outbox{Store: w.db.Store("LOST"), Sender: w, Now: w.svc.Now, From: "pledges@example.org"}
	w.dropsAfter(id, storeDelay+time.Second)
}

// The same for a payment that its supporter can still approve, which is read every hour.
func TestGrace_LostMailConfirmable(t *testing.T) {
	w := newWorld(t)
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
	if p := w.truth(id); !p.Dropped() {
		t.Errorf("the pledge is %s, and not given up", p.Status)
	}
}

// The first attempt was void and not emailed, so the recovery period starts with the mail about
// the second.
func TestGrace_VoidAttempt(t *testing.T) {
	w, _ := inDoubt(t, sim.DropRequest)
	w.line.deaf = 0
	w.newCard("bob", sim.CardAuthAlways, 0)
	w.nothingCharged(w.group("bob", "film"))
	g := w.group("bob", "film")
	if g.Status != state.Failed || g.Generation != 2 {
		t.Fatalf("attempt %d is %s", g.Generation, g.Status)
	}
	w.post()
	w.dropsAfter(w.pledgesOf["bob"][0], 14*day)
}

// There is no waiting after the last attempt.
func TestGrace_LastAttempt(t *testing.T) {
	w := newWorld(t)
	w.campaign("film").Recovery.Attempts = 1
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	w.now = w.now.Add(time.Hour)
	w.settle("film", false)
	if p := w.truth(id); !p.Dropped() {
		t.Errorf("the pledge is %s, and not given up", p.Status)
	}
}

// dropsAfter runs the jobs a second before a pledge is to be dropped, and then at that time.
func (w *world) dropsAfter(id string, after time.Duration) {
	w.t.Helper()
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{{after - time.Second, false}, {time.Second, true}} {
		w.now = w.now.Add(step.after)
		w.settle("film", false)
		if got := w.truth(id).Dropped(); got != step.want {
			w.t.Errorf("%s later it is dropped: %t", step.after, got)
		}
	}
}

// The next attempt starts only after all pledges recorded the failure: otherwise one that is
// still claimed for it would be left out.
func TestRecovery_AllPledgesRecordTheFailureFirst(t *testing.T) {
	w := newWorld(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	for range 3 {
		w.pledge("ana", "film", 700, sim.CardChargeDeclined)
	}
	ids := w.pledgesOf["ana"]
	w.deadline()
	var claimed memkv.Snapshot
	w.line.watch = func(op memkv.Op) error {
		if op.Command.Kind == "claim" && op.After {
			claimed = w.db.Snapshot() // the last of them
		}
		return nil
	}
	w.settle("film", false)
	w.line.watch = nil
	for _, id := range ids[1:] {
		w.db.RestoreObject(kv.Object{Class: order.ClassName, Name: id}, claimed)
	}
	w.newCard("ana", sim.CardOK, 0)
	w.line.watch = func(op memkv.Op) error {
		if op.Command.Kind == "fail" && op.Object.Name == ids[2] {
			return fault.New(fault.Unavailable, "No answer")
		}
		return nil
	}
	sent := len(w.line.charges)
	wantCode(t, "while one of them can't be told", w.svc.RetryCard(w.ctx, "film", email("ana")), fault.Unavailable)
	if n := len(w.line.charges) - sent; n != 0 {
		t.Errorf("%d charges were sent", n)
	}
	w.line.watch = nil
	w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
	if n := len(w.line.charges) - sent; n != 1 || w.line.charges[sent].Amount != 2100 {
		t.Errorf("then %d charges were sent: %+v", n, w.line.charges[sent:])
	}
}

// A late pledge that is not part of the charge yet does not record its failure.
func TestALatePledgeBesideAFailure(t *testing.T) {
	w := newWorld(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	w.deadline()
	w.settle("film", false)
	late := w.pledge("ana", "film", 1000, "none")
	w.settle("film", false)
	if p := w.truth(late); p.Status != pledge.Active || p.LastFailure != nil {
		t.Errorf("it is %s after %+v", p.Status, p.LastFailure)
	}
}

// orderWentBack returns a world in which a charge was declined and then the order of its pledge
// was restored, and the pledge's ID.
func orderWentBack(t *testing.T, back string) (*world, string) {
	t.Helper()
	w := newWorld(t)
	w.pledge("bob", "film", 2500, sim.CardOK)
	id := w.pledge("ana", "film", 2500, sim.CardChargeDeclined)
	object := kv.Object{Class: order.ClassName, Name: id}
	was := w.db.Snapshot()
	w.deadline()
	w.line.watch = func(op memkv.Op) error {
		if op.Object == object && op.After && op.Command.Kind == "claim" && back == "before its failure" {
			was = w.db.Snapshot()
		}
		return nil
	}
	w.settle("film", false)
	w.line.watch = nil
	w.db.RestoreObject(object, was)
	return w, id
}
