package settlement

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func wantCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want code %s", what, err, code)
	}
}

// Another server takes over a server's job when the lease is free or its holder is known to
// have crashed.
func TestStalled(t *testing.T) {
	w := newFixture(t)
	w.addCampaign("a-later-one")
	w.run([]string{"crowd", "60", "film", "1000"})
	w.svc.Next = func(context.Context, string) error { return nil }
	stalled := func(want ...string) {
		t.Helper()
		got, err := w.svc.Stalled(w.ctx)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("stalled campaigns %v, %v, want %v", got, err, want)
		}
	}
	stalled()
	w.deadline()
	stalled()
	_, err := w.svc.Dispatch(w.ctx, "film")
	w.ok(err)
	stalled("film")
	_, err = state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}.Acquire(w.ctx,
		state.LeaseRequest{Owner: "other", Holder: state.Holder{Node: "there", Incarnation: "l1"}})
	w.ok(err)
	stalled()
	w.svc.Holder = func() state.Holder { return state.Holder{Ended: []string{"l1"}} }
	stalled("film")
	for range 2 {
		_, err = w.svc.Batch(w.ctx, BatchRequest{CampaignSlug: "film"})
		w.ok(err)
	}
	stalled()
}

// entryPoints are the entry points of a settlement.
var entryPoints = []struct {
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

// A second run starts at each command of the first in turn, through each entry point. Before
// the first run has the lease, the second settles the campaign; after that it is refused and
// charges nothing.
//
// Proves SET-04 and SET-05.
func TestLease_ConcurrentRuns(t *testing.T) {
	for _, first := range entryPoints {
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
// whether the run has that many commands.
func interrupted(t *testing.T, first func(*Service, context.Context) error, at int) bool {
	w := smallCampaign(t)
	lease, err := state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}.Acquire(w.ctx,
		state.LeaseRequest{Owner: "dispatcher"})
	w.ok(err)
	// so that there is a batch to run
	_, err = state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}.Start(w.ctx, lease, true, 5)
	w.ok(err)
	w.release(state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}, lease)
	commands := 0
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind != memkv.OpDo || op.After {
			return nil
		}
		if commands++; commands < at {
			return nil
		}
		w.conn.watch = nil
		for _, entry := range entryPoints {
			before := len(w.conn.charges)
			err := entry.enter(w.service(), w.ctx)
			if at <= 2 { // before it has the lease
				w.ok(err)
				continue
			}
			wantCode(t, entry.name+" as the second run", err, fault.Busy)
			if n := len(w.conn.charges) - before; n != 0 {
				t.Errorf("%s as the second run sends %d charges", entry.name, n)
			}
		}
		return nil
	}
	w.ok(first(w.svc, w.ctx))
	entered := w.conn.watch == nil
	w.conn.watch = nil
	w.runUntilDone()
	w.checkSettled()
	return entered
}

// A long run renews its lease before it expires, but not for every supporter.
//
// Proves SET-05.
func TestLease_Renewal(t *testing.T) {
	w := newFixture(t)
	w.run([]string{"crowd", "24", "film", "1000"})
	w.deadline()
	renewals := 0
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.After && op.Command.Kind == "renew" {
			renewals++
		}
		if op.Kind == memkv.OpDo && op.After && op.Command.Kind == "attempt" {
			w.now = w.now.Add(time.Minute)
		}
		return nil
	}
	if _, err := w.svc.Settle(w.ctx, "film", false); err != nil || len(w.conn.charges) != 24 ||
		renewals < 2 || renewals > 4 {
		t.Errorf("%d charges in 24 minutes, %d renewals, %v", len(w.conn.charges), renewals, err)
	}
}

// A run that outlives its lease because the machine was paused starts no more charges.
//
// Proves SET-05.
func TestLease_PausedMachine(t *testing.T) {
	for _, pausedFor := range []time.Duration{13 * time.Minute, 20 * time.Minute, 59 * time.Minute} {
		w := smallCampaign(t)
		paused := false
		w.conn.watch = func(op memkv.Op) error {
			if !paused && op.Kind == memkv.OpDo && op.Command.Kind == "booked" && op.After {
				paused = true
				w.now = w.now.Add(pausedFor)
			}
			return nil
		}
		_, err := w.svc.Settle(w.ctx, "film", false)
		if pausedFor > state.LeaseDuration {
			wantCode(t, pausedFor.String(), err, fault.Busy)
			if n := len(w.conn.charges); n != 1 {
				t.Errorf("%d charges were sent", n)
			}
		} else if err != nil {
			t.Errorf("after %s: %v", pausedFor, err)
		}
		w.runUntilDone()
		w.checkSettled()
	}
}

// A request carries the latest time at which it may be sent, and the key in its metadata.
func TestNotAfter(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	_, err := w.svc.Settle(w.ctx, "film", false)
	w.ok(err)
	c := w.conn.charges[0]
	if want := w.group("ana", "film").FirstSubmittedAt.Add(psp.SafeAge); !c.NotAfter.Equal(want) {
		t.Errorf("the charge may be sent until %s, want %s", c.NotAfter, want)
	}
	if c.Key != c.Group || c.Key != state.AttemptKey("film", state.GroupHash("film", "ana@example.org"), 1) {
		t.Errorf("the charge has key %s and mark %s", c.Key, c.Group)
	}
}

// A machine sleeps between counting a request and sending it. When it wakes up, it does not
// send the request if the processor may have forgotten the key meanwhile. A new card does not
// change the key.
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
		w := newFixture(t)
		w.pledge("ana", "film", 2500, sim.CardOK)
		w.deadline()
		w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent}))
		w.settle("film", false)
		w.now = w.now.Add(22 * time.Hour)
		received := w.sim.Received(sim.CreateIntent)
		w.conn.watch = func(op memkv.Op) error {
			if op.Kind == memkv.OpDo && op.After && op.Command.Kind == "attempt" {
				w.conn.watch = nil
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
		if sent != tt.sent || (g.Status == state.Succeeded) != tt.sent ||
			!tt.sent && g.Reason != state.NoAnswer || g.Generation != 1 {
			t.Errorf("asleep for %s: sent %t, the group is %s (%s), generation %d", tt.sleeps,
				sent, g.Status, g.Reason, g.Generation)
		}
	}
}
