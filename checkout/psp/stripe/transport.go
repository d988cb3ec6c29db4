package stripe

import (
	"context"
	"errors"
	"net/http"
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

// RoundTrip implements http.RoundTripper.
func (t pin) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.Header.Get("Idempotency-Key") == "" {
		return nil, errNoKey
	}
	if limit, ok := r.Context().Value(notAfterKey{}).(time.Time); ok && t.now().After(limit) {
		return nil, errTooLate
	}
	r = r.Clone(r.Context())
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
