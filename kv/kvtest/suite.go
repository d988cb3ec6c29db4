// Package kvtest is the conformance test suite for implementations of package kv. Every
// implementation runs the whole suite with [Run]. What a host cannot do is configured
// in the [Harness]; checks that are skipped for it are logged.
//
//	func TestConformance(t *testing.T) {
//		kvtest.Run(t, kvtest.Harness{Open: open, Reopen: reopen, Now: clock.Now, Advance: clock.Advance})
//	}
//
// [Bench] runs the same benchmarks against every implementation.
package kvtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Harness connects the suite to an implementation.
type Harness struct {
	// Open returns a new, empty store and a coordinator that serves the classes. It closes
	// them with t.Cleanup.
	Open func(t testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator)
	// Reopen stops the last opened implementation as a crash would and opens its data. Nil
	// means that it is not durable.
	Reopen func(t testing.TB) (kv.Store, kv.Coordinator)
	// Crash makes the next command run but lose its answer: Do returns an error. If nil,
	// the suite drops the answer itself.
	Crash func(t testing.TB)
	// Now is the implementation's clock. Required.
	Now func() time.Time
	// Advance moves the clock. If nil, expiry and the deletion of replies are not tested.
	Advance func(time.Duration)
	// Stale is set if Store reads may be up to a minute old. The suite then advances the
	// clock before it reads its writes.
	Stale bool
	// Keys is the number of keys that the suite lists under one prefix, if writing 10,000 takes too
	// long; otherwise 0. It must be more than three pages of kv.MaxPage.
	Keys int
	// Holds is the largest value in bytes that fits into the test machine's memory, if that
	// is less than kv.MaxValue; otherwise 0.
	Holds int
}

// check tests one guarantee.
type check struct {
	name string
	run  func(s *session)
}

// areas groups the checks.
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

// Run runs all checks against the implementation.
func Run(t *testing.T, h Harness) {
	for _, a := range areas {
		t.Run(a.name, func(t *testing.T) {
			for _, c := range a.checks {
				t.Run(c.name, func(t *testing.T) { c.run(open(t, h)) })
			}
		})
	}
}

// session is the state of one running check.
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
	if h.Keys == 0 {
		h.Keys = 10_000
	}
	if h.Keys <= 3*kv.MaxPage {
		t.Fatalf("kvtest: %d keys are too few for several pages", h.Keys)
	}
	s := &session{TB: t, Harness: h, ctx: context.Background()}
	s.store, s.co = h.Open(t, Classes()...)
	return s
}

func (s *session) reopen() bool {
	s.Helper()
	if s.Reopen == nil {
		s.Logf("not durable: skipping the checks after reopening")
		return false
	}
	s.store, s.co = s.Reopen(s.TB)
	return true
}

func (s *session) advance(d time.Duration) bool {
	s.Helper()
	if s.Advance == nil {
		s.Logf("no Advance: skipping the rest of the check")
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
