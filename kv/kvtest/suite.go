// Package kvtest proves that an implementation keeps the promises of package
// kv. Every implementation runs the whole of it; what a host cannot do is a
// field of the Harness, and what follows from it is logged.
package kvtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Harness tells the suite how to work an implementation.
type Harness struct {
	// Open returns a fresh, empty store and coordinator that serve the classes.
	// It closes them by t.Cleanup.
	Open func(t testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator)
	// Reopen ends the one opened last, as a crash would, and opens what it
	// left. Nil means that the implementation is not durable.
	Reopen func(t testing.TB) (kv.Store, kv.Coordinator)
	// Crash orders that the next command be carried out and its answer lost:
	// Do returns an error. Nil means that it cannot be ordered; the suite then
	// drops the answer itself.
	Crash func(t testing.TB)
	// Now is the implementation's clock. It is required.
	Now func() time.Time
	// Advance moves that clock. Nil means that it cannot be moved: then expiry
	// and the forgetting of replies go unproved.
	Advance func(time.Duration)
	// Stale says that reads of the Store may be old, by up to a minute. The
	// suite then moves the clock before it reads what it wrote.
	Stale bool
	// Holds is the largest value that the implementation's machine has the memory for, in
	// bytes, where that is less than kv.MaxValue; 0 says that it is not.
	Holds int
}

// check is one promise.
type check struct {
	name string
	run  func(s *session)
}

// areas are the promises, by what they are about.
var areas = []struct {
	name   string
	checks []check
}{
	{"get", getChecks},
	{"list", listChecks},
	{"apply", applyChecks},
	{"expiry", expiryChecks},
	{"bounds", boundsChecks},
	{"object", objectChecks},
	{"redelivery", redeliveryChecks},
	{"contention", contentionChecks},
	{"crash", crashChecks},
	{"increment", incrementChecks},
}

// Run proves every promise of package kv against the implementation.
func Run(t *testing.T, h Harness) {
	for _, a := range areas {
		t.Run(a.name, func(t *testing.T) {
			for _, c := range a.checks {
				t.Run(c.name, func(t *testing.T) { c.run(open(t, h)) })
			}
		})
	}
}

// session is one check under way.
type session struct {
	testing.TB
	Harness
	ctx   context.Context
	store kv.Store
	co    kv.Coordinator
	sent  int
}

func open(t testing.TB, h Harness) *session {
	t.Helper()
	if h.Open == nil || h.Now == nil {
		t.Fatalf("kvtest: a Harness needs Open and Now")
	}
	s := &session{TB: t, Harness: h, ctx: context.Background()}
	s.store, s.co = h.Open(t, Classes()...)
	return s
}

func (s *session) reopen() bool {
	s.Helper()
	if s.Reopen == nil {
		s.Logf("not durable: nothing is proved about reopening")
		return false
	}
	s.store, s.co = s.Reopen(s.TB)
	return true
}

func (s *session) advance(d time.Duration) bool {
	s.Helper()
	if s.Advance == nil {
		s.Logf("the clock cannot be moved: unproved")
		return false
	}
	s.Advance(d)
	return true
}

// settle waits until reads are no longer stale.
func (s *session) settle() {
	s.Helper()
	if !s.Stale {
		return
	}
	if s.Advance == nil {
		s.Fatalf("kvtest: a stale Harness needs Advance")
	}
	s.Advance(time.Minute)
}

func (s *session) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("unexpected error: %v", err)
	}
}

func (s *session) apply(batch ...kv.Write) {
	s.Helper()
	s.ok(s.store.Apply(s.ctx, batch))
	s.settle()
}

func (s *session) nextID() string {
	s.sent++
	return fmt.Sprintf("id-%d", s.sent)
}
