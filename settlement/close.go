package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// Closing is how long after its deadline a campaign that missed its goal is closed. Until
// then a pledge that was lost may still be found, and a slip in its file be put right.
const Closing = 48 * time.Hour

const closedKey = "closed" // → time

// closeMissed closes a campaign that missed its goal: it is never settled from then on.
type closeMissed struct{}

func (closeMissed) Kind() string { return "close" }

// runClose leaves a campaign as it is that somebody was charged for, or is settling.
func runClose(tx kv.Tx, now time.Time, _ closeMissed) (bool, error) {
	if _, closed, err := kv.Load[time.Time](tx, closedKey); err != nil || closed {
		return closed, err
	}
	l, _, err := kv.Load[Lease](tx, leaseKey)
	if err != nil || l.heldAt(now) {
		return false, err
	}
	groups, err := tx.List(groupPrefix, "", 1)
	if err != nil || len(groups) > 0 {
		return false, err
	}
	return true, kv.Keep(tx, closedKey, now)
}

// Close closes a campaign that has missed its goal for good, and reports whether it is
// closed. It leaves one alone that ended less than Closing ago, where a checkout is under
// way, and where somebody was promised a later deadline, or a goal that is reached.
func (s *Service) Close(ctx context.Context, c *campaign.Campaign) (bool, error) {
	closed, err := s.Closed(ctx, c.Slug)
	if err != nil || closed || c.State(s.Now().Add(-Closing), s.Zone) != campaign.Ended {
		return closed, err
	}
	missed, err := s.missed(ctx, c)
	if err != nil || !missed {
		return false, err
	}
	if settled, err := s.Settled(ctx, c); err != nil || !settled {
		return false, err
	}
	return kv.Send[bool](ctx, s.Coordinator, client{s.Coordinator, c.Slug}.object(), "close", closeMissed{})
}

// missed reports whether a campaign has missed its goal by its file and by every promise.
func (s *Service) missed(ctx context.Context, c *campaign.Campaign) (bool, error) {
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil || c.Funded(snap.Totals.Counted) {
		return false, err
	}
	made, err := s.Inventory.Promises(ctx, c.Slug)
	return !slices.ContainsFunc(made, func(p inventory.Promised) bool {
		return p.EndsAt.After(s.Now().Add(-Closing)) || snap.Totals.Counted >= p.Goal
	}), err
}

// Closed reports whether a campaign was closed without having reached its goal.
func (s *Service) Closed(ctx context.Context, slug string) (bool, error) {
	st, err := client{s.Coordinator, slug}.overview(ctx)
	return st.Closed != nil, err
}
