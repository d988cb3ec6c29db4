package compose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

const (
	// feeLookupLimit is how many payments of a campaign one run looks up to fill in missing
	// processor fees.
	feeLookupLimit = 100
	// daily is the interval between two reconciliation passes of a campaign.
	daily = 24 * time.Hour
	// sharedPassWindow is how long before it is due a campaign's pass may run if another campaign's
	// pass is due, so that both can share one list of payments.
	sharedPassWindow = 6 * time.Hour
	// watched is how long after its deadline a campaign is reconciled automatically. It is longer
	// than the time in which any charge can be recovered and most charges can be disputed.
	watched = 120 * daily
)

// updateBooks fills in processor fees that were booked late. If reconciliation is enabled, it also
// reconciles every campaign whose settlement has begun, once a day while it is watched. It returns
// the slugs of the campaigns whose pass ran.
func (s *Services) updateBooks(ctx context.Context) ([]string, error) {
	awake, err := s.Settlement.ActiveCampaigns(ctx)
	if err != nil {
		return []string{}, err
	}
	var errs []error
	var ended []*campaign.Campaign
	zone := s.Config.Site.Timezone.Location()
	for _, c := range awake {
		if c.State(s.Now(), zone) != campaign.Ended || !s.isWatched(c) {
			continue
		}
		ended = append(ended, c)
		if _, err := s.Settlement.FillFinancials(ctx, c.Slug, feeLookupLimit); err != nil {
			errs = append(errs, fmt.Errorf("looking up fees of %s: %w", c.Slug, err))
		}
	}
	due, err := s.reconcileDue(ctx, ended)
	reconciled, failed := s.reconcile(ctx, due)
	return reconciled, errors.Join(append(errs, err, failed)...)
}

// unfinishedPassesKey stores the slugs of the campaigns whose pass continues in the next minute.
const unfinishedPassesKey = "cron:reconciling"

// reconcile runs the next part of these campaigns' passes and records which passes are unfinished.
// It returns the slugs of the campaigns whose pass ran: once the round's reads of single payments
// are used up, the others wait for the next minute.
func (s *Services) reconcile(ctx context.Context, due []*campaign.Campaign) ([]string, error) {
	reconciled, unfinished := []string{}, []string{}
	var errs []error
	round, err := s.Reconcile.Round(ctx, due...)
	if err != nil {
		return reconciled, err
	}
	for _, c := range due {
		report, ok, err := round.Run(ctx, c)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("reconciling %s: %w", c.Slug, err))
			continue // retried in the next hour
		case ok:
			reconciled = append(reconciled, c.Slug)
		}
		if !ok || report.Truncated {
			unfinished = append(unfinished, c.Slug)
		}
	}
	before, _, err := kv.Read[[]string](ctx, s.Stores.Pledges, unfinishedPassesKey)
	if err == nil && !slices.Equal(before, unfinished) {
		err = kv.Save(ctx, s.Stores.Pledges, unfinishedPassesKey, unfinished)
	}
	return reconciled, errors.Join(append(errs, err)...)
}

// continuePasses runs the next part of unfinished passes. It limits the requests per minute so that
// a hundred thousand charged pledges take about seven hours and use at most a third of Stripe's
// rate limit.
func (s *Services) continuePasses(ctx context.Context) error {
	slugs, _, err := kv.Read[[]string](ctx, s.Stores.Pledges, unfinishedPassesKey)
	if err != nil || len(slugs) == 0 || !s.Config.Settlement.Reconcile {
		return err
	}
	var due []*campaign.Campaign
	for _, slug := range slugs {
		if c, err := s.Campaigns().Campaign(slug); err == nil {
			due = append(due, c)
		}
	}
	_, err = s.reconcile(ctx, due)
	return err
}

// reconcileDue returns the campaigns whose pass is due. If there is one, it also returns those due
// within sharedPassWindow, because they can share its list of payments.
func (s *Services) reconcileDue(ctx context.Context, ended []*campaign.Campaign) ([]*campaign.Campaign, error) {
	var due, soon []*campaign.Campaign
	var errs []error
	for _, c := range ended {
		age, err := s.sinceReconciled(ctx, c.Slug)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("reconciling %s: %w", c.Slug, err))
		case age >= daily:
			due = append(due, c)
		case age >= daily-sharedPassWindow:
			soon = append(soon, c)
		}
	}
	if len(due) == 0 {
		return nil, errors.Join(errs...)
	}
	return append(due, soon...), errors.Join(errs...)
}

// sinceReconciled returns the time since a campaign's last pass ended. It returns daily if there is
// no valid last pass or one is unfinished, and 0 if reconciliation is disabled or the campaign's
// settlement has not begun.
func (s *Services) sinceReconciled(ctx context.Context, slug string) (time.Duration, error) {
	if !s.Config.Settlement.Reconcile {
		return 0, nil
	}
	_, settled, err := kv.Read[state.Job](ctx, s.Stores.Pledges, state.JobKey(slug))
	if err != nil || !settled {
		return 0, err
	}
	r, err := s.Reconcile.Report(ctx, slug)
	if err != nil || r.Truncated || r.ReconciledAt == nil {
		return daily, err
	}
	if r.ReconciledAt.After(s.Now()) { // recorded while the clock was wrong
		return daily, nil
	}
	return s.Now().Sub(*r.ReconciledAt), nil
}
