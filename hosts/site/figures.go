package site

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Figures are a campaign's totals at the time of a build. Pages show them without JavaScript, and
// until the script has loaded newer ones.
type Figures struct {
	Pledged    money.Cents
	Supporters int
	// Remaining contains the remaining units of the rewards with a limit, by ID.
	Remaining map[string]int
	At        time.Time // the zero time means that the figures are unknown
}

// Known reports whether the figures are known.
func (f Figures) Known() bool { return !f.At.IsZero() }

// percent returns the pledged share of a goal in percent, rounded down; 0 without a goal.
func (f Figures) percent(goal money.Cents) int64 {
	if goal <= 0 {
		return 0
	}
	return int64(f.Pledged * 100 / goal)
}

// withoutTime returns the figures without their time, for comparison with earlier figures.
func (f Figures) withoutTime() Figures {
	f.At = time.Time{}
	return f
}

// freshness is the age of figures at which the site is rebuilt.
const freshness = time.Hour
