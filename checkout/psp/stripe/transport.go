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

// pin is the last thing a request passes: it sets the version, refuses what
// has no key, and looks at the clock once more, because a machine may have
// slept since the request was made.
type pin struct {
	next http.RoundTripper
	now  func() time.Time
}

var (
	errNoKey   = errors.New("stripe: a request that changes something has no idempotency key")
	errTooLate = errors.New("stripe: the idempotency key may be forgotten by now")
)

type notAfterKey struct{}

// sendBefore bounds the moment at which a request made with ctx may leave.
func sendBefore(ctx context.Context, t time.Time) context.Context {
	return context.WithValue(ctx, notAfterKey{}, t)
}

// sending is how far a request has come. net/http says when it looks for a connection,
// and when it has one; before that nothing is written. Another transport says neither.
type sending struct{ looked, connected atomic.Bool }

type sendingKey struct{}

func (s *sending) watch(ctx context.Context) context.Context {
	return context.WithValue(ctx, sendingKey{}, s)
}

// unsent reports whether it is known that nothing was written.
func (s *sending) unsent() bool { return s.looked.Load() && !s.connected.Load() }

func (s *sending) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { s.looked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { s.connected.Store(true) },
	}
}

// RoundTrip implements http.RoundTripper.
func (t pin) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.Header.Get("Idempotency-Key") == "" {
		return nil, errNoKey
	}
	if limit, ok := r.Context().Value(notAfterKey{}).(time.Time); ok && t.now().After(limit) {
		return nil, errTooLate
	}
	ctx := r.Context()
	if s, watched := ctx.Value(sendingKey{}).(*sending); watched {
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
