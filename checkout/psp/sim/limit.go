package sim

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// The processor's published rates, in requests per second.
const (
	liveRate      = 100
	testRate      = 25
	operationRate = 25
)

// limit plays the two token buckets, the account's and the operation's. A
// bucket of rate r holds r tokens and is kept as the time at which it will be
// full again.
func (s *Sim) limit(now time.Time, op Op, forced FaultKind) *apiError {
	if forced == RateLimit {
		return tooMany("endpoint-rate")
	}
	if s.rate > 0 {
		if !s.st.token(now, "account", s.rate) {
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
	if !s.st.token(now, "account", account) {
		return tooMany("global-rate")
	}
	if !s.st.token(now, string(op), operationRate) {
		return tooMany("endpoint-rate")
	}
	return nil
}

// Limit has the account take so many requests a second of any kind, instead of
// the published rates.
func (s *Sim) Limit(perSecond int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rate = perSecond
}

func (st *state) token(now time.Time, bucket string, rate int) bool {
	full := st.Buckets[bucket]
	// A bucket needs a second at most; one that needs more has seen the clock
	// step back.
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
