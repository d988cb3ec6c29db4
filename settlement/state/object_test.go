package state

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// bench is a settlement object with one group. Each command comes under its own lease, so
// that no answer is a cached one.
type bench struct {
	*fixture
	object Client
	group  Group
}

func newBench(t *testing.T) *bench {
	w := newFixture(t)
	b := &bench{fixture: w, object: w.object("film")}
	g, err := b.object.Submit(w.ctx, b.fresh(), newGroup("ana", 1, 2500, 1))
	w.ok(err)
	b.group = g
	return b
}

func (b *bench) fresh() Lease {
	b.t.Helper()
	b.now = b.now.Add(LeaseDuration)
	lease, err := b.object.Acquire(b.ctx, LeaseRequest{Owner: b.now.String()})
	b.ok(err)
	return lease
}

// becomes sends the group and then records a result.
func (b *bench) becomes(f Result) {
	b.t.Helper()
	g, err := b.object.Attempt(b.ctx, b.fresh(), b.group)
	b.ok(err)
	b.group, err = b.object.RecordResult(b.ctx, b.fresh(), g, f)
	b.ok(err)
}

// becomesAgain records a result without another request.
func (b *bench) becomesAgain(f Result) {
	b.t.Helper()
	g, err := b.object.RecordResult(b.ctx, b.fresh(), b.group, f)
	b.ok(err)
	b.group = g
}

func (b *bench) booked() {
	b.t.Helper()
	g, err := b.object.Booked(b.ctx, b.fresh(), b.group)
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

// The effect of a command depends on the group in the object, not on what its sender believed.
//
// Proves SET-12, SET-13 and SET-14.
func TestCommandsAndStates(t *testing.T) {
	send := func(b *bench) error { _, err := b.object.Attempt(b.ctx, b.fresh(), b.group); return err }
	sendAnew := func(b *bench) error {
		_, err := b.object.Attempt(b.ctx, b.fresh(), Group{Hash: b.group.Hash, Generation: 1})
		return err
	}
	followed := func(b *bench) error {
		_, err := b.object.Submit(b.ctx, b.fresh(), newGroup("ana", 2, 2500, 2))
		return err
	}
	drop := func(b *bench) error { _, err := b.object.Drop(b.ctx, b.fresh(), b.group); return err }
	dropTwice := func(b *bench) error {
		first, err := b.object.Drop(b.ctx, b.fresh(), b.group)
		b.ok(err)
		again, err := b.object.Drop(b.ctx, b.fresh(), b.group)
		if err == nil && !again.DroppedAt.Equal(*first.DroppedAt) {
			return fmt.Errorf("given up on %s and on %s", first.DroppedAt, again.DroppedAt)
		}
		return err
	}
	alarm := func(b *bench) error { _, err := b.object.Alarm(b.ctx, b.fresh(), b.group); return err }
	for _, tt := range []struct {
		name  string
		fact  Result
		told  bool
		later time.Duration
		do    func(*bench) error
		code  fault.Code
		want  GroupStatus
	}{
		{"send again what has no answer", noAnswer, false, time.Hour, send, "", Submitted},
		{"send by an old count", noAnswer, false, time.Hour, sendAnew, fault.Conflict, Submitted},
		{"send what has succeeded", won, false, time.Hour, send, fault.Conflict, Succeeded},
		{"send what has failed", refused, false, time.Hour, send, fault.Conflict, Failed},
		{"send what is too old", noAnswer, false, 24 * time.Hour, send, fault.Conflict, Submitted},
		{"send what needs attention", mismatch, false, time.Hour, send, fault.Conflict, NeedsAttention},
		{"a new key for what needs attention", mismatch, false, time.Hour, followed, fault.Conflict, NeedsAttention},
		{"a new key for what has no answer", noAnswer, false, time.Hour, followed, fault.Conflict, Submitted},
		{"alarm for what is young", noAnswer, false, 22 * time.Hour, alarm, "", Submitted},
		{"alarm for what is old", noAnswer, false, 24 * time.Hour, alarm, "", NeedsAttention},
		{"alarm for what has succeeded", won, false, 24 * time.Hour, alarm, "", Succeeded},
		{"alarm for what has failed", refused, true, 24 * time.Hour, alarm, "", Failed},
		{"drop what has failed", refused, true, time.Hour, drop, "", Failed},
		{"drop it twice", refused, true, time.Hour, dropTwice, "", Failed},
		{"drop what nobody was told of", refused, false, time.Hour, drop, fault.Conflict, Failed},
		{"drop what may be approved", awaited, true, time.Hour, drop, fault.Conflict, Failed},
		{"drop what has succeeded", won, true, time.Hour, drop, fault.Conflict, Succeeded},
		{"drop what has no answer", noAnswer, false, time.Hour, drop, fault.Conflict, Submitted},
	} {
		b := newBench(t)
		b.becomes(tt.fact)
		if tt.told {
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
	b := newBench(t)
	open := func() []string {
		page, err := b.object.Unfinished(b.ctx, openPrefix+"~", 10)
		b.ok(err)
		return page.Supporters
	}
	for _, nonce := range []string{"one", "two"} {
		b.ok(b.object.RequestVisit(b.ctx, "bob", nonce))
	}
	b.ok(b.object.ClearVisit(b.ctx, b.fresh(), HashOf("film", "bob"), "one"))
	if got := open(); len(got) != 1 || got[0] != "bob" {
		t.Errorf("open are %v", got)
	}
	for range 2 {
		b.ok(b.object.ClearVisit(b.ctx, b.fresh(), HashOf("film", "bob"), "two"))
	}
	if got := open(); len(got) != 0 {
		t.Errorf("open are %v", got)
	}
}

// A batch is counted once, under whatever lease it is repeated, and not after the end.
func TestCheckpoint_Repeated(t *testing.T) {
	b := newBench(t)
	start := func() {
		t.Helper()
		_, err := b.object.Start(b.ctx, b.fresh(), true, 9)
		b.ok(err)
	}
	bring := func(batch int, status JobStatus, want Job) {
		t.Helper()
		j, err := b.object.Checkpoint(b.ctx, b.fresh(), Checkpoint{Batch: batch, Stage: StageSupporters, Cursor: fmt.Sprint(batch), Processed: 3,
			Skipped: 2, NeedsAttention: 1, Status: status})
		b.ok(err)
		got := Job{BatchesCompleted: j.BatchesCompleted, Processed: j.Processed, TotalSkipped: j.TotalSkipped, TotalNeedsAttention: j.TotalNeedsAttention,
			Cursor: j.Cursor, Status: j.Status}
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

// A key ages from the first request that may have arrived.
func TestKeyAge_CountsRequestsThatMayHaveArrived(t *testing.T) {
	away := Result{Status: psp.NotStarted}
	for name, tt := range map[string]struct {
		facts []Result
		old   bool
	}{
		"turned away":                         {[]Result{away}, false},
		"turned away twice":                   {[]Result{away, away}, false},
		"no answer":                           {[]Result{noAnswer}, true},
		"no answer, and turned away":          {[]Result{noAnswer, away}, true},
		"turned away, and no answer":          {[]Result{away, noAnswer}, true},
		"no answer, and turned away for long": {[]Result{noAnswer, away, away, away}, true},
	} {
		b := newBench(t)
		for _, f := range tt.facts {
			b.becomes(f)
		}
		b.now = b.now.Add(psp.SafeAge)
		g, err := b.object.Alarm(b.ctx, b.fresh(), b.group)
		b.ok(err)
		if old := g.Status == NeedsAttention; old != tt.old {
			t.Errorf("%s: it is old: %t", name, old)
		}
	}
}
