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

// Limits of the write buffer.
const (
	maxWaiting = 1000
	batchSize  = 64
	maxWait    = 10 * time.Second
)

// Recorder records the requests to a processor. Records of charges, refunds and cancelled payments are
// written before the call returns. All others are buffered and written in batches, so that a
// checkout does not wait for them; a crash may lose the last few seconds. A failing store does not
// fail the call.
//
// It is safe for concurrent use.
type Recorder struct {
	// Observe, if set, is called after every call that sent a request, for monitoring. Set it
	// before the first call.
	Observe func(ctx context.Context, q Request)

	store kv.Store
	now   func() time.Time
	log   *slog.Logger
	id    string // of this process

	mu      sync.Mutex
	n       int
	waiting []kv.Write
	since   time.Time // when the oldest buffered record was added
}

// NewRecorder returns a Recorder. It fails if random cannot be read.
func NewRecorder(store kv.Store, now func() time.Time, random io.Reader, log *slog.Logger) (*Recorder, error) {
	id := make([]byte, 8)
	if _, err := io.ReadFull(random, id); err != nil {
		return nil, fmt.Errorf("evidence: reading random ID: %w", err)
	}
	return &Recorder{store: store, now: now, log: log, id: hex.EncodeToString(id)}, nil
}

// Flush writes the buffered records. If that fails, it keeps them in the buffer, which drops the
// oldest if it is full.
func (r *Recorder) Flush(ctx context.Context) error {
	r.mu.Lock()
	batch := r.waiting
	r.waiting = nil
	r.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	// Requests that were sent are recorded even if the context is canceled.
	err := r.store.Apply(context.WithoutCancel(ctx), batch)
	if err != nil {
		r.mu.Lock()
		r.waiting = append(batch, r.waiting...)
		r.waiting = r.waiting[max(0, len(r.waiting)-maxWaiting):]
		r.mu.Unlock()
	}
	return err
}

// recordCall records a finished call, unless it sent no request.
func (r *Recorder) recordCall(ctx context.Context, q Request, t *psp.Trace, err error) {
	if t.Requests == 0 {
		return // rejected before it was sent
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
	due, err := r.enqueue(q)
	if err == nil && (due || movesMoney(q.Operation)) {
		err = r.Flush(ctx)
	}
	if err != nil {
		r.log.WarnContext(ctx, "could not write evidence", "operation", string(q.Operation),
			"request_id", q.RequestID, "error", err.Error())
	}
}

// movesMoney reports whether an operation's record is written before the call returns.
func movesMoney(op psp.Operation) bool {
	return op == psp.OpCharge || op == psp.OpRefund || op == psp.OpCancelPayment
}

// enqueue buffers a record and reports whether the buffer is due to be written,
// because it is full or its oldest record has waited long enough.
func (r *Recorder) enqueue(q Request) (due bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	w, err := kv.Record(Key(q.At, fmt.Sprintf("%s-%06d", r.id, r.n)), q, q.At.Add(psp.EvidenceLife))
	if err != nil {
		return false, err
	}
	if len(r.waiting) == 0 {
		r.since = r.now()
	}
	r.waiting = append(r.waiting, w)
	return len(r.waiting) >= batchSize || r.now().Sub(r.since) >= maxWait, nil
}
