package settlement

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// A campaign with nothing left to do is idle: the scheduled jobs skip it, so their cost
// depends on the number of changes and not on the number of campaigns. Every change of a
// campaign wakes it first. Campaigns are active until they are made idle.

// MinIdleAge is the shortest time between a campaign's deadline and the time that it becomes idle.
// By then every checkout session has expired.
const MinIdleAge = 25 * time.Hour

// Wake makes the scheduled jobs visit a campaign. Callers that change a campaign after its
// deadline call it first, so that the jobs find what a crash leaves unfinished.
func (s *Service) Wake(ctx context.Context, slug string) error {
	return s.platform().Wake(ctx, slug)
}

// SetIdle makes a campaign idle until a time. was is the campaign's state from IdleStates, read
// before the caller checked that nothing is left to do; ok is false if the campaign was woken since
// then.
func (s *Service) SetIdle(ctx context.Context, was state.IdleState, until time.Time) (ok bool, err error) {
	return s.platform().SetIdle(ctx, was, until)
}

// IdleStates returns the idle states of campaigns by slug.
func (s *Service) IdleStates(ctx context.Context) (map[string]state.IdleState, error) {
	return s.platform().IdleStates(ctx)
}

// ActiveCampaigns lists the campaigns of the catalogue except the idle ones. A campaign that cannot
// be settled yet, for example because its deadline was moved, is always active.
func (s *Service) ActiveCampaigns(ctx context.Context) ([]*campaign.Campaign, error) {
	idle, err := s.IdleStates(ctx)
	if err != nil {
		return nil, err
	}
	var active []*campaign.Campaign
	for _, c := range s.Catalogue().Campaigns() {
		if !s.Now().Before(idle[c.Slug].Until) || !s.mayBegin(c) {
			active = append(active, c)
		}
	}
	return active, nil
}

// Settled reports whether nothing is left to settle for a campaign that ended at least MinIdleAge
// ago: no checkout is open, the settlement is complete and not held, no pledge is active, no charge
// is open, recoverable or without fees, and no refund can still change.
//
// For a campaign that was closed, or that is below its goal and has no charge, only the checkouts
// count.
func (s *Service) Settled(ctx context.Context, c *campaign.Campaign) (bool, error) {
	if c.State(s.Now().Add(-MinIdleAge), s.Zone) != campaign.Ended {
		return false, nil
	}
	holds, err := s.Inventory.Due(ctx, c.Slug, s.Now().AddDate(1, 0, 0), 1)
	if err != nil || len(holds) > 0 {
		return false, err
	}
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil {
		return false, err
	}
	object := s.objectOf(c.Slug)
	st, err := object.Overview(ctx)
	if err != nil || st.Closed != nil || !c.Funded(snap.Totals.Counted) && !st.Begun {
		return err == nil, err
	}
	if st.Open || st.Held != nil || st.Complete == nil || st.Job != nil && st.Job.Status == state.JobRunning ||
		snap.Totals.Statuses[pledge.Active] > 0 {
		return false, nil
	}
	failures, err := object.Failures(ctx, "", 1)
	if err != nil || len(failures.Groups) > 0 {
		return false, err
	}
	unbooked, err := object.Unbooked(ctx, "", 1)
	if err != nil || len(unbooked.Groups) > 0 {
		return false, err
	}
	open, err := s.refundsOf(c.Slug).Open(ctx)
	return !open, err
}
