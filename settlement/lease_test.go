package settlement

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func wantCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want code %s", what, err, code)
	}
}

// Proves SET-04 and SET-05.
func TestLease(t *testing.T) {
	w := newWorld(t)
	object := client{w.db.Coordinator(), "film"}
	first, err := object.acquire(w.ctx, acquire{Owner: "one"})
	w.ok(err)
	if first.Number != 1 || !first.Until.Equal(w.now.Add(15*time.Minute)) {
		t.Errorf("the first lease is %+v", first)
	}
	_, err = object.acquire(w.ctx, acquire{Owner: "two"})
	wantCode(t, "a second holder", err, fault.Busy)
	if !strings.Contains(err.Error(), first.Until.UTC().Format(time.RFC3339)) {
		t.Errorf("%q does not say until when", err)
	}
	if _, err = (client{w.db.Coordinator(), "album"}).acquire(w.ctx, acquire{Owner: "two"}); err != nil {
		t.Errorf("another campaign: %v", err)
	}

	w.now = w.now.Add(14 * time.Minute)
	renewed, err := object.renew(w.ctx, first, 1)
	w.ok(err)
	if renewed.Number != 1 || !renewed.Until.Equal(w.now.Add(15*time.Minute)) {
		t.Errorf("the renewed lease is %+v", renewed)
	}
	w.now = renewed.Until
	_, err = object.renew(w.ctx, first, 2)
	wantCode(t, "a lapsed lease renewed", err, fault.Busy)
	third, err := object.acquire(w.ctx, acquire{Owner: "three"})
	w.ok(err)
	if third.Number != 2 {
		t.Errorf("the lease after a lapse has number %d", third.Number)
	}
	w.release(object, first)
	_, err = object.acquire(w.ctx, acquire{Owner: "four"})
	wantCode(t, "after a stale release", err, fault.Busy)
	w.release(object, third)
	if _, err = object.acquire(w.ctx, acquire{Owner: "five"}); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

// A lease that ends later than any lease can was acquired with a wrong clock. Other runs do not
// wait for it, and its holder's writes are refused.
func TestLease_OfWrongClock(t *testing.T) {
	for _, tt := range []struct {
		ahead time.Duration
		free  bool
	}{{30 * time.Minute, false}, {30*time.Minute + time.Second, true}, {40 * 24 * time.Hour, true}} {
		w := newWorld(t)
		object := client{w.db.Coordinator(), "film"}
		right := w.now
		w.now = right.Add(tt.ahead)
		wrong, err := object.acquire(w.ctx, acquire{Owner: "wrong"})
		w.ok(err)
		w.now = right
		next, err := object.acquire(w.ctx, acquire{Owner: "right"})
		if !tt.free {
			wantCode(t, tt.ahead.String(), err, fault.Busy)
			continue
		}
		w.ok(err)
		if next.Number != wrong.Number+1 {
			t.Errorf("%s: the lease has number %d, want %d", tt.ahead, next.Number, wrong.Number+1)
		}
		w.now = right.Add(tt.ahead)
		_, err = object.renew(w.ctx, wrong, 1)
		wantCode(t, "the earlier lease renewed", err, fault.Busy)
	}
}

// A restarted program does not wait for the lease of a dead holder on its node, and the dead
// holder's writes are refused should it still run.
//
// Proves SET-05.
func TestLease_Takeover(t *testing.T) {
	tests := []struct {
		name         string
		holder, next Holder
		taken        bool
	}{
		{"no nodes", Holder{}, Holder{}, false},
		{"no node, another incarnation", Holder{Incarnation: "1"}, Holder{Incarnation: "2"}, false},
		{"another incarnation of the node", Holder{Node: "p", Incarnation: "1"}, Holder{Node: "p", Incarnation: "2"}, true},
		{"the same incarnation", Holder{Node: "p", Incarnation: "1"}, Holder{Node: "p", Incarnation: "1"}, false},
		{"another node", Holder{Node: "p", Incarnation: "1"}, Holder{Node: "q", Incarnation: "2"}, false},
		{"from somewhere to nowhere", Holder{Node: "p", Incarnation: "1"}, Holder{Incarnation: "2"}, false},
		{"one that is known to be over", Holder{Node: "p", Incarnation: "1"}, Holder{Node: "q", Incarnation: "2", Ended: []string{"0", "1"}}, true},
	}
	for _, tt := range tests {
		w := newWorld(t)
		object := client{w.db.Coordinator(), "film"}
		old, err := object.acquire(w.ctx, acquire{Owner: "holder", Holder: tt.holder})
		w.ok(err)
		_, err = object.acquire(w.ctx, acquire{Owner: "next", Holder: tt.next})
		if tt.taken != (err == nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err = object.renew(w.ctx, old, 1); tt.taken {
			wantCode(t, tt.name+": the old lease", err, fault.Busy)
		}
	}
}

// A job that a server left is found by another one when the lease is free or its holder is known
// to be dead.
func TestStalled(t *testing.T) {
	w := newWorld(t)
	w.behind("a-later-one")
	w.run([]string{"crowd", "60", "film", "1000"})
	w.svc.Next = func(context.Context, string) error { return nil }
	stalled := func(want ...string) {
		t.Helper()
		got, err := w.svc.Stalled(w.ctx)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("stalled are %v, %v, want %v", got, err, want)
		}
	}
	stalled()
	w.deadline()
	stalled()
	_, err := w.svc.Dispatch(w.ctx, "film")
	w.ok(err)
	stalled("film")
	_, err = client{w.db.Coordinator(), "film"}.acquire(w.ctx, acquire{Owner: "other", Holder: Holder{Node: "there", Incarnation: "l1"}})
	w.ok(err)
	stalled()
	w.svc.Holder = func() Holder { return Holder{Ended: []string{"l1"}} }
	stalled("film")
	for range 2 {
		_, err = w.svc.Batch(w.ctx, BatchRequest{CampaignSlug: "film"})
		w.ok(err)
	}
	stalled()
}

// A run whose lease was taken over writes nothing more except results from the processor.
//
// Proves SET-05 and SET-11.
func TestLease_StaleWrites(t *testing.T) {
	w := newWorld(t)
	object := client{w.db.Coordinator(), "film"}
	old, err := object.acquire(w.ctx, acquire{Owner: "old"})
	w.ok(err)
	p := planFor(nil, nil, campaign.Recovery{}, noon)
	p.card, p.amount, p.verdict = aPledge("a", 2500, "active", "a", 1), 2500, toCharge
	g, err := object.submit(w.ctx, old, p.freeze("film", "ana", hashOf("film", "ana")))
	w.ok(err)
	g, err = object.attempt(w.ctx, old, g)
	w.ok(err)

	w.now = w.now.Add(16 * time.Minute)
	_, err = object.renew(w.ctx, old, 1)
	wantCode(t, "renew after the end", err, fault.Busy)
	_, err = object.acquire(w.ctx, acquire{Owner: "new"})
	w.ok(err)

	_, err = object.attempt(w.ctx, old, g)
	wantCode(t, "attempt", err, fault.Busy)
	_, err = object.submit(w.ctx, old, p.freeze("film", "bob", hashOf("film", "bob")))
	wantCode(t, "submit", err, fault.Busy)
	_, err = object.alarm(w.ctx, old, g)
	wantCode(t, "alarm", err, fault.Busy)
	_, err = object.start(w.ctx, old, true, 1)
	wantCode(t, "start", err, fault.Busy)
	_, err = object.checkpoint(w.ctx, old, checkpoint{Batch: 1})
	wantCode(t, "checkpoint", err, fault.Busy)
	_, err = object.complete(w.ctx, old)
	wantCode(t, "complete", err, fault.Busy)
	wantCode(t, "met", object.clearVisit(w.ctx, old, g.Hash, "n"), fault.Busy)

	g, err = object.recordResult(w.ctx, old, g, result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500, Received: 2500, Currency: "usd"})
	if err != nil || g.Status != Succeeded || g.PaymentIntentID != "pi_1" {
		t.Errorf("a success brought by a stale run: %+v, %v", g, err)
	}
	_, err = object.booked(w.ctx, old, g)
	wantCode(t, "booked", err, fault.Busy)
}

// A frozen request does not change, and a generation follows only a booked failure and a newer
// card.
//
// Proves SET-13.
func TestSubmit(t *testing.T) {
	w := newWorld(t)
	object := client{w.db.Coordinator(), "film"}
	var lease Lease
	fresh := func() { // a new lease, so that no answer is a cached one
		t.Helper()
		var err error
		w.release(object, lease)
		lease, err = object.acquire(w.ctx, acquire{Owner: w.now.String()})
		w.ok(err)
		w.now = w.now.Add(time.Second)
	}
	group := func(generation int, saved int) Group {
		p := plan{generation: generation, amount: 2500, card: aPledge("a", 2500, "active", "a", saved)}
		return p.freeze("film", "ana", hashOf("film", "ana"))
	}
	try := func(what string, g Group, code fault.Code) Group {
		t.Helper()
		fresh()
		got, err := object.submit(w.ctx, lease, g)
		if code == "" {
			w.ok(err)
			return got
		}
		wantCode(t, what, err, code)
		return got
	}
	g := try("the first", group(1, 1), "")
	try("the first again", group(1, 1), fault.Conflict)
	try("the next while submitted", group(2, 2), fault.Conflict)

	g, err := object.attempt(w.ctx, lease, g)
	w.ok(err)
	g, err = object.recordResult(w.ctx, lease, g, result{Status: psp.Mismatch})
	if err != nil || g.Status != NeedsAttention {
		t.Fatalf("the group is %s, %v", g.Status, err)
	}
	try("the next with the same card, at attention", group(2, 1), fault.Conflict)
	try("the next at attention", group(2, 2), fault.Conflict)
	g, err = object.recordResult(w.ctx, lease, g, result{Status: psp.Declined, Code: "card_declined"})
	w.ok(err)
	try("the next before the failure is booked", group(2, 2), fault.Conflict)
	fresh()
	_, err = object.booked(w.ctx, lease, g)
	w.ok(err)
	try("the next with the same card", group(2, 1), fault.Conflict)
	try("the failed one anew, with a newer card", group(1, 2), fault.Conflict)
	next := try("the next", group(2, 2), "")
	if len(next.History) != 1 || next.History[0].Status != Failed || next.History[0].Code != "card_declined" {
		t.Errorf("the history is %+v", next.History)
	}
	_, err = object.attempt(w.ctx, lease, Group{Hash: next.Hash, Generation: 1, Attempts: 1})
	wantCode(t, "an attempt of the generation before", err, fault.NotFound)
}

// The first request dates the key, and no later one refreshes it. When the key is too old, the
// object refuses to count another request.
//
// Proves SET-12.
func TestKeyAge(t *testing.T) {
	w := newWorld(t)
	object := client{w.db.Coordinator(), "film"}
	p := plan{generation: 1, amount: 2500, card: aPledge("a", 2500, "active", "a", 1)}
	frozen := p.freeze("film", "ana", hashOf("film", "ana"))
	first := w.now
	g := Group{}
	for i, age := range []time.Duration{0, time.Hour, 22*time.Hour + 59*time.Minute, 23 * time.Hour,
		23*time.Hour + time.Minute, 24*time.Hour + time.Minute} {
		w.now = first.Add(age)
		lease, err := object.acquire(w.ctx, acquire{Owner: w.now.String()})
		w.ok(err)
		if i == 0 {
			g, err = object.submit(w.ctx, lease, frozen)
			w.ok(err)
		}
		sent, err := object.attempt(w.ctx, lease, g)
		if age > psp.SafeAge {
			wantCode(t, age.String(), err, fault.Conflict)
		} else if err != nil {
			t.Errorf("after %s: %v", age, err)
		} else if g = sent; !g.FirstSubmittedAt.Equal(first) || g.Attempts != i+1 {
			t.Errorf("after %s: first sent %s, %d times", age, g.FirstSubmittedAt, g.Attempts)
		}
		w.release(object, lease)
	}
}

// doors are the entry points of a settlement.
var doors = []struct {
	name  string
	enter func(*Service, context.Context) error
}{
	{"settle", func(s *Service, ctx context.Context) error { _, err := s.Settle(ctx, "film", false); return err }},
	{"dispatch", func(s *Service, ctx context.Context) error { _, err := s.Dispatch(ctx, "film"); return err }},
	{"batch", func(s *Service, ctx context.Context) error {
		_, err := s.Batch(ctx, BatchRequest{CampaignSlug: "film"})
		return err
	}},
}

// Two runs at once, the second of which starts at each command of the first in turn, through each
// entry point. The second run comes before the first has the lease, or is refused and charges
// nothing.
//
// Proves SET-04 and SET-05.
func TestLease_ConcurrentRuns(t *testing.T) {
	for _, first := range doors {
		at := 1
		for ; interrupted(t, first.enter, at); at++ {
			if t.Failed() {
				t.Fatalf("%s, entered at command %d", first.name, at)
			}
		}
		if at < 20 {
			t.Errorf("%s has %d commands", first.name, at-1)
		}
	}
}

// interrupted settles the small campaign while other runs start at a given command. It reports
// whether there are so many commands.
func interrupted(t *testing.T, first func(*Service, context.Context) error, at int) bool {
	w := small(t)
	lease, err := client{w.db.Coordinator(), "film"}.acquire(w.ctx, acquire{Owner: "dispatcher"})
	w.ok(err)
	_, err = client{w.db.Coordinator(), "film"}.start(w.ctx, lease, true, 5) // so that there is a batch to run
	w.ok(err)
	w.release(client{w.db.Coordinator(), "film"}, lease)
	commands := 0
	w.line.watch = func(op memkv.Op) error {
		if op.Kind != memkv.OpDo || op.After {
			return nil
		}
		if commands++; commands < at {
			return nil
		}
		w.line.watch = nil
		for _, door := range doors {
			before := len(w.line.charges)
			err := door.enter(w.service(), w.ctx)
			if at <= 2 { // before it has the lease
				w.ok(err)
				continue
			}
			wantCode(t, door.name+" as the second", err, fault.Busy)
			if n := len(w.line.charges) - before; n != 0 {
				t.Errorf("%s as the second sends %d charges", door.name, n)
			}
		}
		return nil
	}
	w.ok(first(w.svc, w.ctx))
	entered := w.line.watch == nil
	w.line.watch = nil
	w.until()
	w.settledOnce()
	return entered
}

// A long run renews its lease before it expires, and not for every supporter.
//
// Proves SET-05.
func TestLease_Renewal(t *testing.T) {
	w := newWorld(t)
	w.run([]string{"crowd", "24", "film", "1000"})
	w.deadline()
	renewals := 0
	w.line.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.After && op.Command.Kind == "renew" {
			renewals++
		}
		if op.Kind == memkv.OpDo && op.After && op.Command.Kind == "attempt" {
			w.now = w.now.Add(time.Minute)
		}
		return nil
	}
	if _, err := w.svc.Settle(w.ctx, "film", false); err != nil || len(w.line.charges) != 24 || renewals < 2 || renewals > 4 {
		t.Errorf("in 24 minutes %d charges, the lease was renewed %d times, %v", len(w.line.charges), renewals, err)
	}
}

// A run that outlives its lease because the machine was paused starts no further charge.
//
// Proves SET-05.
func TestLease_PausedMachine(t *testing.T) {
	for _, pausedFor := range []time.Duration{13 * time.Minute, 20 * time.Minute, 59 * time.Minute} {
		w := small(t)
		paused := false
		w.line.watch = func(op memkv.Op) error {
			if !paused && op.Kind == memkv.OpDo && op.Command.Kind == "booked" && op.After {
				paused = true
				w.now = w.now.Add(pausedFor)
			}
			return nil
		}
		_, err := w.svc.Settle(w.ctx, "film", false)
		if pausedFor > LeaseDuration {
			wantCode(t, pausedFor.String(), err, fault.Busy)
			if n := len(w.line.charges); n != 1 {
				t.Errorf("%d charges were sent", n)
			}
		} else if err != nil {
			t.Errorf("after %s: %v", pausedFor, err)
		}
		w.until()
		w.settledOnce()
	}
}

// A request carries the latest time at which it may be sent, and the key in its metadata.
func TestNotAfter(t *testing.T) {
	w := newWorld(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	c := w.line.charges[0]
	if want := w.group("ana", "film").FirstSubmittedAt.Add(psp.SafeAge); !c.NotAfter.Equal(want) {
		t.Errorf("the charge may be sent until %s, want %s", c.NotAfter, want)
	}
	if c.Key != c.Group || c.Key != attemptKey("film", GroupHash("film", "ana@example.org"), 1) {
		t.Errorf("the charge has key %s and mark %s", c.Key, c.Group)
	}
}

// A machine that sleeps between counting a request and sending it sends nothing when it wakes up
// if the processor may have forgotten the key meanwhile. Another card does not lead to another key.
//
// Proves SET-12, SET-13 and SET-14.
func TestCharge_SleepBeforeSending(t *testing.T) {
	for _, tt := range []struct {
		sleeps time.Duration
		sent   bool // the second time
	}{
		{time.Minute, true},
		{2 * time.Hour, false},
		{48 * time.Hour, false},
	} {
		w := newWorld(t)
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.deadline()
		w.ok(w.sim.Order(sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent}))
		w.settle("film", false)
		w.now = w.now.Add(22 * time.Hour)
		received := w.sim.Received(sim.CreateIntent)
		w.line.watch = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && op.After && op.Command.Kind == "attempt" {
				w.line.watch = nil
				w.now = w.now.Add(tt.sleeps)
			}
			return nil
		}
		w.settle("film", false)
		w.now = w.now.Add(time.Hour)
		w.settle("film", false)
		if !tt.sent {
			w.newCard("ana", sim.CardOK, 0)
			w.ok(w.svc.RetryCard(w.ctx, "film", email("ana")))
		}
		g, sent := w.group("ana", "film"), w.sim.Received(sim.CreateIntent) > received
		if sent != tt.sent || (g.Status == Succeeded) != tt.sent || !tt.sent && g.Reason != NoAnswer || g.Generation != 1 {
			t.Errorf("asleep for %s: sent %t, the group is %s (%s), generation %d", tt.sleeps, sent, g.Status, g.Reason, g.Generation)
		}
	}
}
