package stripe

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Number of attempts and delay between them: firstWait, which doubles, or the delay that Stripe
// requests, up to maxRetryAfter.
const (
	attempts      = 3
	firstWait     = 400 * time.Millisecond
	maxRetryAfter = 5 * time.Second
)

// retryTransport retries requests that may succeed a moment later, as Stripe's response headers
// advise. Charges are never retried here; settlement decides whether to send them again after
// recording the result.
//
// A 500 response to a change is not retried: Stripe stores it under the idempotency key and would
// only replay it.
type retryTransport struct {
	next http.RoundTripper
	now  func() time.Time
	wait func(context.Context, time.Duration) error
}

// RoundTrip implements http.RoundTripper.
func (t retryTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	until := t.now().Add(Timeout)
	for attempt := 1; ; attempt++ {
		res, err := t.next.RoundTrip(r)
		retry, delay := shouldRetry(r, res, err, attempt)
		if !retry || attempt == attempts || !t.now().Add(delay).Before(until) {
			return res, err
		}
		repeat, bodyErr := cloneRequest(r)
		if bodyErr != nil {
			return res, err
		}
		if t.wait(r.Context(), delay) != nil {
			return res, err
		}
		if res != nil {
			// Drain the body so that the connection can be reused.
			_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
			_ = res.Body.Close()
		}
		r = repeat
	}
}

// shouldRetry reports whether to retry a request, and after which delay.
func shouldRetry(r *http.Request, res *http.Response, err error, attempt int) (bool, time.Duration) {
	if _, once := r.Context().Value(notAfterKey{}).(time.Time); once || r.Context().Err() != nil ||
		errors.Is(err, errNoKey) {
		return false, 0
	}
	delay := firstWait << (attempt - 1)
	delay -= delay * time.Duration(spread(r, attempt)) / 200 // up to half, to spread out retries
	if err != nil {
		return true, delay
	}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		delay = time.Duration(seconds) * time.Second
		if delay > maxRetryAfter {
			return false, 0
		}
	}
	switch res.Header.Get("Stripe-Should-Retry") {
	case "true":
		return true, delay
	case "false":
		return false, 0
	}
	switch status := res.StatusCode; {
	case status == http.StatusConflict, status == http.StatusTooManyRequests:
		return true, delay
	case r.Method == http.MethodGet:
		return status >= http.StatusInternalServerError, delay
	default:
		return status > http.StatusInternalServerError, delay
	}
}

// spread returns a number from 0 to 99 that differs between requests and is the
// same in every run.
func spread(r *http.Request, attempt int) uint32 {
	name := r.URL.Path + r.Header.Get("Idempotency-Key") + strconv.Itoa(attempt)
	return crc32.ChecksumIEEE([]byte(name)) % 100
}

// cloneRequest returns the request with a fresh body.
func cloneRequest(r *http.Request) (*http.Request, error) {
	if r.GetBody == nil { // for GET requests the library sets GetBody too
		return nil, errors.New("stripe: cannot resend the body")
	}
	repeat := r.Clone(r.Context())
	var err error
	repeat.Body, err = r.GetBody()
	return repeat, err
}

// sleep is the default of Options.Wait.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
