package payout

import (
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

const (
	// askMoving is how often a payout is looked up that is not paid or whose contents are not listed yet,
	// and askPaid how often a paid one, which may fail up to five business days later.
	askMoving, askPaid = time.Hour, 24 * time.Hour
	paidFor            = 10 * 24 * time.Hour
	// watched limits how long a payout is looked up, or read again because rows were not explained.
	watched   = 60 * 24 * time.Hour
	readAgain = 24 * time.Hour
)

// Step is the next step of a payout's import.
type Step string

// The steps.
const (
	None    Step = ""
	LookUp  Step = "lookUp"  // ask the processor for its status
	Read    Step = "read"    // list its next rows
	Book    Step = "book"    // append the shares to the campaigns' ledgers
	Reverse Step = "reverse" // append their return
)

// NextStep returns the step that is due.
func (p *Payout) NextStep(now time.Time) Step {
	if s := p.unfinished(); s != None {
		return s
	}
	if at, ok := p.nextLookup(); ok && !at.After(now) {
		return LookUp
	}
	if at, ok := p.nextReading(); ok && !at.After(now) {
		return Read
	}
	return None
}

// unfinished returns a step that does not depend on the time.
func (p *Payout) unfinished() Step {
	switch {
	case p.Reason() != "" || p.Reconciliation != psp.ReconciliationCompleted:
		return None
	case p.Contents == nil || p.Reading != nil:
		return Read
	case p.Difference() != 0:
		return None
	case p.BookedAt == nil:
		return Book
	case p.HasFailed() && p.ReversedAt == nil:
		return Reverse
	}
	return None
}

// nextLookup returns when the payout is to be looked up next; ok is false for never.
func (p *Payout) nextLookup() (at time.Time, ok bool) {
	every, until := askMoving, p.SeenAt.Add(watched)
	moving := rank(p.Status) < rank(psp.PayoutStatusPaid)
	if listed := p.Reason() != "" || p.Reconciliation == psp.ReconciliationCompleted; listed && !moving {
		if p.HasFailed() {
			return time.Time{}, false
		}
		every, until = askPaid, p.ArrivesAt.Add(paidFor)
	}
	return next(p.LookedUpAt, every, until)
}

// nextReading returns when the payout is to be read again because rows were not explained; ok is false
// for never.
func (p *Payout) nextReading() (at time.Time, ok bool) {
	if p.ReadAt == nil || p.Difference() == 0 && p.Unmatched() == 0 {
		return time.Time{}, false
	}
	return next(*p.ReadAt, readAgain, p.SeenAt.Add(watched))
}

// next returns when a step is repeated that was last done at a time; ok is false if that was after until.
func next(last time.Time, every time.Duration, until time.Time) (at time.Time, ok bool) {
	return last.Add(every), last.Before(until)
}

// IsFinished reports whether no step is left, now or later.
func (p *Payout) IsFinished() bool {
	_, lookup := p.nextLookup()
	_, reading := p.nextReading()
	return p.unfinished() == None && !lookup && !reading
}
