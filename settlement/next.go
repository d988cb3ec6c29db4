package settlement

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// step is what to do next about a group.
type step string

const (
	sendCharge  step = "charge"  // send the frozen request
	findCharge  step = "find"    // look for the payment by its mark
	readPayment step = "read"    // read the payment that is known
	bookOutcome step = "book"    // tell the pledges and the supporter
	raiseAlarm  step = "alarm"   // stop sending for good
	waitForIt   step = "wait"    // nothing now
	nothingLeft step = "nothing" // nothing ever
)

const (
	// pause is the shortest time between two sendings of a key.
	pause = 5 * time.Minute
	// maxPause is the longest wait that the processor may ask for.
	maxPause = 12 * time.Hour
	// askAgain is how long an answer to a question stays fresh. It is longer
	// than the clocks of two servers may differ.
	askAgain = 15 * time.Minute
)

// next is the whole policy: what a group's record and the time ask for. A key
// is sent again only after the processor was asked and knew nothing, and only
// while it is sure to remember an earlier sending.
func next(g Group, now time.Time) step {
	switch g.Status {
	case Succeeded, Failed:
		switch {
		case !g.Booked && g.refusedLately(now):
			return waitForIt
		case !g.Booked:
			return bookOutcome
		case g.Confirmable && !g.fresh(now):
			return readPayment // its supporter may have confirmed it
		}
		return nothingLeft
	case NeedsAttention:
		if g.fresh(now) {
			return waitForIt
		}
		return g.question()
	case Submitted:
		return nextSubmitted(g, now)
	}
	return waitForIt
}

func nextSubmitted(g Group, now time.Time) step {
	switch {
	case g.Attempts == 0 && g.PaymentIntentID == "":
		return sendCharge
	case g.old(now):
		return raiseAlarm
	case g.AskedAfter < g.Attempts:
		return g.question()
	case now.Before(g.NextAttemptAt) && plausible(g.NextAttemptAt, now):
		return waitForIt
	case !g.fresh(now):
		return g.question()
	case g.PaymentIntentID != "":
		return waitForIt
	}
	return sendCharge
}

// refusedPause is how long a refused request is kept to ourselves. If several are refused alike,
// the breaker opens meanwhile and supporters are not asked for other cards.
const refusedPause = time.Hour

func (g *Group) refusedLately(now time.Time) bool {
	return g.Refused && g.DroppedAt == nil && g.SettledAt != nil && now.Before(g.SettledAt.Add(refusedPause)) && plausible(*g.SettledAt, now)
}

// question is how to ask: a payment that is known is read, never made again.
func (g *Group) question() step {
	if g.PaymentIntentID != "" {
		return readPayment
	}
	return findCharge
}

// fresh reports whether the last answer still counts.
func (g *Group) fresh(now time.Time) bool {
	return g.AskedAt != nil && now.Sub(*g.AskedAt) < askAgain && plausible(*g.AskedAt, now)
}

// plausible is false for a time that is further ahead than any wait: a server whose clock was
// wrong wrote it.
func plausible(t, now time.Time) bool { return t.Sub(now) < day }

// old reports whether the processor may have forgotten the key.
func (g *Group) old(now time.Time) bool {
	return g.FirstSubmittedAt != nil && now.After(g.FirstSubmittedAt.Add(psp.SafeAge))
}
