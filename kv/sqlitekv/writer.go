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
	maxBatch = 1024 // requests in one transaction, so that the first of them does not wait for long
	// A sweep removes up to sweepStep expired keys for each write since the last one: more
	// than one, so that the file shrinks faster than it grows. To look costs as much as a
	// write, so not every commit does.
	sweepStep  = 4
	sweepEvery = 100 * time.Millisecond
	beginSQL   = "BEGIN IMMEDIATE"
	commitSQL  = "COMMIT"
	undoSQL    = "ROLLBACK"
	expiredSQL = "SELECT ns, key FROM store WHERE expires <= ? ORDER BY expires LIMIT ?"
)

// request is one change on its way. When run fails it has left the transaction
// as it was, unless it returns a *diskError, which fails the whole batch.
type request struct {
	run     func(*conn) error
	claimed atomic.Bool // by the writer that runs it, or the caller that withdraws it
	done    chan struct{}
	err     error
}

// writer is the one that changes the file.
type writer struct {
	db   *DB
	conn *conn

	mu      sync.Mutex
	queue   []*request
	stopped bool
	wake    chan struct{} // holds a token when the queue may have changed
	ended   chan struct{}

	unswept int       // writes since the last sweep
	sweptAt time.Time // of the database's clock
}

func newWriter(db *DB, c *conn) *writer {
	return &writer{db: db, conn: c, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// do queues run and waits until it is durable. A caller that goes away takes its
// request back, or waits for the transaction that has it already: so run never
// outlives the call and may use what belongs to the caller.
func (w *writer) do(ctx context.Context, run func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return gone(err)
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
			return gone(ctx.Err())
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

// gather lets those who are about to write come before a batch is taken, as long as there
// are more: what they share of a commit, its pages and the wait for the disk, is paid once.
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

// take returns what is waiting, and whether nothing more can come.
func (w *writer) take() (batch []*request, last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(w.queue), maxBatch)
	batch = w.queue[:n:n]
	w.queue = slices.Clone(w.queue[n:]) // lets go of the values in batch
	return batch, w.stopped && len(w.queue) == 0
}

// carryOut answers the batch when it is durable.
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

// undo ends the transaction, unless SQLite has done so by itself.
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

// sweep removes some of what has expired, now and then. To look first costs nothing when
// there is none, where a DELETE of a selection would.
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

// diskError is a failure of SQLite, as opposed to one of a command. Part of a
// request may have reached the transaction, so it ends the whole batch.
type diskError struct{ error }

func (e *diskError) Unwrap() error { return e.error }

func disk(err error) error {
	if err == nil {
		return nil
	}
	return &diskError{err}
}

func isDisk(err error) bool {
	var e *diskError
	return errors.As(err, &e)
}

// micros rounds up, so that nothing expires early.
func micros(t time.Time) int64 {
	if t.Nanosecond()%1000 != 0 {
		t = t.Add(time.Microsecond)
	}
	return t.UnixMicro()
}
