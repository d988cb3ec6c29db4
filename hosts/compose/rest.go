package compose

import (
	"context"
	"errors"
	"slices"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/settlement"
)

const (
	// fortnight is how long the books of a campaign are held against the processor's every
	// day, from when something was last charged or tried.
	fortnight = 14 * daily
	// weekly is how long a campaign rests before it is looked at again, while it is watched.
	weekly = 7 * daily
	// forGood is how long it rests then. Whatever happens to it wakes it.
	forGood = 100 * 365 * daily
)

// rest puts the campaigns to rest in which a run of the hourly work found nothing to do:
// they are settled, their cards deleted, their records agree with their objects, and their
// books with the processor's. Before is what was known of their rest when the run began.
func (s *Services) rest(ctx context.Context, before map[string]settlement.Rest, r CronReport) error {
	zone := s.Config.Site.Timezone.Location()
	awake, err := s.Settlement.Awake(ctx)
	errs := []error{err}
	for _, c := range awake {
		busy := slices.Contains(r.Settling, c.Slug) || slices.Contains(r.Rebuilt, c.Slug) || slices.Contains(r.Reconciled, c.Slug)
		if busy || c.State(s.Now(), zone) != campaign.Ended {
			continue
		}
		over, err := s.over(ctx, c, before[c.Slug])
		if err == nil && over {
			err = s.layDown(ctx, c, before[c.Slug])
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// over reports whether nothing is left to do about a campaign.
func (s *Services) over(ctx context.Context, c *campaign.Campaign, was settlement.Rest) (bool, error) {
	if settled, err := s.Settlement.Settled(ctx, c); err != nil || !settled {
		return false, err
	}
	if from, _, err := kv.Read[int](ctx, s.Stores.Pledges, sweepKey(c.Slug)); err != nil || from != 0 {
		return false, err // its records were not all looked at
	}
	if gone, _, err := kv.Read[cards](ctx, s.Stores.Pledges, cardsKey(c.Slug)); err != nil || !gone.Done || gone.Woken != was.Woken || s.Now().Sub(gone.At) < lateWrites {
		return false, err
	}
	if !s.Config.Settlement.Reconcile || !s.watches(c) {
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

// layDown has a campaign's objects forget what nobody will ask for any more, and lets it
// rest.
func (s *Services) layDown(ctx context.Context, c *campaign.Campaign, was settlement.Rest) error {
	for _, class := range []string{inventory.ClassName, settlement.ClassName} {
		if err := kv.Forget(ctx, s.Coordinator, kv.Object{Class: class, Name: c.Slug}); err != nil {
			return err
		}
	}
	pause := forGood
	if s.watches(c) {
		pause = weekly
	}
	was.Slug = c.Slug
	_, err := s.Settlement.Rest(ctx, was, s.Now().Add(pause))
	return err
}

// watches reports whether a campaign that has ended is still reconciled by itself.
func (s *Services) watches(c *campaign.Campaign) bool {
	return s.Now().Sub(c.EndsAt(s.Config.Site.Timezone.Location())) <= watched
}

func sweepKey(slug string) string { return "cron:sweep:" + slug }
