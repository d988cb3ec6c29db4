package compose

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

const (
	// checkWriteEvery is how long a successful test write counts. A failed one is repeated by
	// the next check.
	checkWriteEvery = 5 * time.Second
	// checkWriteWithin is how long a test write may take.
	checkWriteWithin = 3 * time.Second
)

// Ready reports whether this server can write and read, and has the right time. It fails
// with code Unavailable and the reason, which names no path and no secret.
func (s *Services) Ready(ctx context.Context) error {
	if err := s.Clock.Check(ctx); err != nil {
		return err
	}
	if err := s.canWrite(ctx); err != nil {
		return fault.Wrap(err, fault.Unavailable, "This server cannot write: %s", reasonOf(err))
	}
	if err := s.canRead(ctx); err != nil {
		return fault.Wrap(err, fault.Unavailable, "This server cannot read its data: %s", reasonOf(err))
	}
	return nil
}

// canRead fails if the primary store or the objects do not answer.
func (s *Services) canRead(ctx context.Context) error {
	if _, _, err := kv.Read[time.Time](ctx, s.Stores.Pledges, cronKey); err != nil {
		return err
	}
	_, err := inventory.Client{Coordinator: s.Coordinator}.Snapshot(ctx, inventory.Platform)
	return err
}

// readiness is the result of the last test write.
type readiness struct {
	turn   chan struct{} // holds a token while a caller writes
	writes atomic.Int64  // how many there were
	at     time.Time
	err    error
}

// canWrite fails if nothing can be written. It writes at most once in checkWriteEvery while
// writes succeed, and once for all callers that come at the same time while they fail.
func (s *Services) canWrite(ctx context.Context) error {
	if s.CheckWrite == nil {
		return nil
	}
	r := s.readiness
	before := r.writes.Load()
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	fresh := r.err == nil && s.Now().Sub(r.at).Abs() < checkWriteEvery
	if fresh || r.writes.Load() != before { // another caller wrote while this one waited
		return r.err
	}
	err := s.testWrite(ctx)
	r.writes.Add(1)
	if (err == nil) != (r.err == nil) {
		s.logWrites(ctx, err)
	}
	r.at, r.err = s.Now(), err
	return err
}

// testWrite writes once. A caller that goes away is not a failure of the storage.
func (s *Services) testWrite(ctx context.Context) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkWriteWithin)
	defer cancel()
	err := s.CheckWrite(within)
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Unavailable, "a write takes longer than %s", checkWriteWithin)
	}
	return err
}

func (s *Services) logWrites(ctx context.Context, err error) {
	if err != nil {
		s.Log.ErrorContext(ctx, "this server cannot write and is not ready", "error", err.Error())
		return
	}
	s.Log.InfoContext(ctx, "this server can write again")
}

// reasonOf is the part of an error that a client may see.
func reasonOf(err error) string {
	if f := fault.Of(err); f != nil {
		return f.Message
	}
	return "the log says why"
}
