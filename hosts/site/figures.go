package site

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Figures are a campaign's totals at the time of a build. Pages show them until the browser has
// loaded newer ones, and without JavaScript.
type Figures struct {
	Pledged    money.Cents
	Supporters int
	// Remaining is the number of units left, by the ID of a reward with a limit.
	Remaining map[string]int
	At        time.Time // the zero time means that the figures are unknown
}

// Known reports whether there are figures.
func (f Figures) Known() bool { return !f.At.IsZero() }

// percent returns the pledged share of a goal in percent.
func (f Figures) percent(goal money.Cents) int64 {
	if goal <= 0 {
		return 0
	}
	return int64(f.Pledged * 100 / goal)
}

// withoutTime returns the figures without their time, to detect changes of a page.
func (f Figures) withoutTime() Figures {
	f.At = time.Time{}
	return f
}

// freshness is how long the figures of a build are shown before the site is rebuilt.
const freshness = time.Hour
