package state

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The first reason of a stop is kept. A restore is recorded as well, and only a resume clears
// it.
func TestSwitch_FirstReasonAndRestore(t *testing.T) {
	f := newFixture(t)
	s := Switch{Coordinator: f.db.Coordinator()}
	check := func(what, reason string, restored bool, at time.Time) {
		t.Helper()
		stopped, err := s.Stopped(f.ctx)
		f.ok(err)
		if (stopped == nil) != (reason == "") ||
			stopped != nil && (stopped.Reason != reason || stopped.Restored != restored) {
			t.Errorf("%s: %+v", what, stopped)
		}
		if got, err := s.RestoredAt(f.ctx); err != nil || !got.Equal(at) {
			t.Errorf("%s: restored at %s, %v", what, got, err)
		}
	}
	check("at first", "", false, time.Time{})
	for _, reason := range []string{"a doubt", "another doubt"} {
		_, err := s.Stop(f.ctx, reason)
		f.ok(err)
		check(reason, "a doubt", false, time.Time{})
	}
	f.now = f.now.Add(time.Minute)
	restored := f.now
	f.ok(s.StopForRestore(f.ctx))
	check("restored", "a doubt", true, restored)
	f.now = f.now.Add(time.Minute)
	_, err := s.Stop(f.ctx, "a third doubt")
	f.ok(err)
	check("stopped after the restore", "a doubt", true, restored)
	was, err := s.Resume(f.ctx)
	if err != nil || was == nil || was.Reason != "a doubt" {
		t.Errorf("resumed from %+v, %v", was, err)
	}
	check("resumed", "", false, restored)
}

// A database keeps its first account.
func TestPlatform_BindAccount(t *testing.T) {
	f := newFixture(t)
	p := Platform{Coordinator: f.db.Coordinator()}
	if a, err := p.Account(f.ctx); a != nil || err != nil {
		t.Errorf("at first: %+v, %v", a, err)
	}
	for _, id := range []string{"acct_1", "acct_2"} {
		a, err := p.BindAccount(f.ctx, psp.Live, id)
		if err != nil || !a.Matches(psp.Live, "acct_1") || a.Matches(psp.Live, "acct_2") ||
			a.Matches(psp.Test, "") || !a.Matches(psp.Live, "") {
			t.Errorf("bound to %s: %+v, %v", id, a, err)
		}
	}
}

// A campaign becomes idle unless it was woken since its state was read.
func TestPlatform_IdleUntilWoken(t *testing.T) {
	f := newFixture(t)
	p := Platform{Coordinator: f.db.Coordinator()}
	until := f.now.Add(time.Hour)
	state := func() IdleState {
		t.Helper()
		all, err := p.IdleStates(f.ctx)
		f.ok(err)
		return all["film"]
	}
	f.ok(p.Wake(f.ctx, "film"))
	was := state()
	if ok, err := p.SetIdle(f.ctx, was, until); !ok || err != nil || !state().Until.Equal(until) {
		t.Errorf("not woken: %t, %v, %+v", ok, err, state())
	}
	f.now = f.now.Add(time.Minute)
	f.ok(p.Wake(f.ctx, "film"))
	if got := state(); !got.Until.IsZero() || got.Woken != was.Woken+1 {
		t.Errorf("woken: %+v", got)
	}
	if ok, err := p.SetIdle(f.ctx, IdleState{Slug: "film", Woken: was.Woken}, until.Add(1)); ok || err != nil {
		t.Errorf("woken meanwhile: %t, %v", ok, err)
	}
}

// A closed campaign's lease is only for the deletion of its cards. Two operators can reopen
// the campaign until the deletion starts.
func TestClosing_LeaseAndReopening(t *testing.T) {
	f := newFixture(t)
	object := f.object("film")
	lease, err := object.Acquire(f.ctx, LeaseRequest{Owner: "one"})
	f.ok(err)
	if closed, err := object.CloseMissed(f.ctx, lease); err != nil || !closed {
		t.Fatalf("closed: %t, %v", closed, err)
	}
	f.release(object, lease)
	_, err = object.Acquire(f.ctx, LeaseRequest{Owner: "two"})
	wantCode(t, "to charge", err, fault.Conflict)
	lease, err = object.Acquire(f.ctx, LeaseRequest{Owner: "three", Closed: true})
	f.ok(err)
	for i, operator := range []string{"ada", "ada", "eve"} {
		f.now = f.now.Add(time.Second)
		r, err := object.Reopen(f.ctx, operator, "a mistake", string(rune('a'+i)))
		if err != nil || r.StatedBy != "ada" || (r.ConfirmedBy == "eve") != (i == 2) {
			t.Errorf("%s: %+v, %v", operator, r, err)
		}
	}
	wantCode(t, "deleting cards of a reopened campaign", object.StartDetaching(f.ctx, lease), fault.Conflict)
	f.release(object, lease)
	lease, err = object.Acquire(f.ctx, LeaseRequest{Owner: "four"})
	f.ok(err)
	_, err = object.CloseMissed(f.ctx, lease)
	f.ok(err)
	f.ok(object.StartDetaching(f.ctx, lease))
	_, err = object.Reopen(f.ctx, "ada", "too late", "z")
	wantCode(t, "reopened after cards were deleted", err, fault.Conflict)
}

// A campaign with a group is not closed.
func TestCloseMissed_WithGroup(t *testing.T) {
	b := newGroupFixture(t)
	if closed, err := b.object.CloseMissed(b.ctx, b.newLease()); closed || err != nil {
		t.Errorf("closed: %t, %v", closed, err)
	}
}
