package state

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Proves SET-04 and SET-05.
func TestLease(t *testing.T) {
	w := newFixture(t)
	object := w.object("film")
	first, err := object.Acquire(w.ctx, LeaseRequest{Owner: "one"})
	w.ok(err)
	if first.Number != 1 || !first.Until.Equal(w.now.Add(15*time.Minute)) {
		t.Errorf("the first lease is %+v", first)
	}
	_, err = object.Acquire(w.ctx, LeaseRequest{Owner: "two"})
	wantCode(t, "a second holder", err, fault.Busy)
	if !strings.Contains(err.Error(), first.Until.UTC().Format(time.RFC3339)) {
		t.Errorf("%q does not contain the time at which the lease expires", err)
	}
	if _, err = (w.object("album")).Acquire(w.ctx, LeaseRequest{Owner: "two"}); err != nil {
		t.Errorf("another campaign: %v", err)
	}

	w.now = w.now.Add(14 * time.Minute)
	renewed, err := object.Renew(w.ctx, first, 1)
	w.ok(err)
	if renewed.Number != 1 || !renewed.Until.Equal(w.now.Add(15*time.Minute)) {
		t.Errorf("the renewed lease is %+v", renewed)
	}
	w.now = renewed.Until
	_, err = object.Renew(w.ctx, first, 2)
	wantCode(t, "an expired lease was renewed", err, fault.Busy)
	third, err := object.Acquire(w.ctx, LeaseRequest{Owner: "three"})
	w.ok(err)
	if third.Number != 2 {
		t.Errorf("the lease after an expired one has number %d", third.Number)
	}
	w.release(object, first)
	_, err = object.Acquire(w.ctx, LeaseRequest{Owner: "four"})
	wantCode(t, "after a stale release", err, fault.Busy)
	w.release(object, third)
	if _, err = object.Acquire(w.ctx, LeaseRequest{Owner: "five"}); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

// A lease whose expiry is later than any lease's can be was acquired with a wrong clock. Other
// runs do not wait for it, and its holder's writes are refused.
func TestLease_OfWrongClock(t *testing.T) {
	for _, tt := range []struct {
		ahead time.Duration
		free  bool
	}{{30 * time.Minute, false}, {30*time.Minute + time.Second, true}, {40 * 24 * time.Hour, true}} {
		w := newFixture(t)
		object := w.object("film")
		right := w.now
		w.now = right.Add(tt.ahead)
		wrong, err := object.Acquire(w.ctx, LeaseRequest{Owner: "wrong"})
		w.ok(err)
		w.now = right
		next, err := object.Acquire(w.ctx, LeaseRequest{Owner: "right"})
		if !tt.free {
			wantCode(t, tt.ahead.String(), err, fault.Busy)
			continue
		}
		w.ok(err)
		if next.Number != wrong.Number+1 {
			t.Errorf("%s: the lease has number %d, want %d", tt.ahead, next.Number, wrong.Number+1)
		}
		w.now = right.Add(tt.ahead)
		_, err = object.Renew(w.ctx, wrong, 1)
		wantCode(t, "the earlier lease was renewed", err, fault.Busy)
	}
}

// A restarted program does not wait for the lease of a crashed holder on its node. If that
// holder still runs, its writes are refused.
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
		{"holder with a node, caller without", Holder{Node: "p", Incarnation: "1"}, Holder{Incarnation: "2"}, false},
		{"incarnation known to have ended", Holder{Node: "p", Incarnation: "1"},
			Holder{Node: "q", Incarnation: "2", Ended: []string{"0", "1"}}, true},
	}
	for _, tt := range tests {
		w := newFixture(t)
		object := w.object("film")
		old, err := object.Acquire(w.ctx, LeaseRequest{Owner: "holder", Holder: tt.holder})
		w.ok(err)
		_, err = object.Acquire(w.ctx, LeaseRequest{Owner: "next", Holder: tt.next})
		if tt.taken != (err == nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err = object.Renew(w.ctx, old, 1); tt.taken {
			wantCode(t, tt.name+": the old lease", err, fault.Busy)
		}
	}
}

// A run whose lease was taken over writes nothing more except results from the processor.
//
// Proves SET-05 and SET-11.
func TestLease_StaleWrites(t *testing.T) {
	w := newFixture(t)
	object := w.object("film")
	old, err := object.Acquire(w.ctx, LeaseRequest{Owner: "old"})
	w.ok(err)
	g, err := object.Submit(w.ctx, old, newGroup("ana", 1, 2500, 1))
	w.ok(err)
	g, err = object.Attempt(w.ctx, old, g)
	w.ok(err)

	w.now = w.now.Add(16 * time.Minute)
	_, err = object.Renew(w.ctx, old, 1)
	wantCode(t, "renew an ended lease", err, fault.Busy)
	_, err = object.Acquire(w.ctx, LeaseRequest{Owner: "new"})
	w.ok(err)

	_, err = object.Attempt(w.ctx, old, g)
	wantCode(t, "attempt", err, fault.Busy)
	_, err = object.Submit(w.ctx, old, newGroup("bob", 1, 2500, 1))
	wantCode(t, "submit", err, fault.Busy)
	_, err = object.MarkUnanswered(w.ctx, old, g)
	wantCode(t, "alarm", err, fault.Busy)
	_, err = object.Start(w.ctx, old, true, 1)
	wantCode(t, "start", err, fault.Busy)
	_, err = object.Checkpoint(w.ctx, old, Checkpoint{Batch: 1})
	wantCode(t, "checkpoint", err, fault.Busy)
	_, err = object.Complete(w.ctx, old)
	wantCode(t, "complete", err, fault.Busy)
	wantCode(t, "met", object.ClearVisit(w.ctx, old, g.Hash, "n"), fault.Busy)

	g, err = object.RecordResult(w.ctx, old, g,
		Result{Status: psp.Succeeded, PaymentID: "pi_1", Amount: 2500, Received: 2500, Currency: "usd"})
	if err != nil || g.Status != Succeeded || g.PaymentIntentID != "pi_1" {
		t.Errorf("a success recorded by a stale run: %+v, %v", g, err)
	}
	_, err = object.MarkBooked(w.ctx, old, g)
	wantCode(t, "booked", err, fault.Busy)
}

// A frozen request does not change, and the next generation requires a booked failure and a
// newer card.
//
// Proves SET-13.
func TestSubmit(t *testing.T) {
	w := newFixture(t)
	object := w.object("film")
	var lease Lease
	fresh := func() { // a new lease, so that no cached answer is returned
		t.Helper()
		var err error
		w.release(object, lease)
		lease, err = object.Acquire(w.ctx, LeaseRequest{Owner: w.now.String()})
		w.ok(err)
		w.now = w.now.Add(time.Second)
	}
	group := func(generation int, saved int) Group {
		return newGroup("ana", generation, 2500, saved)
	}
	try := func(what string, g Group, code fault.Code) Group {
		t.Helper()
		fresh()
		got, err := object.Submit(w.ctx, lease, g)
		if code == "" {
			w.ok(err)
			return got
		}
		wantCode(t, what, err, code)
		return got
	}
	g := try("the first", group(1, 1), "")
	try("the first again", group(1, 1), fault.Conflict)
	try("next generation while submitted", group(2, 2), fault.Conflict)

	g, err := object.Attempt(w.ctx, lease, g)
	w.ok(err)
	g, err = object.RecordResult(w.ctx, lease, g, Result{Status: psp.Mismatch})
	if err != nil || g.Status != NeedsAttention {
		t.Fatalf("the group is %s, %v", g.Status, err)
	}
	try("next generation with the same card, needs attention", group(2, 1), fault.Conflict)
	try("next generation, needs attention", group(2, 2), fault.Conflict)
	g, err = object.RecordResult(w.ctx, lease, g, Result{Status: psp.Declined, Code: "card_declined"})
	w.ok(err)
	try("next generation before the failure is booked", group(2, 2), fault.Conflict)
	fresh()
	_, err = object.MarkBooked(w.ctx, lease, g)
	w.ok(err)
	try("next generation with the same card", group(2, 1), fault.Conflict)
	try("the failed generation again, with a newer card", group(1, 2), fault.Conflict)
	next := try("the next", group(2, 2), "")
	if len(next.History) != 1 || next.History[0].Status != Failed || next.History[0].Code != "card_declined" {
		t.Errorf("the history is %+v", next.History)
	}
	_, err = object.Attempt(w.ctx, lease, Group{Hash: next.Hash, Generation: 1, Attempts: 1})
	wantCode(t, "a request of the previous generation", err, fault.NotFound)
}

// The key's age counts from the first request; later requests do not change that. When the key
// is too old, the object refuses to count another request.
//
// Proves SET-12.
func TestKeyAge(t *testing.T) {
	w := newFixture(t)
	object := w.object("film")
	frozen := newGroup("ana", 1, 2500, 1)
	first := w.now
	g := Group{}
	for i, age := range []time.Duration{0, time.Hour, 22*time.Hour + 59*time.Minute, 23 * time.Hour,
		23*time.Hour + time.Minute, 24*time.Hour + time.Minute} {
		w.now = first.Add(age)
		lease, err := object.Acquire(w.ctx, LeaseRequest{Owner: w.now.String()})
		w.ok(err)
		if i == 0 {
			g, err = object.Submit(w.ctx, lease, frozen)
			w.ok(err)
		}
		sent, err := object.Attempt(w.ctx, lease, g)
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

// The database lost a lease, and another run has a lease with the same number. Writes by the
// lost lease's run are refused, even right after its successor wrote the same.
//
// Proves SET-05.
func TestLease_LostInTheDatabase(t *testing.T) {
	lost, w := newFixture(t), newFixture(t) // two histories
	old, err := lost.object("film").Acquire(w.ctx, LeaseRequest{Owner: "old"})
	w.ok(err)
	object := w.object("film")
	lease, err := object.Acquire(w.ctx, LeaseRequest{Owner: "new"})
	w.ok(err)
	if old.Number != lease.Number {
		t.Fatalf("the leases have numbers %d and %d", old.Number, lease.Number)
	}

	g := newGroup("ana", 1, 2500, 1)
	_, err = object.Submit(w.ctx, lease, g)
	w.ok(err)
	sent, err := object.Attempt(w.ctx, lease, g)
	w.ok(err)
	check := func(name string, do func(t Lease) error) {
		t.Helper()
		if err := do(lease); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantCode(t, name+" in the lost lease", do(old), fault.Busy)
	}
	check("submit", func(t Lease) error { _, err := object.Submit(w.ctx, t, g); return err })
	check("attempt", func(t Lease) error { _, err := object.Attempt(w.ctx, t, g); return err })
	failed, err := object.RecordResult(w.ctx, lease, sent, Result{Status: psp.Declined, Code: "card_declined"})
	w.ok(err)
	for _, tt := range []struct {
		name string
		do   func(t Lease) error
	}{
		{"renew", func(t Lease) error { _, err := object.Renew(w.ctx, t, 1); return err }},
		{"start", func(t Lease) error { _, err := object.Start(w.ctx, t, true, 1); return err }},
		{"alarm", func(t Lease) error { _, err := object.MarkUnanswered(w.ctx, t, failed); return err }},
		{"booked", func(t Lease) error { _, err := object.MarkBooked(w.ctx, t, failed); return err }},
		{"met", func(t Lease) error { return object.ClearVisit(w.ctx, t, g.Hash, "n") }},
		{"checkpoint", func(t Lease) error { _, err := object.Checkpoint(w.ctx, t, Checkpoint{Batch: 1}); return err }},
		{"complete", func(t Lease) error { _, err := object.Complete(w.ctx, t); return err }},
		{"drop", func(t Lease) error { _, err := object.Drop(w.ctx, t, failed); return err }},
	} {
		check(tt.name, tt.do)
	}
	w.release(object, old)
	if _, err := object.Renew(w.ctx, lease, 2); err != nil {
		t.Errorf("the lost lease's release: %v", err)
	}
	w.release(object, lease)
	if _, err := object.Acquire(w.ctx, LeaseRequest{Owner: "next"}); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

// Results from a run whose lease was lost are accepted too, and its successor's result for the
// same request does not replace them.
//
// Proves SET-11.
func TestLease_ResultOfALostLease(t *testing.T) {
	lost, w := newFixture(t), newFixture(t)
	old, err := lost.object("film").Acquire(w.ctx, LeaseRequest{Owner: "old"})
	w.ok(err)
	object := w.object("film")
	lease, err := object.Acquire(w.ctx, LeaseRequest{Owner: "new"})
	w.ok(err)
	g, err := object.Submit(w.ctx, lease, newGroup("ana", 1, 2500, 1))
	w.ok(err)
	g, err = object.Attempt(w.ctx, lease, g)
	w.ok(err)
	_, err = object.RecordResult(w.ctx, lease, g, Result{Status: psp.Pending})
	w.ok(err)
	got, err := object.RecordResult(w.ctx, old, g, Result{Status: psp.Pending, PaymentID: "pi_1"})
	if err != nil || got.PaymentIntentID != "pi_1" {
		t.Errorf("the payment is %q, %v", got.PaymentIntentID, err)
	}
}
