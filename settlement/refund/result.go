package refund

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// A Result is what the processor reported about a refund: the response to the request, or the refund
// found by a lookup. Status is "" if a lookup found none.
type Result struct {
	Status     psp.Status       `json:"status,omitempty"` // Accepted, Refused, NotStarted, Unknown, Mismatch
	FromLookup bool             `json:"asked,omitempty"`
	RefundID   string           `json:"refundId,omitempty"`
	State      psp.RefundStatus `json:"state,omitempty"` // of an accepted refund
	// Booked reports whether an accepted refund has left the balance, also if it failed since.
	Booked        bool        `json:"booked,omitempty"`
	FailureReason string      `json:"failureReason,omitempty"`
	Code          string      `json:"code,omitempty"`
	Refusal       psp.Refusal `json:"refusal,omitempty"`
	RetryAfter    int         `json:"retryAfter,omitempty"` // seconds
}

// Accepted returns the result of a refund that the processor has.
func Accepted(f psp.Refund, fromLookup bool) Result {
	return Result{Status: psp.Accepted, FromLookup: fromLookup, RefundID: f.ID, State: f.Status,
		Booked: f.BalanceTransactionID != "", FailureReason: f.FailureReason}
}

// apply records a result. A refund that the processor has never returns to an earlier status.
func (r *Refund) apply(f Result, now time.Time) {
	if f.FromLookup || f.Status == psp.Accepted {
		r.AskedAt, r.AskedAfter = &now, r.Attempts
	}
	switch f.Status {
	case psp.Accepted:
		r.applyAccepted(f, now)
	case psp.Refused:
		if r.Status == Submitted || r.Status == NeedsAttention {
			r.Code, r.Refusal = f.Code, f.Refusal
			r.settle(Refused, now)
		}
	case psp.Mismatch:
		if r.Status == Submitted {
			r.Code = f.Code
			r.settle(NeedsAttention, now)
		}
	case psp.NotStarted:
		if r.NotStarted++; r.NotStarted >= r.Attempts { // no request has arrived
			r.FirstSentAt = nil
		}
		r.NextAttemptAt = now.Add(max(pause, time.Duration(f.RetryAfter)*time.Second))
		r.AskedAt, r.AskedAfter = &now, r.Attempts
	default: // unknown, or not found
		r.NextAttemptAt = now.Add(pause)
	}
}

func (r *Refund) applyAccepted(f Result, now time.Time) {
	r.RefundID = f.RefundID
	switch f.State {
	case psp.RefundStatusSucceeded:
		if !r.Moved() {
			r.settle(Succeeded, now)
		}
	case psp.RefundStatusFailed, psp.RefundStatusCanceled:
		r.FailureReason = f.FailureReason
		switch {
		case r.Status == Succeeded, f.Booked && !r.Moved() && r.Holds():
			r.settle(Failed, now)
		case !r.Moved() && r.Status != Refused:
			r.settle(Refused, now) // nothing had moved
		}
	default: // pending, or a new state
		if r.Status == Submitted || r.Status == NeedsAttention {
			r.settle(Pending, now)
		}
	}
}

func (r *Refund) settle(s Status, now time.Time) { r.Status, r.SettledAt = s, &now }
