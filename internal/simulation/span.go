package simulation

import (
	"time"

	"github.com/pledgeworks/pledgeworks/settlement"
)

// span is the duration of a history.
type span struct {
	calm time.Time // faults stop
	rest time.Time // the hourly work stops
	end  time.Time // the remaining mails are sent, and no work may remain
}

// busy is how long people and operators are active and timers run at their usual
// pace. A long history continues with quiet weeks.
const busy = 60 * time.Hour

// sixWeeks is the duration of a long history: longer than the longest grace
// period, the processor's 30 days and the period during which a missed campaign
// is announced.
const sixWeeks = 42 * 24 * time.Hour

// cooldown is how long the hourly work continues after the last fault.
const cooldown = 30*time.Hour + settlement.Reopening

func spanUntil(calm time.Time) span {
	rest := calm.Add(cooldown)
	return span{calm: calm, rest: rest, end: rest.Add(time.Hour)}
}

// long reports whether the history has quiet weeks.
func (s span) long() bool { return s.calm.Sub(begin) > busy }

// quiet reports whether a time is in the quiet weeks of a long history.
func (s span) quiet(now time.Time) bool { return now.Sub(begin) > busy && now.Before(s.calm) }
