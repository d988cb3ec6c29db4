package state

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Step is the next step for a group.
type Step string

// The steps of a group.
const (
	SendCharge  Step = "charge"  // send the frozen request
	FindCharge  Step = "find"    // search for the payment by the group's key
	ReadPayment Step = "read"    // read the known payment
	BookOutcome Step = "book"    // update the pledges and email the supporter
	StopRetries Step = "alarm"   // mark the group NeedsAttention: its key is too old to send the request again
	Wait        Step = "wait"    // nothing now
	Finished    Step = "nothing" // done
)

const (
	// pause is the shortest time between two requests with the same key.
	pause = 5 * time.Minute
	// maxPause is the longest wait that the processor may ask for.
	maxPause = 12 * time.Hour
	// askAgain is how long the result of a lookup is valid.
	askAgain = 15 * time.Minute
)

// NextStep returns the next step for a group, given its record and the time. A request is sent
// again only after a lookup found no payment, and only while the processor is certain to
// remember an earlier request with its key.
func NextStep(g Group, now time.Time) Step {
	switch g.Status {
	case Succeeded, Failed:
		switch {
		case !g.Booked && g.refusedLately(now):
			return Wait
		case !g.Booked:
			return BookOutcome
		case g.Confirmable && !g.hasFreshLookup(now):
			return ReadPayment // the supporter may have confirmed it
		}
		return Finished
	case NeedsAttention:
		if g.hasFreshLookup(now) {
			return Wait
		}
		return g.lookupStep()
	case Submitted:
		return nextOfSubmitted(g, now)
	}
	return Wait
}

func nextOfSubmitted(g Group, now time.Time) Step {
	switch {
	case g.Attempts == 0 && g.PaymentIntentID == "":
		return SendCharge
	case g.isKeyOld(now):
		return StopRetries
	case g.AskedAfter < g.Attempts:
		return g.lookupStep()
	case now.Before(g.NextAttemptAt) && plausible(g.NextAttemptAt, now):
		return Wait
	case !g.hasFreshLookup(now):
		return g.lookupStep()
	case g.PaymentIntentID != "":
		return Wait
	}
	return SendCharge
}

// refusedPause is how long the email about a rejected request is delayed. If several requests
// are rejected with the same code, the breaker opens in that time, and supporters are not
// asked for other cards.
const refusedPause = time.Hour

func (g *Group) refusedLately(now time.Time) bool {
	return g.Refused && g.DroppedAt == nil && g.SettledAt != nil && now.Before(g.SettledAt.Add(refusedPause)) &&
		plausible(*g.SettledAt, now)
}

// lookupStep returns how to look up the charge: a known payment is read, an unknown one is
// searched for.
func (g *Group) lookupStep() Step {
	if g.PaymentIntentID != "" {
		return ReadPayment
	}
	return FindCharge
}

// hasFreshLookup reports whether the last lookup is recent enough.
func (g *Group) hasFreshLookup(now time.Time) bool {
	return g.AskedAt != nil && now.Sub(*g.AskedAt) < askAgain && plausible(*g.AskedAt, now)
}

// plausible reports whether a stored time can be correct. A time further ahead than any wait
// was written by a server with a wrong clock.
func plausible(t, now time.Time) bool { return t.Sub(now) < day }

// isKeyOld reports whether the processor may have forgotten the key.
func (g *Group) isKeyOld(now time.Time) bool {
	return g.FirstSubmittedAt != nil && now.After(g.FirstSubmittedAt.Add(psp.SafeAge))
}
