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
	// checkWriteEvery is how long a successful test write is valid. After a failed one, the next
	// check writes again.
	checkWriteEvery = 5 * time.Second
	// checkTimeout limits the duration of a test write, and of the test reads.
	checkTimeout = 3 * time.Second
)

// Ready checks that this server can write and read and that its clock is right. Otherwise it fails
// with code Unavailable and a reason without paths and secrets.
func (s *Services) Ready(ctx context.Context) error {
	if err := s.Clock.Check(ctx); err != nil {
		return err
	}
	if err := s.checkWrites(ctx); err != nil {
		return fault.Wrap(err, fault.Unavailable, "This server cannot write: %s", reasonOf(err))
	}
	if err := s.checkReads(ctx); err != nil {
		return fault.Wrap(err, fault.Unavailable, "This server cannot read its data: %s", reasonOf(err))
	}
	return nil
}

// checkReads fails if the primary store or the coordinator does not answer within checkTimeout.
func (s *Services) checkReads(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	_, _, err := kv.Read[time.Time](within, s.Stores.Pledges, cronKey)
	if err == nil {
		_, err = inventory.Client{Coordinator: s.Coordinator}.Snapshot(within, inventory.Platform)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Unavailable, "a read takes longer than %s", checkTimeout)
	}
	return err
}

// readiness is the result of the last test write.
type readiness struct {
	sem    chan struct{} // contains a token while a caller writes
	writes atomic.Int64  // how many test writes were made
	at     time.Time
	err    error
}

// checkWrites fails if the storage rejects writes. While writes succeed, it writes at most once per
// checkWriteEvery. While they fail, it writes once for all concurrent callers.
func (s *Services) checkWrites(ctx context.Context) error {
	if s.CheckWrite == nil {
		return nil
	}
	r := s.readiness
	before := r.writes.Load()
	r.sem <- struct{}{}
	defer func() { <-r.sem }()
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

// testWrite writes a test record. It ignores the cancellation of ctx, so that a client that
// disconnects does not count as a storage failure.
func (s *Services) testWrite(ctx context.Context) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
	defer cancel()
	err := s.CheckWrite(within)
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(err, fault.Unavailable, "a write takes longer than %s", checkTimeout)
	}
	return err
}

func (s *Services) logWrites(ctx context.Context, err error) {
	if err != nil {
		s.Log.ErrorContext(ctx, "server cannot write and is not ready", "error", err.Error())
		return
	}
	s.Log.InfoContext(ctx, "server can write again")
}

// reasonOf returns the part of an error that clients may see: the message of a fault.
func reasonOf(err error) string {
	if f := fault.Of(err); f != nil {
		return f.Message
	}
	return "see the log"
}
