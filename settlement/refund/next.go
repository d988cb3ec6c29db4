package refund

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Step is the next step for a refund.
type Step string

// The steps.
const (
	Send     Step = "send" // send the frozen request
	Find     Step = "find" // list the payment's refunds, to find this one
	Stop     Step = "stop" // mark it NeedsAttention: its key is too old to send the request again
	Tell     Step = "tell" // update the pledges and email the supporter
	Wait     Step = "wait" // nothing now
	Finished Step = "nothing"
)

const (
	// pause is the shortest time between two requests with the same key.
	pause = 5 * time.Minute
	// askAgain is how long the result of a lookup is valid, and askSettled of one that can only change
	// if the refund fails.
	askAgain, askSettled = 15 * time.Minute, 12 * time.Hour
)

// NextStep returns the next step for a refund, given its record and the time. As for a charge, a request
// is sent again only after a lookup found no refund, and only while the processor is certain to
// remember an earlier request with its key.
func NextStep(r Refund, now time.Time) Step {
	switch r.Status {
	case Granted:
		return Send
	case Submitted:
		return nextOfSubmitted(r, now)
	case Pending, NeedsAttention:
		if r.asked(now, askAgain) {
			return Wait
		}
		return Find
	case Succeeded:
		switch {
		case r.Told != Succeeded:
			return Tell
		case now.After(r.GrantedAt.Add(watched)):
			return Finished
		case r.asked(now, askSettled):
			return Wait
		}
		return Find
	case Failed, Refused, Repaid:
		if r.Told != r.Status {
			return Tell
		}
		return Finished
	case Waiting:
		return Wait
	case Withdrawn:
		return Finished
	}
	return Finished
}

func nextOfSubmitted(r Refund, now time.Time) Step {
	switch {
	case r.isKeyOld(now):
		return Stop
	case r.AskedAfter < r.Attempts:
		return Find
	case now.Before(r.NextAttemptAt) && r.NextAttemptAt.Sub(now) < 24*time.Hour:
		return Wait
	case !r.asked(now, askAgain):
		return Find
	}
	return Send
}

// dueAt returns when the next step is due; ok is false if there is no step, or an
// operator has to act.
func dueAt(r Refund, now time.Time) (at time.Time, ok bool) {
	switch NextStep(r, now) {
	case Finished:
		return time.Time{}, false
	case Wait:
	default:
		return now, true
	}
	switch r.Status {
	case Submitted:
		return latest(now, r.NextAttemptAt), true
	case Pending, NeedsAttention:
		return now.Add(askAgain), true
	case Succeeded:
		return now.Add(askSettled), true
	default:
		return time.Time{}, false
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// asked reports whether the last lookup is recent enough. A time in the future was written by a
// server with a wrong clock.
func (r *Refund) asked(now time.Time, valid time.Duration) bool {
	return r.AskedAt != nil && now.Sub(*r.AskedAt) < valid && r.AskedAt.Sub(now) < 24*time.Hour
}

// isKeyOld reports whether the processor may have forgotten the key.
func (r *Refund) isKeyOld(now time.Time) bool {
	return r.FirstSentAt != nil && now.After(r.FirstSentAt.Add(psp.SafeAge))
}

// forgotten is how long after a refund's first request its absence at the processor is certain.
const forgotten = 48 * time.Hour

// canWithdraw reports whether the processor does not have the refund: it was never sent, or a lookup
// found nothing long after the last request could arrive.
func (r *Refund) canWithdraw() bool {
	switch r.Status {
	case Waiting, Granted:
		return true
	case Submitted:
		return r.FirstSentAt == nil
	case NeedsAttention:
		return r.RefundID == "" && r.FirstSentAt != nil && r.AskedAt != nil &&
			r.AskedAt.After(r.FirstSentAt.Add(forgotten))
	default:
		return false
	}
}
