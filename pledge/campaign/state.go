package campaign

import (
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// State is where a campaign stands in time.
type State string

// The states. A campaign without dates is upcoming.
const (
	Upcoming State = "upcoming"
	Live     State = "live"
	Ended    State = "ended"
)

// Funded is the public label of a live campaign whose goal is reached.
const Funded = "funded"

// StartsAt returns the instant at which the campaign goes live.
func (c *Campaign) StartsAt(zone *time.Location) time.Time { return c.Start.Starts(zone) }

// EndsAt returns the instant at which the deadline has passed: the one that
// follows its last second.
func (c *Campaign) EndsAt(zone *time.Location) time.Time { return c.Deadline.Ends(zone) }

// State says where the campaign stands at now.
func (c *Campaign) State(now time.Time, zone *time.Location) State {
	switch {
	case c.Start.IsZero() || c.Deadline.IsZero() || now.Before(c.StartsAt(zone)):
		return Upcoming
	case now.Before(c.EndsAt(zone)):
		return Live
	}
	return Ended
}

// Accepts reports whether the campaign takes pledges at now: it is public, live
// and not yet charged.
func (c *Campaign) Accepts(now time.Time, zone *time.Location) bool {
	return c.Public() && !c.Charged && c.State(now, zone) == Live
}

// Funded reports whether the pledged amount reaches the goal. A campaign
// without a goal is never funded.
func (c *Campaign) Funded(pledged money.Cents) bool { return c.Goal > 0 && pledged >= c.Goal }

// Label is the campaign's public state: "upcoming", "live", "funded" or
// "ended", where a live campaign that has reached its goal is funded.
func (c *Campaign) Label(now time.Time, zone *time.Location, pledged money.Cents) string {
	s := c.State(now, zone)
	if s == Live && c.Funded(pledged) {
		return Funded
	}
	return string(s)
}
