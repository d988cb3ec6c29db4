package compose

import (
	"context"
	"errors"
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

const (
	// fortnight is how long a campaign is reconciled every day after its last charge or attempt.
	fortnight = 14 * daily
	// weekly is how long a campaign that is still watched is idle before it is checked again.
	weekly = 7 * daily
	// forGood is how long a campaign that is no longer watched is idle. Any change to a campaign
	// makes it active again.
	forGood = 100 * 365 * daily
)

// markIdle marks the campaigns as idle for which the hourly run found nothing to do: they are
// settled, their cards are deleted, their records match their objects, and their books match the
// processor's. before contains their idle states from the start of the run.
func (s *Services) markIdle(ctx context.Context, before map[string]state.IdleState, r CronReport) error {
	zone := s.Config.Site.Timezone.Location()
	awake, err := s.Settlement.ActiveCampaigns(ctx)
	errs := []error{err}
	for _, c := range awake {
		busy := slices.Contains(r.Settling, c.Slug) || slices.Contains(r.Rebuilt, c.Slug) ||
			slices.Contains(r.Reconciled, c.Slug)
		if busy || c.State(s.Now(), zone) != campaign.Ended {
			continue
		}
		done, err := s.isDone(ctx, c, before[c.Slug])
		if err == nil && done {
			err = s.markCampaignIdle(ctx, c, before[c.Slug])
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// isDone reports whether no work is left for a campaign.
func (s *Services) isDone(ctx context.Context, c *campaign.Campaign, was state.IdleState) (bool, error) {
	if settled, err := s.Settlement.Settled(ctx, c); err != nil || !settled {
		return false, err
	}
	if from, _, err := kv.Read[int](ctx, s.Stores.Pledges, sweepKey(c.Slug)); err != nil || from != 0 {
		return false, err // not all of its records are checked
	}
	if gone, _, err := kv.Read[cards](ctx, s.Stores.Pledges, cardsKey(c.Slug)); err != nil || !gone.Done ||
		gone.Woken != was.Woken || s.Now().Sub(gone.At) < lateWriteDelay {
		return false, err
	}
	if !s.Config.Settlement.Reconcile || !s.isWatched(c) {
		return true, nil
	}
	j, err := s.Settlement.Job(ctx, c.Slug)
	if err != nil || j == nil {
		return err == nil, err
	}
	if s.Now().Sub(j.LastBatchAt) < fortnight {
		return false, nil
	}
	report, err := s.Reconcile.Report(ctx, c.Slug)
	return err == nil && !report.Truncated && report.OpenBreaks == 0 &&
		report.ReconciledAt != nil && report.ReconciledAt.After(j.LastBatchAt), err
}

// markCampaignIdle deletes the stored replies of a campaign's objects and marks the campaign as
// idle.
func (s *Services) markCampaignIdle(ctx context.Context, c *campaign.Campaign, was state.IdleState) error {
	for _, class := range []string{inventory.ClassName, state.ClassName} {
		if err := kv.DropReplies(ctx, s.Coordinator, kv.Object{Class: class, Name: c.Slug}); err != nil {
			return err
		}
	}
	pause := forGood
	if s.isWatched(c) {
		pause = weekly
	}
	was.Slug = c.Slug
	_, err := s.Settlement.SetIdle(ctx, was, s.Now().Add(pause))
	return err
}

// isWatched reports whether an ended campaign is still reconciled automatically.
func (s *Services) isWatched(c *campaign.Campaign) bool {
	return s.Now().Sub(c.EndsAt(s.Config.Site.Timezone.Location())) <= watched
}

func sweepKey(slug string) string { return "cron:sweep:" + slug }
