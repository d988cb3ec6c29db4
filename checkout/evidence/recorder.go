package evidence

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// What was not written yet is kept for so many records and so long.
const (
	maxWaiting = 1000
	batchSize  = 64
	patience   = 10 * time.Second
)

// Recorder writes down what is asked of a processor. What tries to move money is
// written before its answer is used; all else waits for company, so that a
// checkout waits for none of it, and a crash may lose the last seconds of it. A
// store that fails keeps no call from its answer.
//
// It is safe for concurrent use.
type Recorder struct {
	// Observe is told of every call when it is over, for a monitor; it may be nil and
	// is set before the first one.
	Observe func(ctx context.Context, q Request)

	store kv.Store
	now   func() time.Time
	log   *slog.Logger
	id    string // of this process

	mu      sync.Mutex
	n       int
	waiting []kv.Write
	since   time.Time // of the first that waits
}

// NewRecorder returns a recorder. It fails when there is no randomness.
func NewRecorder(store kv.Store, now func() time.Time, random io.Reader, log *slog.Logger) (*Recorder, error) {
	id := make([]byte, 8)
	if _, err := io.ReadFull(random, id); err != nil {
		return nil, fmt.Errorf("evidence: naming the process: %w", err)
	}
	return &Recorder{store: store, now: now, log: log, id: hex.EncodeToString(id)}, nil
}

// Flush writes what waits.
func (r *Recorder) Flush(ctx context.Context) error {
	r.mu.Lock()
	batch := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	// What was asked for has happened, whoever has lost patience since.
	err := r.store.Apply(context.WithoutCancel(ctx), batch)
	if err != nil {
		r.mu.Lock()
		r.waiting = append(batch, r.waiting...)
		r.waiting = r.waiting[max(0, len(r.waiting)-maxWaiting):]
		r.mu.Unlock()
	}
	return err
}

// done records a call that is over.
func (r *Recorder) done(ctx context.Context, q Request, t *psp.Trace, err error) {
	if t.Requests == 0 {
		return // it was refused before it left
	}
	q.Version, q.Kind, q.APIVersion = 1, "request", psp.Version
	q.TookMS = r.now().Sub(q.At).Milliseconds()
	q.Requests, q.HTTPStatus, q.RequestID, q.Replayed = t.Requests, t.HTTPStatus, t.RequestID, t.Replayed
	switch {
	case q.Outcome != "":
	case err != nil:
		q.Outcome = string(fault.CodeOf(err))
	default:
		q.Outcome = "done"
	}
	if r.Observe != nil {
		r.Observe(ctx, q)
	}
	due, err := r.put(q)
	if err == nil && (due || q.Operation == psp.OpCharge || q.Operation == psp.OpCancelPayment) {
		err = r.Flush(ctx)
	}
	if err != nil {
		r.log.WarnContext(ctx, "evidence is not written yet", "operation", string(q.Operation), "request_id", q.RequestID, "error", err.Error())
	}
}

// put keeps a record until it is written, which is due when there are enough of
// them or they have waited long enough.
func (r *Recorder) put(q Request) (due bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	w, err := kv.Record(Key(q.At, fmt.Sprintf("%s-%06d", r.id, r.n)), q, q.At.Add(life))
	if err != nil {
		return false, err
	}
	if len(r.waiting) == 0 {
		r.since = r.now()
	}
	r.waiting = append(r.waiting, w)
	return len(r.waiting) >= batchSize || r.now().Sub(r.since) >= patience, nil
}
