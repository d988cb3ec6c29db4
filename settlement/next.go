package settlement

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// step is the next step for a group.
type step string

const (
	sendCharge  step = "charge"  // send the frozen request
	findCharge  step = "find"    // search for the payment by the group's key
	readPayment step = "read"    // read the known payment
	bookOutcome step = "book"    // update the pledges and email the supporter
	raiseAlarm  step = "alarm"   // stop sending for good
	waitForIt   step = "wait"    // nothing now
	nothingLeft step = "nothing" // done
)

const (
	// pause is the shortest time between two requests with the same key.
	pause = 5 * time.Minute
	// maxPause is the longest wait that the processor may ask for.
	maxPause = 12 * time.Hour
	// askAgain is how long the result of a lookup counts. It is longer than the clocks of two
	// servers may differ.
	askAgain = 15 * time.Minute
)

// nextStep is the whole policy: it returns the next step from a group's record and the time. A key is
// sent again only after a lookup found nothing, and only while the processor is sure to remember
// an earlier request with it.
func nextStep(g Group, now time.Time) step {
	switch g.Status {
	case Succeeded, Failed:
		switch {
		case !g.Booked && g.refusedLately(now):
			return waitForIt
		case !g.Booked:
			return bookOutcome
		case g.Confirmable && !g.hasFreshLookup(now):
			return readPayment // the supporter may have confirmed it
		}
		return nothingLeft
	case NeedsAttention:
		if g.hasFreshLookup(now) {
			return waitForIt
		}
		return g.lookupStep()
	case Submitted:
		return nextOfSubmitted(g, now)
	}
	return waitForIt
}

func nextOfSubmitted(g Group, now time.Time) step {
	switch {
	case g.Attempts == 0 && g.PaymentIntentID == "":
		return sendCharge
	case g.isKeyOld(now):
		return raiseAlarm
	case g.AskedAfter < g.Attempts:
		return g.lookupStep()
	case now.Before(g.NextAttemptAt) && plausible(g.NextAttemptAt, now):
		return waitForIt
	case !g.hasFreshLookup(now):
		return g.lookupStep()
	case g.PaymentIntentID != "":
		return waitForIt
	}
	return sendCharge
}

// refusedPause is how long the supporter of a rejected request is not emailed. If several
// requests are rejected alike, the breaker opens meanwhile, and supporters are not asked for
// other cards.
const refusedPause = time.Hour

func (g *Group) refusedLately(now time.Time) bool {
	return g.Refused && g.DroppedAt == nil && g.SettledAt != nil && now.Before(g.SettledAt.Add(refusedPause)) && plausible(*g.SettledAt, now)
}

// lookupStep returns how to look up the charge: a known payment is read, not searched for.
func (g *Group) lookupStep() step {
	if g.PaymentIntentID != "" {
		return readPayment
	}
	return findCharge
}

// hasFreshLookup reports whether the last lookup still counts.
func (g *Group) hasFreshLookup(now time.Time) bool {
	return g.AskedAt != nil && now.Sub(*g.AskedAt) < askAgain && plausible(*g.AskedAt, now)
}

// plausible reports whether a stored time can be right. One that is further ahead than any wait
// was written by a server with a wrong clock.
func plausible(t, now time.Time) bool { return t.Sub(now) < day }

// isKeyOld reports whether the processor may have forgotten the key.
func (g *Group) isKeyOld(now time.Time) bool {
	return g.FirstSubmittedAt != nil && now.After(g.FirstSubmittedAt.Add(psp.SafeAge))
}
