package stripe

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// pinTransport is the last step before a request is sent. It sets the API version, rejects changes
// without an idempotency key, and checks NotAfter again, because the machine may have been
// suspended since the request was created.
type pinTransport struct {
	next http.RoundTripper
	now  func() time.Time
}

var (
	errNoKey   = errors.New("stripe: a request that changes something has no idempotency key")
	errTooLate = errors.New("stripe: too late to send, the idempotency key may have expired")
)

type notAfterKey struct{}

// sendBefore sets the last moment at which a request made with ctx may be sent.
func sendBefore(ctx context.Context, t time.Time) context.Context {
	return context.WithValue(ctx, notAfterKey{}, t)
}

// sendTracker records the progress of a request. net/http reports when it requests a connection and
// when it has one; nothing is written before that. Other transports report neither.
type sendTracker struct{ connRequested, connected atomic.Bool }

type sendTrackerKey struct{}

// watch returns a context whose requests are tracked.
func (s *sendTracker) watch(ctx context.Context) context.Context {
	return context.WithValue(ctx, sendTrackerKey{}, s)
}

// unsent reports whether it is certain that nothing was written.
func (s *sendTracker) unsent() bool { return s.connRequested.Load() && !s.connected.Load() }

func (s *sendTracker) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { s.connRequested.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { s.connected.Store(true) },
	}
}

// RoundTrip implements http.RoundTripper.
func (t pinTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.Header.Get("Idempotency-Key") == "" {
		return nil, errNoKey
	}
	if limit, ok := r.Context().Value(notAfterKey{}).(time.Time); ok && t.now().After(limit) {
		return nil, errTooLate
	}
	ctx := r.Context()
	if s, watched := ctx.Value(sendTrackerKey{}).(*sendTracker); watched {
		ctx = httptrace.WithClientTrace(ctx, s.trace())
	}
	r = r.Clone(ctx)
	r.Header.Set("Stripe-Version", psp.Version)
	trace := psp.TraceOf(r.Context())
	trace.Requests++
	res, err := t.next.RoundTrip(r)
	if err == nil {
		trace.HTTPStatus, trace.RequestID = res.StatusCode, res.Header.Get("Request-Id")
		trace.Replayed = res.Header.Get("Idempotent-Replayed") == "true"
	}
	return res, err
}
