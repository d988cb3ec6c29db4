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

// Repeated commands about a supporter are recognized by the group's state, without a cache of
// answers, immediately and after all later commands. The test repeats each of a charge's
// commands after every later one.
func TestCommands_RepeatsChangeNothing(t *testing.T) {
	for name, facts := range map[string][]Result{
		"declined":                          {refused},
		"paid":                              {won},
		"no answer, no payment found, paid": {noAnswer, {FromLookup: true}, won},
		"rejected, no answer":               {{Status: psp.NotStarted}, noAnswer},
		"to be confirmed, then canceled":    {awaited, {FromLookup: true, Status: psp.Canceled, PaymentID: "pi_1"}},
		"API key rejected":                  {{Status: psp.NotStarted, Barred: true}},
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
					t.Errorf("%s: the repeated %s is refused: %v", name, after, r.Refused)
				}
			}
			replayed = false
			if diff := cmp.Diff(before, w.db.Snapshot().Objects); diff != "" {
				t.Fatalf("%s, after %s: repeated commands changed the group (-before +after):\n%s", name, after, diff)
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
			g, err = object.MarkBooked(w.ctx, lease, g)
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

// A request that was counted under another lease is not taken for a repeat: that lease's run
// may have sent it, and no lookup was made since.
func TestCommands_RequestOfAnotherLease(t *testing.T) {
	b := newGroupFixture(t)
	was := b.group
	_, err := b.object.Attempt(b.ctx, b.newLease(), was)
	b.ok(err)
	_, err = b.object.Attempt(b.ctx, b.newLease(), was)
	wantCode(t, "a request with an outdated count", err, fault.Conflict)
	_, err = b.object.Submit(b.ctx, b.newLease(), newGroup("ana", 1, 2500, 1))
	wantCode(t, "a generation frozen under another lease", err, fault.Conflict)
}
