package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// The processor's published rate limits, in requests per second.
const (
	liveRate      = 100
	testRate      = 25
	operationRate = 25
)

// checkLimits rejects a call that exceeds the rate limits: those of the account and of the
// operation or, after SetLimit, that of the account alone. Each limit is a token bucket; a bucket
// with rate r holds r tokens and is stored as the time at which it will be full again.
func (s *Sim) checkLimits(now time.Time, op Op, forced FaultKind) *apiError {
	if forced == RateLimit {
		return tooMany("endpoint-rate")
	}
	if s.rate > 0 {
		if !s.st.takeToken(now, "account", s.rate) {
			return tooMany("global-rate")
		}
		return nil
	}
	if s.opts.NoLimits {
		return nil
	}
	account := liveRate
	if s.opts.Mode == psp.Test {
		account = testRate
	}
	if !s.st.takeToken(now, "account", account) {
		return tooMany("global-rate")
	}
	if !s.st.takeToken(now, string(op), operationRate) {
		return tooMany("endpoint-rate")
	}
	return nil
}

// SetLimit sets the account's rate limit for all requests together, replacing the
// published limits.
func (s *Sim) SetLimit(perSecond int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rate = perSecond
}

// takeToken takes a token from a bucket and reports whether there was one.
func (st *state) takeToken(now time.Time, bucket string, rate int) bool {
	full := st.Buckets[bucket]
	// A bucket fills within a second; if it appears to take longer, the clock was
	// set back.
	if full.Before(now) || full.Sub(now) > time.Second {
		full = now
	}
	full = full.Add(time.Second / time.Duration(rate))
	if full.Sub(now) > time.Second {
		return false
	}
	st.Buckets[bucket] = full
	return true
}

func tooMany(reason string) *apiError {
	return &apiError{status: 429, kind: "invalid_request_error", code: "rate_limit", limited: reason,
		message: "Too many requests hit the API too quickly"}
}
