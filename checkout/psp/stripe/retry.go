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

// How often a request is sent, and how long is waited in between: a moment that
// doubles, or what the processor asks for.
const (
	attempts   = 3
	firstWait  = 400 * time.Millisecond
	longestAsk = 5 * time.Second
)

// retry sends a request again that may fare better a moment later. The processor's
// advice is followed where it gives any. A charge passes once: whether it is sent
// again is settlement's to decide, after it has kept what came of it.
//
// A 500 for a change is not tried again: the processor keeps it under the key and
// would only repeat it.
type retry struct {
	next http.RoundTripper
	now  func() time.Time
	wait func(context.Context, time.Duration) error
}

// RoundTrip implements http.RoundTripper.
func (t retry) RoundTrip(r *http.Request) (*http.Response, error) {
	until := t.now().Add(Timeout)
	for attempt := 1; ; attempt++ {
		res, err := t.next.RoundTrip(r)
		again, delay := worthAnother(r, res, err, attempt)
		if !again || attempt == attempts || !t.now().Add(delay).Before(until) {
			return res, err
		}
		repeat, bodyErr := anew(r)
		if bodyErr != nil {
			return res, err
		}
		if t.wait(r.Context(), delay) != nil {
			return res, err
		}
		if res != nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16)) // so that the connection can be used again
			_ = res.Body.Close()
		}
		r = repeat
	}
}

// worthAnother reports whether to send a request again, and how long to wait.
func worthAnother(r *http.Request, res *http.Response, err error, attempt int) (bool, time.Duration) {
	if _, once := r.Context().Value(notAfterKey{}).(time.Time); once || r.Context().Err() != nil || errors.Is(err, errNoKey) {
		return false, 0
	}
	delay := firstWait << (attempt - 1)
	delay -= delay * time.Duration(spread(r, attempt)) / 200 // up to a half, so that many do not come back at once
	if err != nil {
		return true, delay
	}
	if asked, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && asked > 0 {
		delay = time.Duration(asked) * time.Second
		if delay > longestAsk {
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

// spread is a number from 0 to 99 that differs from request to request and is the
// same when a run is repeated.
func spread(r *http.Request, attempt int) uint32 {
	name := r.URL.Path + r.Header.Get("Idempotency-Key") + strconv.Itoa(attempt)
	return crc32.ChecksumIEEE([]byte(name)) % 100
}

// anew is the request with its body from the beginning.
func anew(r *http.Request) (*http.Request, error) {
	if r.GetBody == nil { // the library gives a read one too, of nothing
		return nil, errors.New("stripe: the body cannot be sent again")
	}
	repeat := r.Clone(r.Context())
	var err error
	repeat.Body, err = r.GetBody()
	return repeat, err
}

// sleep is retry's wait on the machine's own clock.
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
