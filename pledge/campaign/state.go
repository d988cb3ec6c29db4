package campaign

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// State is the state of a campaign at a point in time.
type State string

// States of a campaign. Without dates, it is upcoming.
const (
	Upcoming State = "upcoming"
	Live     State = "live"
	Ended    State = "ended"
)

// Funded is the public label of a live campaign that has reached its goal.
const Funded = "funded"

// StartsAt returns when the campaign goes live.
func (c *Campaign) StartsAt(zone *time.Location) time.Time { return c.Start.Starts(zone) }

// EndsAt returns when the campaign ends: the instant after the last second of its
// deadline.
func (c *Campaign) EndsAt(zone *time.Location) time.Time { return c.Deadline.Ends(zone) }

// State returns the campaign's state at now.
func (c *Campaign) State(now time.Time, zone *time.Location) State {
	switch {
	case c.Start.IsZero() || c.Deadline.IsZero() || now.Before(c.StartsAt(zone)):
		return Upcoming
	case now.Before(c.EndsAt(zone)):
		return Live
	}
	return Ended
}

// Accepts reports whether the campaign accepts pledges at now, which requires that it is public,
// live and not charged.
func (c *Campaign) Accepts(now time.Time, zone *time.Location) bool {
	return c.Public() && !c.Charged && c.State(now, zone) == Live
}

// Funded reports whether the pledged amount reaches the goal. A campaign without a goal
// is never funded.
func (c *Campaign) Funded(pledged money.Cents) bool { return c.Goal > 0 && pledged >= c.Goal }

// Label returns the campaign's public state: "upcoming", "live", "ended", or "funded"
// for a live campaign that has reached its goal.
func (c *Campaign) Label(now time.Time, zone *time.Location, pledged money.Cents) string {
	s := c.State(now, zone)
	if s == Live && c.Funded(pledged) {
		return Funded
	}
	return string(s)
}
