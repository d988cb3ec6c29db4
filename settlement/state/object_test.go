package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// groupFixture is a settlement object with one group. Each command has its own lease, so that
// no cached answer is returned.
type groupFixture struct {
	*fixture
	object Client
	group  Group
}

func newGroupFixture(t *testing.T) *groupFixture {
	w := newFixture(t)
	b := &groupFixture{fixture: w, object: w.object("film")}
	g, err := b.object.Submit(w.ctx, b.newLease(), newGroup("ana", 1, 2500, 1))
	w.ok(err)
	b.group = g
	return b
}

func (b *groupFixture) newLease() Lease {
	b.t.Helper()
	b.now = b.now.Add(LeaseDuration)
	lease, err := b.object.Acquire(b.ctx, LeaseRequest{Owner: b.now.String()})
	b.ok(err)
	return lease
}

// sendAndRecord sends the group's request and then records a result.
func (b *groupFixture) sendAndRecord(f Result) {
	b.t.Helper()
	g, err := b.object.Attempt(b.ctx, b.newLease(), b.group)
	b.ok(err)
	b.group, err = b.object.RecordResult(b.ctx, b.newLease(), g, f)
	b.ok(err)
}

// recordOnly records a result without another request.
func (b *groupFixture) recordOnly(f Result) {
	b.t.Helper()
	g, err := b.object.RecordResult(b.ctx, b.newLease(), b.group, f)
	b.ok(err)
	b.group = g
}

func (b *groupFixture) booked() {
	b.t.Helper()
	g, err := b.object.MarkBooked(b.ctx, b.newLease(), b.group)
	b.ok(err)
	b.group = g
}

var (
	won      = Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500, Received: 2500, Currency: "usd"}
	refused  = Result{Status: psp.Declined, PaymentID: "pi_1", Code: "card_declined"}
	awaited  = Result{Status: psp.NeedsAction, PaymentID: "pi_1"}
	noAnswer = Result{Status: psp.Unknown}
	mismatch = Result{Status: psp.Mismatch}
)

// The effect of a command depends on the group in the object, not on the sender's copy.
//
// Proves SET-12, SET-13 and SET-14.
func TestCommandsAndStates(t *testing.T) {
	send := func(b *groupFixture) error { _, err := b.object.Attempt(b.ctx, b.newLease(), b.group); return err }
	sendOutdated := func(b *groupFixture) error {
		_, err := b.object.Attempt(b.ctx, b.newLease(), Group{Hash: b.group.Hash, Generation: 1})
		return err
	}
	submitNext := func(b *groupFixture) error {
		_, err := b.object.Submit(b.ctx, b.newLease(), newGroup("ana", 2, 2500, 2))
		return err
	}
	drop := func(b *groupFixture) error { _, err := b.object.Drop(b.ctx, b.newLease(), b.group); return err }
	dropTwice := func(b *groupFixture) error {
		first, err := b.object.Drop(b.ctx, b.newLease(), b.group)
		b.ok(err)
		again, err := b.object.Drop(b.ctx, b.newLease(), b.group)
		if err == nil && !again.DroppedAt.Equal(*first.DroppedAt) {
			return fmt.Errorf("dropped at %s and at %s", first.DroppedAt, again.DroppedAt)
		}
		return err
	}
	unanswered := func(b *groupFixture) error {
		_, err := b.object.MarkUnanswered(b.ctx, b.newLease(), b.group)
		return err
	}
	for _, tt := range []struct {
		name   string
		fact   Result
		booked bool
		later  time.Duration
		do     func(*groupFixture) error
		code   fault.Code
		want   GroupStatus
	}{
		{"repeat a request without an answer", noAnswer, false, time.Hour, send, "", Submitted},
		{"request with an outdated count", noAnswer, false, time.Hour, sendOutdated, fault.Conflict, Submitted},
		{"request after a success", won, false, time.Hour, send, fault.Conflict, Succeeded},
		{"request after a failure", refused, false, time.Hour, send, fault.Conflict, Failed},
		{"request with an old key", noAnswer, false, 24 * time.Hour, send, fault.Conflict, Submitted},
		{"request that needs attention", mismatch, false, time.Hour, send, fault.Conflict, NeedsAttention},
		{"next generation, needs attention", mismatch, false, time.Hour, submitNext, fault.Conflict, NeedsAttention},
		{"next generation without an answer", noAnswer, false, time.Hour, submitNext, fault.Conflict, Submitted},
		{"unanswered with a recent key", noAnswer, false, 22 * time.Hour, unanswered, "", Submitted},
		{"unanswered with an old key", noAnswer, false, 24 * time.Hour, unanswered, "", NeedsAttention},
		{"unanswered after a success", won, false, 24 * time.Hour, unanswered, "", Succeeded},
		{"unanswered after a failure", refused, true, 24 * time.Hour, unanswered, "", Failed},
		{"drop a failure", refused, true, time.Hour, drop, "", Failed},
		{"drop a failure twice", refused, true, time.Hour, dropTwice, "", Failed},
		{"drop a failure that is not booked", refused, false, time.Hour, drop, fault.Conflict, Failed},
		{"drop a failure that may be confirmed", awaited, true, time.Hour, drop, fault.Conflict, Failed},
		{"drop a success", won, true, time.Hour, drop, fault.Conflict, Succeeded},
		{"drop without an answer", noAnswer, false, time.Hour, drop, fault.Conflict, Submitted},
	} {
		b := newGroupFixture(t)
		b.sendAndRecord(tt.fact)
		if tt.booked {
			b.booked()
		}
		b.now = b.now.Add(tt.later)
		err := tt.do(b)
		if tt.code == "" && err != nil || tt.code != "" && !fault.Is(err, tt.code) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
		rec, err := b.object.Group(b.ctx, b.group.Hash)
		b.ok(err)
		if g := rec.Group; g.Status != tt.want || tt.code != "" && (g.Attempts != 1 || g.DroppedAt != nil) {
			t.Errorf("%s: %s, sent %d times, dropped %v", tt.name, g.Status, g.Attempts, g.DroppedAt)
		}
	}
}

// A visit request that was renewed during the visit is kept.
func TestVisitRequest_Renewed(t *testing.T) {
	b := newGroupFixture(t)
	open := func() []string {
		page, err := b.object.Unfinished(b.ctx, openPrefix+"~", 10)
		b.ok(err)
		return page.Supporters
	}
	for _, nonce := range []string{"one", "two"} {
		b.ok(b.object.RequestVisit(b.ctx, "bob", nonce))
	}
	b.ok(b.object.ClearVisit(b.ctx, b.newLease(), HashOf("film", "bob"), "one"))
	if got := open(); len(got) != 1 || got[0] != "bob" {
		t.Errorf("open are %v", got)
	}
	for range 2 {
		b.ok(b.object.ClearVisit(b.ctx, b.newLease(), HashOf("film", "bob"), "two"))
	}
	if got := open(); len(got) != 0 {
		t.Errorf("open are %v", got)
	}
}

// A batch is counted once, even if it is repeated under another lease, and not at all after
// the job's end.
func TestCheckpoint_Repeated(t *testing.T) {
	b := newGroupFixture(t)
	start := func() {
		t.Helper()
		_, err := b.object.Start(b.ctx, b.newLease(), true, 9)
		b.ok(err)
	}
	bring := func(batch int, status JobStatus, want Job) {
		t.Helper()
		j, err := b.object.Checkpoint(b.ctx, b.newLease(),
			Checkpoint{Batch: batch, Stage: StageSupporters, Cursor: fmt.Sprint(batch), Processed: 3,
				Skipped: 2, NeedsAttention: 1, Status: status})
		b.ok(err)
		got := Job{BatchesCompleted: j.BatchesCompleted, Processed: j.Processed, TotalSkipped: j.TotalSkipped,
			TotalNeedsAttention: j.TotalNeedsAttention,
			Cursor:              j.Cursor, Status: j.Status}
		if diff := cmp.Diff(want, got); diff != "" || (j.EndedAt != nil) != (want.Status != JobRunning) {
			t.Errorf("batch %d (-want +got):\n%s", batch, diff)
		}
	}
	one := Job{BatchesCompleted: 1, Processed: 3, TotalSkipped: 2, TotalNeedsAttention: 1, Cursor: "1", Status: JobRunning}
	two := Job{BatchesCompleted: 2, Processed: 6, TotalSkipped: 4, TotalNeedsAttention: 2, Cursor: "2", Status: JobDone}
	start()
	bring(2, JobDone, Job{Status: JobRunning})
	bring(1, JobRunning, one)
	bring(1, JobRunning, one)
	bring(2, JobDone, one) // of a job that has not started
	start()
	bring(1, JobDone, one)
	bring(2, JobDone, two)
	bring(3, JobRunning, two)
	bring(2, JobRunning, two)
}

// The age of a key counts from the first request that may have arrived.
func TestKeyAge_CountsRequestsThatMayHaveArrived(t *testing.T) {
	rejected := Result{Status: psp.NotStarted}
	for name, tt := range map[string]struct {
		facts []Result
		old   bool
	}{
		"rejected":                             {[]Result{rejected}, false},
		"rejected twice":                       {[]Result{rejected, rejected}, false},
		"no answer":                            {[]Result{noAnswer}, true},
		"no answer, then rejected":             {[]Result{noAnswer, rejected}, true},
		"rejected, then no answer":             {[]Result{rejected, noAnswer}, true},
		"no answer, then rejected three times": {[]Result{noAnswer, rejected, rejected, rejected}, true},
	} {
		b := newGroupFixture(t)
		for _, f := range tt.facts {
			b.sendAndRecord(f)
		}
		b.now = b.now.Add(psp.SafeAge)
		g, err := b.object.MarkUnanswered(b.ctx, b.newLease(), b.group)
		b.ok(err)
		if old := g.Status == NeedsAttention; old != tt.old {
			t.Errorf("%s: old: %t", name, old)
		}
	}
}
