package state

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Commands about a supporter are recognized as repeats by the group's state, without a cache of
// answers, at once and after all later commands. Here each of a charge's commands is repeated
// after every later one.
func TestCommands_RepeatsChangeNothing(t *testing.T) {
	for name, facts := range map[string][]Result{
		"declined":                       {refused},
		"paid":                           {won},
		"no answer, asked, and paid":     {noAnswer, {FromLookup: true}, won},
		"turned away, no answer":         {{Status: psp.NotStarted}, noAnswer},
		"to be confirmed, then canceled": {awaited, {FromLookup: true, Status: psp.Canceled, PaymentID: "pi_1"}},
		"our key is refused":             {{Status: psp.NotStarted, Barred: true}},
	} {
		w := newFixture(t)
		object := w.object("film")
		var sent []kv.Envelope
		replayed := false
		w.watch = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && !op.After && !replayed && op.Command.Kind != "acquire" {
				sent = append(sent, op.Command)
			}
			return nil
		}
		again := func(after string) {
			t.Helper()
			before := w.db.Snapshot().Objects
			w.now = w.now.Add(time.Second)
			replayed = true
			for i, cmd := range sent {
				r, err := w.db.Coordinator().Do(w.ctx, kv.Object{Class: ClassName, Name: "film"}, cmd)
				w.ok(err)
				if i == len(sent)-1 && r.Refused != nil {
					t.Errorf("%s: %s is refused when it comes again: %v", name, after, r.Refused)
				}
			}
			replayed = false
			if diff := cmp.Diff(before, w.db.Snapshot().Objects); diff != "" {
				t.Fatalf("%s, after %s: the repeats change (-was +is):\n%s", name, after, diff)
			}
		}
		lease, err := object.Acquire(w.ctx, LeaseRequest{Owner: "one"})
		w.ok(err)
		_, err = object.Start(w.ctx, lease, true, 1)
		w.ok(err)
		again("the start")
		g, err := object.Submit(w.ctx, lease, newGroup("ana", 1, 2500, 1))
		w.ok(err)
		again("the freezing")
		for i, f := range facts {
			if !f.FromLookup && i < 2 {
				g, err = object.Attempt(w.ctx, lease, g)
				w.ok(err)
				again("a sending")
			}
			g, err = object.RecordResult(w.ctx, lease, g, f)
			w.ok(err)
			again("a fact")
		}
		if g.outcome() != "" {
			g, err = object.Booked(w.ctx, lease, g)
			w.ok(err)
			again("the booking")
		}
		if g.Recovering() {
			_, err = object.Drop(w.ctx, lease, g)
			w.ok(err)
			again("the dropping")
		}
		_, err = object.Checkpoint(w.ctx, lease, Checkpoint{Batch: 1, Stage: StageEnd, Processed: 1, Status: JobDone})
		w.ok(err)
		again("the checkpoint")
		w.release(object, lease)
		again("the release")
	}
}

// A request that another lease counted is not taken for a repeat: its run may have sent it, and
// no lookup was made.
func TestCommands_RequestOfAnotherLease(t *testing.T) {
	b := newBench(t)
	was := b.group
	_, err := b.object.Attempt(b.ctx, b.fresh(), was)
	b.ok(err)
	_, err = b.object.Attempt(b.ctx, b.fresh(), was)
	wantCode(t, "a sending by an old count", err, fault.Conflict)
	_, err = b.object.Submit(b.ctx, b.fresh(), newGroup("ana", 1, 2500, 1))
	wantCode(t, "a generation that was frozen in another lease", err, fault.Conflict)
}
