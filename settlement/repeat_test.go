package settlement

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
	for name, facts := range map[string][]result{
		"declined":                       {refused},
		"paid":                           {won},
		"no answer, asked, and paid":     {noAnswer, {FromLookup: true}, won},
		"turned away, no answer":         {{Status: psp.NotStarted}, noAnswer},
		"to be confirmed, then canceled": {awaited, {FromLookup: true, Status: psp.Canceled, PaymentID: "pi_1"}},
		"our key is refused":             {{Status: psp.NotStarted, Barred: true}},
	} {
		w := newWorld(t)
		object := client{w.db.Coordinator(), "film"}
		var sent []kv.Envelope
		replayed := false
		w.line.watch = func(op memkv.Op) error {
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
		lease, err := object.acquire(w.ctx, acquire{Owner: "one"})
		w.ok(err)
		_, err = object.start(w.ctx, lease, true, 1)
		w.ok(err)
		again("the start")
		p := plan{generation: 1, amount: 2500, card: aPledge("a", 2500, "active", "a", 1)}
		g, err := object.submit(w.ctx, lease, p.freeze("film", "ana", hashOf("film", "ana")))
		w.ok(err)
		again("the freezing")
		for i, f := range facts {
			if !f.FromLookup && i < 2 {
				g, err = object.attempt(w.ctx, lease, g)
				w.ok(err)
				again("a sending")
			}
			g, err = object.recordResult(w.ctx, lease, g, f)
			w.ok(err)
			again("a fact")
		}
		if g.outcome() != "" {
			g, err = object.booked(w.ctx, lease, g)
			w.ok(err)
			again("the booking")
		}
		if g.recovering() {
			_, err = object.drop(w.ctx, lease, g)
			w.ok(err)
			again("the dropping")
		}
		_, err = object.checkpoint(w.ctx, lease, checkpoint{Batch: 1, Stage: endStage, Processed: 1, Status: JobDone})
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
	_, err := b.object.attempt(b.ctx, b.fresh(), was)
	b.ok(err)
	_, err = b.object.attempt(b.ctx, b.fresh(), was)
	wantCode(t, "a sending by an old count", err, fault.Conflict)
	p := plan{generation: 1, amount: 2500, card: aPledge("a", 2500, "active", "a", 1)}
	_, err = b.object.submit(b.ctx, b.fresh(), p.freeze("film", "ana", hashOf("film", "ana")))
	wantCode(t, "a generation that was frozen in another lease", err, fault.Conflict)
}
