package settlement

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

const (
	// Closing is how long after its deadline a campaign that missed its goal is closed. Until
	// then a lost pledge may still be found, and a mistake in its file corrected.
	Closing = 48 * time.Hour
	// Reopening is how long after its closing a campaign may be reopened before supporters are
	// told that it missed its goal and their cards are deleted.
	Reopening = 24 * time.Hour
)

const closedKey = "closed" // → time

// closeMissed closes a campaign that missed its goal: it is never settled unless it is reopened.
type closeMissed struct {
	fence
}

func (closeMissed) Kind() string { return "close" }

// runClose leaves a campaign open that has charges.
func runClose(tx kv.Tx, now time.Time, cmd closeMissed) (bool, error) {
	if _, err := underLease(tx, now, cmd.fence); err != nil {
		return false, err
	}
	if _, closed, err := kv.Load[time.Time](tx, closedKey); err != nil || closed {
		return closed, err
	}
	groups, err := tx.List(groupPrefix, "", 1)
	if err != nil || len(groups) > 0 {
		return false, err
	}
	if err := tx.Delete(reopeningKey); err != nil {
		return false, err
	}
	return true, kv.Keep(tx, closedKey, now)
}

// Close closes a campaign that missed its goal, and reports whether it is closed. It leaves one
// open that ended less than Closing ago, where a checkout is under way, or where a supporter
// was promised a later deadline or a goal that is reached. It fails with code Conflict if the
// campaign is not admitted to final acts, or if the processor has a payment of it.
func (s *Service) Close(ctx context.Context, c *campaign.Campaign) (bool, error) {
	closed, err := s.Closed(ctx, c.Slug)
	if err != nil || closed {
		return closed, err
	}
	if over, err := s.overAndMissed(ctx, c); err != nil || !over {
		return false, err
	}
	a, err := s.admit(ctx, c, purposeClose)
	if err != nil {
		return false, err
	}
	defer a.releaseLease(ctx)
	if over, err := s.overAndMissed(ctx, c); err != nil || !over {
		return false, err
	}
	closed, err = a.closeCampaign(ctx)
	if err == nil && !closed {
		err = a.Inventory.Reopen(ctx, c.Slug)
	}
	return closed, err
}

// overAndMissed reports whether a campaign missed its goal, ended at least Closing ago, has no
// charge and no checkout under way.
func (s *Service) overAndMissed(ctx context.Context, c *campaign.Campaign) (bool, error) {
	if c.State(s.Now().Add(-Closing), s.Zone) != campaign.Ended {
		return false, nil
	}
	st, err := client{s.Coordinator, c.Slug}.overview(ctx)
	if err != nil || st.Begun {
		return false, err
	}
	missed, err := s.missed(ctx, c)
	if err != nil || !missed {
		return false, err
	}
	return s.Settled(ctx, c)
}

// missed reports whether a campaign missed its goal by its file and by every promise.
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

// isRefusedAct reports whether a final act was not admitted, or its lease is taken: it is tried
// again later.
func isRefusedAct(err error) bool { return errors.Is(err, errHeld) || fault.Is(err, fault.Busy) }
