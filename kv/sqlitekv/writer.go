package sqlitekv

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

const (
	maxBatch = 1024 // requests per transaction, which bounds how long the first of them waits
	// A sweep removes up to sweepStep expired keys per write since the last one: more than
	// one, so that the file shrinks faster than it grows. Searching for them costs as much
	// as a write, so not every commit sweeps.
	sweepStep  = 4
	sweepEvery = 100 * time.Millisecond
	beginSQL   = "BEGIN IMMEDIATE"
	commitSQL  = "COMMIT"
	undoSQL    = "ROLLBACK"
	expiredSQL = "SELECT ns, key FROM store WHERE expires <= ? ORDER BY expires LIMIT ?"
)

// request is a queued change. If run fails, it must leave the transaction unchanged,
// unless it returns a *diskError, which fails the whole batch.
type request struct {
	run     func(*conn) error
	claimed atomic.Bool // by the writer that runs it or the caller that withdraws it
	done    chan struct{}
	err     error
}

// writer is the only goroutine that changes the file.
type writer struct {
	db   *DB
	conn *conn

	mu      sync.Mutex
	queue   []*request
	stopped bool
	wake    chan struct{} // holds a token when the queue may have changed
	ended   chan struct{}

	unswept int       // writes since the last sweep
	sweptAt time.Time // by the database's clock
}

func newWriter(db *DB, c *conn) *writer {
	return &writer{db: db, conn: c, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// do queues run and waits until its changes are durable. If ctx ends, the request is
// withdrawn or, if its transaction has already started, do waits for it: run never
// outlives the call and may use the caller's memory.
func (w *writer) do(ctx context.Context, run func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return canceledError(err)
	}
	r := &request{run: run, done: make(chan struct{})}
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return errClosed()
	}
	w.queue = append(w.queue, r)
	w.mu.Unlock()
	w.nudge()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		if r.claimed.CompareAndSwap(false, true) {
			return canceledError(ctx.Err())
		}
		<-r.done
		return r.err
	}
}

func (w *writer) nudge() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *writer) stop() {
	w.mu.Lock()
	w.stopped = true
	w.mu.Unlock()
	w.nudge()
	<-w.ended
}

func (w *writer) loop() {
	defer close(w.ended)
	for range w.wake {
		for {
			w.gather()
			batch, last := w.take()
			if len(batch) == 0 {
				if last {
					return
				}
				break
			}
			w.carryOut(batch)
		}
	}
}

// gather yields while more requests arrive, so that they share the commit and its disk
// sync.
func (w *writer) gather() {
	for seen := -1; ; {
		w.mu.Lock()
		n := len(w.queue)
		w.mu.Unlock()
		if n == seen || n >= maxBatch {
			return
		}
		seen = n
		runtime.Gosched()
	}
}

// take returns the waiting requests, at most maxBatch, and reports whether no more can follow.
func (w *writer) take() (batch []*request, last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.queue), maxBatch)
	batch = w.queue[:n:n]
	w.queue = slices.Clone(w.queue[n:]) // a copy, so that the values in batch can be collected
	return batch, w.stopped && len(w.queue) == 0
}

// carryOut runs the batch and answers its requests when it is durable.
func (w *writer) carryOut(batch []*request) {
	err := w.transact(batch)
	for _, r := range batch {
		if err != nil {
			r.err = err
		}
		close(r.done)
	}
}

func (w *writer) transact(batch []*request) error {
	if err := errors.Join(w.undo(), w.conn.exec(beginSQL)); err != nil {
		return w.db.unavailable(err)
	}
	err := w.attempt(batch)
	if err == nil {
		err = w.conn.exec(commitSQL)
	}
	if err == nil {
		return nil
	}
	return w.db.unavailable(errors.Join(err, w.undo()))
}

// undo rolls back the transaction, unless SQLite already has.
func (w *writer) undo() error {
	if w.conn.AutocommitEnabled() {
		return nil
	}
	return w.conn.exec(undoSQL)
}

func (w *writer) attempt(batch []*request) error {
	for _, r := range batch {
		if !r.claimed.CompareAndSwap(false, true) {
			continue
		}
		r.err = r.run(w.conn)
		if isDisk(r.err) {
			return r.err
		}
	}
	return w.sweep(len(batch))
}

// sweep removes expired keys, at most sweepStep for each write since the last sweep. It selects
// them first, which costs little if there are none; a DELETE with a subselect would always write.
func (w *writer) sweep(writes int) error {
	w.unswept += writes
	now := w.db.now()
	if now.Sub(w.sweptAt).Abs() < sweepEvery && w.unswept < maxBatch || !w.db.maySweep() {
		return nil
	}
	expired, err := w.expired(now, sweepStep*w.unswept)
	if err != nil {
		return err
	}
	w.unswept, w.sweptAt = 0, now
	for _, e := range expired {
		if err := (&Store{w.db, e.ns}).write(w.conn, kv.Delete(e.key)); err != nil {
			return err
		}
	}
	return nil
}

type address struct{ ns, key string }

func (w *writer) expired(now time.Time, most int) (found []address, err error) {
	s, err := w.conn.stmt(expiredSQL)
	if err != nil {
		return nil, err
	}
	s.BindInt64(1, now.UnixMicro())
	s.BindInt64(2, int64(most))
	for {
		row, err := s.Step()
		if err != nil {
			return nil, err
		}
		if !row {
			return found, s.Reset()
		}
		found = append(found, address{s.ColumnText(0), s.ColumnText(1)})
	}
}

// diskError is an error of SQLite rather than of a command. Part of a request may have
// reached the transaction, so it fails the whole batch.
type diskError struct{ error }

func (e *diskError) Unwrap() error { return e.error }

func asDiskError(err error) error {
	if err == nil {
		return nil
	}
	return &diskError{err}
}

func isDisk(err error) bool {
	var e *diskError
	return errors.As(err, &e)
}

// micros returns microseconds since 1970, rounded up so that nothing expires early.
func micros(t time.Time) int64 {
	if t.Nanosecond()%1000 != 0 {
		t = t.Add(time.Microsecond)
	}
	return t.UnixMicro()
}
