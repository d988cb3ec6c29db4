package compose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement"
)

const (
	// figuresAtOnce is how many payments one run asks after for late figures.
	figuresAtOnce = 100
	// daily is the time between two passes of a campaign's reconciliation.
	daily = 24 * time.Hour
	// together is by how much one comes early that shares another's list.
	together = 6 * time.Hour
	// watched is how long after its deadline a campaign is reconciled by itself:
	// longer than any charge can be made good, and than most are disputed.
	watched = 120 * daily
)

// books takes over late figures and, where that is turned on, reconciles what is
// due: every campaign that was funded, once a day, for as long as it is watched.
func (s *Services) books(ctx context.Context) ([]string, error) {
	awake, err := s.Settlement.Awake(ctx)
	if err != nil {
		return []string{}, err
	}
	var errs []error
	var ended []*campaign.Campaign
	zone := s.Config.Site.Timezone.Location()
	for _, c := range awake {
		if c.State(s.Now(), zone) != campaign.Ended || !s.watches(c) {
			continue
		}
		ended = append(ended, c)
		if _, err := s.Settlement.FillFinancials(ctx, c.Slug, figuresAtOnce); err != nil {
			errs = append(errs, fmt.Errorf("figures of %s: %w", c.Slug, err))
		}
	}
	due, err := s.reconcileDue(ctx, ended)
	reconciled, failed := s.reconcile(ctx, due)
	return reconciled, errors.Join(append(errs, err, failed)...)
}

// underWayKey holds the slugs of the campaigns whose pass goes on with the next minute.
const underWayKey = "cron:reconciling"

// reconcile does the next part of these campaigns' passes, and notes which are not at
// their end.
func (s *Services) reconcile(ctx context.Context, due []*campaign.Campaign) ([]string, error) {
	reconciled, underWay := []string{}, []string{}
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
			continue // until the next hour
		case ok:
			reconciled = append(reconciled, c.Slug)
		}
		if !ok || report.Truncated {
			underWay = append(underWay, c.Slug)
		}
	}
	was, _, err := kv.Read[[]string](ctx, s.Stores.Pledges, underWayKey)
	if err == nil && !slices.Equal(was, underWay) {
		err = kv.Save(ctx, s.Stores.Pledges, underWayKey, underWay)
	}
	return reconciled, errors.Join(append(errs, err)...)
}

// reconcileOn goes on with the passes that are under way. In a minute so much is asked of
// the processor that a hundred thousand charged pledges take seven hours, a third of its
// limit at the most.
func (s *Services) reconcileOn(ctx context.Context) error {
	underWay, _, err := kv.Read[[]string](ctx, s.Stores.Pledges, underWayKey)
	if err != nil || len(underWay) == 0 || !s.Config.Settlement.Reconcile {
		return err
	}
	var due []*campaign.Campaign
	for _, slug := range underWay {
		if c, err := s.Campaigns().Campaign(slug); err == nil {
			due = append(due, c)
		}
	}
	_, err = s.reconcile(ctx, due)
	return err
}

// reconcileDue returns the campaigns whose pass is due. Where one is, those go along that
// would be before long: they share its list.
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
		case age >= daily-together:
			soon = append(soon, c)
		}
	}
	if len(due) == 0 {
		return nil, errors.Join(errs...)
	}
	return append(due, soon...), errors.Join(errs...)
}

// sinceReconciled is how long ago a campaign's last pass ended; a day where one was never
// made or is under way, and nothing where none is to be.
func (s *Services) sinceReconciled(ctx context.Context, slug string) (time.Duration, error) {
	if !s.Config.Settlement.Reconcile {
		return 0, nil
	}
	_, settled, err := kv.Read[settlement.Job](ctx, s.Stores.Pledges, settlement.JobKey(slug))
	if err != nil || !settled {
		return 0, err
	}
	r, err := s.Reconcile.Report(ctx, slug)
	if err != nil || r.Truncated || r.ReconciledAt == nil {
		return daily, err
	}
	if r.ReconciledAt.After(s.Now()) { // a wrong clock recorded it
		return daily, nil
	}
	return s.Now().Sub(*r.ReconciledAt), nil
}
