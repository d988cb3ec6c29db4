package settlement

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

const (
	// Closing is how long after its deadline a campaign that missed its goal is closed. Until
	// then a lost pledge may still be found, or an error in the campaign's file corrected.
	Closing = 48 * time.Hour
	// Reopening is how long a campaign may still be reopened after it was closed. Then
	// supporters are emailed that it missed its goal, and their cards are deleted.
	Reopening = 24 * time.Hour
)

// Close closes a campaign that missed its goal, and reports whether it is closed. It leaves the
// campaign open if it ended or was reopened less than Closing ago, and if it has a charge or an
// open checkout. A campaign also stays open if a supporter was promised a goal that is reached, or
// a deadline that did not pass at least Closing ago.
//
// It fails with code Conflict if the campaign is not admitted to irreversible actions, or if the
// processor has a payment for it.
func (s *Service) Close(ctx context.Context, c *campaign.Campaign) (bool, error) {
	closed, err := s.Closed(ctx, c.Slug)
	if err != nil || closed {
		return closed, err
	}
	if over, err := s.overAndMissed(ctx, c); err != nil || !over {
		return false, errors.Join(err, s.reopenUnclosed(ctx, c))
	}
	closed, err = s.closeMissed(ctx, c)
	if errors.Is(err, state.ErrHeld) {
		err = errors.Join(err, s.noteRefusal(ctx, c, err))
	}
	return closed, err
}

func (s *Service) closeMissed(ctx context.Context, c *campaign.Campaign) (closed bool, err error) {
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

// reopenUnclosed reopens the inventory of a campaign if a crash stopped its closing after the
// inventory was closed, unless a run holds the lease.
func (s *Service) reopenUnclosed(ctx context.Context, c *campaign.Campaign) error {
	if c.State(s.Now().Add(-Closing), s.Zone) != campaign.Ended {
		return nil // the closing had not started
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil || !snap.Closed {
		return err
	}
	st, err := s.objectOf(c.Slug).Overview(ctx)
	if err != nil || st.Closed != nil || st.Lease.HeldAt(s.Now()) {
		return err
	}
	return s.Inventory.Reopen(ctx, c.Slug)
}

// overAndMissed reports whether a campaign missed its goal, ended and was last reopened at
// least Closing ago, and has no charge and no open checkout.
func (s *Service) overAndMissed(ctx context.Context, c *campaign.Campaign) (bool, error) {
	if c.State(s.Now().Add(-Closing), s.Zone) != campaign.Ended {
		return false, nil
	}
	st, err := s.objectOf(c.Slug).Overview(ctx)
	if err != nil || st.Begun {
		return false, err
	}
	if r := st.Reopening; r != nil && r.ConfirmedAt != nil && s.Now().Before(r.ConfirmedAt.Add(Closing)) {
		return false, nil
	}
	missed, err := s.missedGoal(ctx, c)
	if err != nil || !missed {
		return false, err
	}
	return s.Settled(ctx, c)
}

// missedGoal reports whether a campaign is below the goal of its file and of every promise, and
// every promised deadline passed at least Closing ago.
func (s *Service) missedGoal(ctx context.Context, c *campaign.Campaign) (bool, error) {
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil || c.Funded(snap.Totals.Counted) {
		return false, err
	}
	made, err := s.Inventory.Promises(ctx, c.Slug)
	return !slices.ContainsFunc(made, func(p inventory.Promised) bool {
		return p.EndsAt.After(s.Now().Add(-Closing)) || snap.Totals.Counted >= p.Goal
	}), err
}

// noteRefusal records why a campaign is not closed, for operators.
func (s *Service) noteRefusal(ctx context.Context, c *campaign.Campaign, why error) error {
	nonce, err := s.nonce()
	if err != nil {
		return err
	}
	return s.objectOf(c.Slug).NoteUnclosed(ctx, messageOf(why), nonce)
}

// whyUnclosed returns why a campaign that missed its goal is not closed. It returns nil if the
// campaign is closed or has a charge, if it is too early, or if no reason is known.
func (s *Service) whyUnclosed(ctx context.Context, c *campaign.Campaign, st state.Overview) (*state.Unclosed, error) {
	if st.Begun || st.Closed != nil || c.State(s.Now().Add(-Closing), s.Zone) != campaign.Ended {
		return nil, nil
	}
	if missed, err := s.missedGoal(ctx, c); err != nil || !missed {
		return nil, err
	}
	holds, err := s.Inventory.Due(ctx, c.Slug, s.Now(), 1)
	if err != nil {
		return nil, err
	}
	if len(holds) > 0 {
		return &state.Unclosed{Since: holds[0].Due,
			Reason: "A checkout or a change of " + holds[0].Pledge + " has not been ended"}, nil
	}
	return st.Unclosed, nil
}

// Closed reports whether a campaign was closed because it missed its goal.
func (s *Service) Closed(ctx context.Context, slug string) (bool, error) {
	st, err := s.objectOf(slug).Overview(ctx)
	return st.Closed != nil, err
}
