package settlement

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// BrokenPromises returns the promises that charging a campaign's pledges now would break: those
// with another deadline than the campaign's file, and those with a higher goal than the file that
// is not reached. It returns none if an operator accepted the file's deadline and goal.
func (s *Service) BrokenPromises(ctx context.Context, c *campaign.Campaign) ([]inventory.Promised, error) {
	made, err := s.Inventory.Promises(ctx, c.Slug)
	if err != nil || !mayBeBroken(made, s.promiseOf(c)) {
		return nil, err
	}
	st, err := s.objectOf(c.Slug).Overview(ctx)
	if err != nil {
		return nil, err
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil {
		return nil, err
	}
	now := s.promiseOf(c)
	if st.Accepted != nil && st.Accepted.Goal == now.Goal && st.Accepted.EndsAt.Equal(now.EndsAt) {
		return nil, nil
	}
	var broken []inventory.Promised
	for _, p := range made {
		reached := p.Goal <= now.Goal || snap.Totals.Counted >= p.Goal
		if !reached || !p.EndsAt.Equal(now.EndsAt) {
			broken = append(broken, p)
		}
	}
	return broken, nil
}

// mayBeBroken reports whether a campaign's file has a lower goal or another deadline than one of
// the promises.
func mayBeBroken(made []inventory.Promised, now inventory.Promise) bool {
	for _, p := range made {
		if p.Goal > now.Goal || !p.EndsAt.Equal(now.EndsAt) {
			return true
		}
	}
	return false
}

// promiseOf returns the promise that a campaign's file makes now.
func (s *Service) promiseOf(c *campaign.Campaign) inventory.Promise {
	return inventory.Promise{EndsAt: c.EndsAt(s.Zone).UTC(), Goal: c.Goal}
}

// checkPromises fails with code Conflict and state.ErrHeld if charging would break a promise (see
// BrokenPromises).
func (a *admission) checkPromises(ctx context.Context) error {
	c := a.campaign
	broken, err := a.BrokenPromises(ctx, c)
	if err != nil || len(broken) == 0 {
		return err
	}
	now, p := a.promiseOf(c), broken[0]
	return fault.Wrap(state.ErrHeld, fault.Conflict,
		"Settlement of %s is held: its file has the deadline %s and the goal %s, but pledges (%d) were promised %s and %s. Correct the file, or accept the change",
		c.Slug, now.EndsAt.Format(time.RFC3339), now.Goal, p.Pledges, p.EndsAt.Format(time.RFC3339), p.Goal)
}
