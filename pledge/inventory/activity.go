package inventory

import (
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// maxDays is the maximum length of Totals.Days.
const maxDays = 14

// DayTotal sums the pledges made on one day, without those cancelled later.
type DayTotal struct {
	Day     string      `json:"day"` // in the platform's time zone, such as 2026-11-30
	Pledges int         `json:"pledges"`
	Counted money.Cents `json:"counted"` // cents toward the goal
}

// Repairable sums the pledges whose charge failed but can still be made.
type Repairable struct {
	Pledges int         `json:"pledges"`
	Amount  money.Cents `json:"amount"` // cents
	// Until is the latest time at which one of them, past or present, is dropped; zero if there
	// were none.
	Until time.Time `json:"until,omitzero"`
}

// replaceInDay updates the total of the account's day. It adds the day of a new account if it is
// missing, and removes days beyond the newest maxDays. It ignores accounts without a day, which are
// older than these totals, and changes of accounts whose day was removed.
func (t *Totals) replaceInDay(last, next Account, known bool) {
	n, found := slices.BinarySearchFunc(t.Days, next.Day,
		func(d DayTotal, day string) int { return strings.Compare(d.Day, day) })
	if next.Day == "" || known && !found {
		return
	}
	if !found {
		t.Days = slices.Insert(t.Days, n, DayTotal{Day: next.Day})
	}
	d := &t.Days[n]
	d.Counted += next.Counted - last.Counted
	d.Pledges += countUncancelled(next)
	if known {
		d.Pledges -= countUncancelled(last)
	}
	t.Days = t.Days[max(len(t.Days)-maxDays, 0):]
}

// countUncancelled returns 1 for the account of a pledge that is not cancelled, otherwise 0.
func countUncancelled(a Account) int {
	if a.Status == pledge.Cancelled {
		return 0
	}
	return 1
}

// replace updates the sums for an account that changed from last to next.
func (r *Repairable) replace(last, next Account) {
	r.Amount += next.Repairable - last.Repairable
	if last.Repairable > 0 {
		r.Pledges--
	}
	if next.Repairable > 0 {
		r.Pledges++
	}
	if next.RepairUntil.After(r.Until) {
		r.Until = next.RepairUntil
	}
}
