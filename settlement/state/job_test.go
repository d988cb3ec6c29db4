package state

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// A group is counted in the running job when its outcome is booked, once for each outcome.
func TestBooked_CountsInJob(t *testing.T) {
	b := newGroupFixture(t)
	job := func() Job {
		t.Helper()
		st, err := b.object.Overview(b.ctx)
		b.ok(err)
		return Job{TotalCharged: st.Job.TotalCharged, AmountCharged: st.Job.AmountCharged,
			TotalFailed: st.Job.TotalFailed, TotalDropped: st.Job.TotalDropped}
	}
	submit := func(supporter string, parts ...Part) {
		t.Helper()
		g := newGroup(supporter, 1, 2500, 1)
		g.Orders = parts
		var err error
		b.group, err = b.object.Submit(b.ctx, b.newLease(), g)
		b.ok(err)
	}
	_, err := b.object.Start(b.ctx, b.newLease(), true, 9)
	b.ok(err)
	for i, name := range []string{"bob", "cid"} {
		submit(name, Part{ID: name, Amount: 1000}, Part{ID: name + "2", Amount: 1500})
		b.sendAndRecord(won)
		b.booked()
		b.booked()
		if diff := cmp.Diff(Job{TotalCharged: 2 * (i + 1), AmountCharged: money.Cents(2500 * (i + 1))}, job()); diff != "" {
			t.Errorf("%s is charged (-want +got):\n%s", name, diff)
		}
	}
	for i, name := range []string{"dan", "eve"} {
		submit(name, Part{ID: name, Amount: 2500})
		b.sendAndRecord(refused)
		b.booked()
		if got := job().TotalFailed; got != i+1 {
			t.Errorf("%s failed: %d in total", name, got)
		}
	}
	for i := range 2 {
		g, err := b.object.Drop(b.ctx, b.newLease(), b.group)
		b.ok(err)
		b.group = g
		b.booked()
		if got := job(); got.TotalDropped != 1 || got.TotalFailed != 2 {
			t.Errorf("dropped, call %d: %+v", i+1, got)
		}
	}
}

// A batch that starts more than half an hour after the last one counts as resumed. Without a
// job, only a fresh start creates one.
func TestStart_ResumedJob(t *testing.T) {
	b := newGroupFixture(t)
	_, err := b.object.Start(b.ctx, b.newLease(), false, 9)
	wantCode(t, "without a job", err, fault.Conflict)
	_, err = b.object.Start(b.ctx, b.newLease(), true, 9)
	b.ok(err)
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{30 * time.Minute, 0}, {30*time.Minute + 1, 1}, {time.Hour, 2}, {LeaseDuration, 2}} {
		st, err := b.object.Overview(b.ctx)
		b.ok(err)
		b.now = st.Job.LastBatchAt.Add(tt.after - LeaseDuration) // fresh adds LeaseDuration
		j, err := b.object.Start(b.ctx, b.newLease(), false, 9)
		b.ok(err)
		if j.StaleResumeCount != tt.want {
			t.Errorf("after %s: resumed %d times, want %d", tt.after, j.StaleResumeCount, tt.want)
		}
	}
}

// A settlement is open while it has a visit request or a group that is not booked, and has begun
// once a group was submitted. Complete fails while a group is open, and later calls return the time
// of the first completion.
func TestOverview_OpenBegunComplete(t *testing.T) {
	f := newFixture(t)
	object := f.object("film")
	check := func(what string, open, begun bool) {
		t.Helper()
		st, err := object.Overview(f.ctx)
		f.ok(err)
		if st.Open != open || st.Begun != begun {
			t.Errorf("%s: open %t, begun %t", what, st.Open, st.Begun)
		}
	}
	check("nothing", false, false)
	f.ok(object.RequestVisit(f.ctx, "ana", "one"))
	check("a visit request", true, false)
	lease, err := object.Acquire(f.ctx, LeaseRequest{Owner: "one"})
	f.ok(err)
	f.ok(object.ClearVisit(f.ctx, lease, HashOf("film", "ana"), "one"))
	g, err := object.Submit(f.ctx, lease, newGroup("ana", 1, 2500, 1))
	f.ok(err)
	check("a submitted group", true, true)
	_, err = object.Complete(f.ctx, lease)
	wantCode(t, "complete with an open group", err, fault.Conflict)
	g, err = object.Attempt(f.ctx, lease, g)
	f.ok(err)
	g, err = object.RecordResult(f.ctx, lease, g, won)
	f.ok(err)
	check("a success that is not booked", true, true)
	_, err = object.MarkBooked(f.ctx, lease, g)
	f.ok(err)
	check("a booked success", false, true)
	f.release(object, lease)
	for _, owner := range []string{"two", "three"} {
		lease, err := object.Acquire(f.ctx, LeaseRequest{Owner: owner})
		f.ok(err)
		if at, err := object.Complete(f.ctx, lease); err != nil || !at.Equal(noon) {
			t.Errorf("completed at %s, %v", at, err)
		}
		f.release(object, lease)
		f.now = f.now.Add(time.Hour)
	}
}

// A completed comparison of accounts stays completed.
func TestJob_Swept(t *testing.T) {
	j := Job{Swept: true}.After(Checkpoint{Status: JobRunning}, noon)
	if !j.Swept || j.SweptTo != 0 {
		t.Errorf("%+v", j)
	}
	if j := (Job{}).After(Checkpoint{Status: JobRunning, SweptTo: 500}, noon); j.Swept || j.SweptTo != 500 {
		t.Errorf("%+v", j)
	}
}

// Failed groups are listed until they are dropped, and successes until their fees are known.
func TestLists_FailedAndUnbooked(t *testing.T) {
	b := newGroupFixture(t)
	check := func(what string, failed, unbooked int) {
		t.Helper()
		f, err := b.object.Failures(b.ctx, "", 10)
		b.ok(err)
		u, err := b.object.Unbooked(b.ctx, "", 10)
		b.ok(err)
		if len(f.Groups) != failed || len(u.Groups) != unbooked {
			t.Errorf("%s: %d failed, %d without fees; want %d and %d", what, len(f.Groups), len(u.Groups), failed, unbooked)
		}
	}
	b.sendAndRecord(refused)
	check("failed", 0, 0)
	b.booked()
	check("failed and booked", 1, 0)
	g, err := b.object.Drop(b.ctx, b.newLease(), b.group)
	b.ok(err)
	b.group = g
	check("dropped", 0, 0)

	b.group, err = b.object.Submit(b.ctx, b.newLease(), newGroup("bob", 1, 2500, 1))
	b.ok(err)
	b.sendAndRecord(won)
	check("charged", 0, 0)
	b.booked()
	check("charged and booked", 0, 1)
	fees := won
	fees.FeesApplied, fees.FromLookup, fees.BalanceTransactionID, fees.Fee, fees.Net = true, true, "txn_1", 100, 2400
	b.group, err = b.object.RecordResult(b.ctx, b.newLease(), b.group, fees)
	b.ok(err)
	check("with fees", 0, 0)
	if b.group.Fee != 100 || b.group.ProcessorStatus != psp.Succeeded {
		t.Errorf("the group has %+v", b.group)
	}
}
