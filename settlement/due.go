package settlement

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// DueCampaigns lists the ended campaigns that need settling (see isDue). For each failed charge
// with a due step, it requests a visit to the supporter.
func (s *Service) DueCampaigns(ctx context.Context) ([]string, error) {
	due := []string{}
	awake, err := s.ActiveCampaigns(ctx)
	if err != nil {
		return due, err
	}
	restored, err := s.Switch().RestoredAt(ctx)
	if err != nil {
		return due, err
	}
	for _, c := range awake {
		if !s.mayBegin(c) {
			continue
		}
		is, err := s.isDue(ctx, c, restored)
		if err != nil {
			return due, err
		}
		if is {
			due = append(due, c.Slug)
		}
	}
	return due, nil
}

// Stalled lists the campaigns whose job is running although their lease is free or its holder has
// ended.
func (s *Service) Stalled(ctx context.Context) ([]string, error) {
	stalled := []string{}
	awake, err := s.ActiveCampaigns(ctx)
	if err != nil {
		return stalled, err
	}
	for _, c := range awake {
		if !s.mayBegin(c) {
			continue
		}
		st, err := s.objectOf(c.Slug).Overview(ctx)
		if err != nil {
			return stalled, err
		}
		asks := s.holder()
		if st.Closed == nil && st.Job != nil && st.Job.Status == state.JobRunning &&
			(!st.Lease.HeldAt(s.Now()) || st.Lease.HolderEnded(asks)) {
			stalled = append(stalled, c.Slug)
		}
	}
	return stalled, nil
}

// isDue reports whether a campaign that is funded or has a charge needs settling: it has active
// pledges, open groups, visit requests or a running job, it is not complete or not marked as
// charged, or its payments were not imported since the last restore. It first requests a visit for
// each failed charge with a due step.
func (s *Service) isDue(ctx context.Context, c *campaign.Campaign, restored time.Time) (bool, error) {
	snap, err := s.Inventory.Snapshot(ctx, c.Slug)
	if err != nil {
		return false, err
	}
	st, err := s.objectOf(c.Slug).Overview(ctx)
	if err != nil || st.Closed != nil || !c.Funded(snap.Totals.Counted) && !st.Begun {
		return false, err
	}
	if err := s.requestRecoveryVisits(ctx, c); err != nil {
		return false, err
	}
	if snap.Totals.Statuses[pledge.Active] > 0 || !restored.Equal(st.Lease.ImportedAfter) {
		return true, nil
	}
	st, err = s.objectOf(c.Slug).Overview(ctx)
	if err != nil || st.Open || st.Complete == nil || st.Job != nil && st.Job.Status == state.JobRunning {
		return true, err
	}
	// The marker is written after the completion. If a crash lost it, write it again.
	_, marked, err := kv.Read[time.Time](ctx, s.Store, pledge.ChargedKey(c.Slug))
	return !marked, err
}
