package compose

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

const (
	// figuresAtOnce is how many payments one run asks after for late figures.
	figuresAtOnce = 100
	// daily is the time between two passes of a campaign's reconciliation.
	daily = 24 * time.Hour
	// watched is how long after its deadline a campaign is reconciled by itself:
	// longer than any charge can be made good, and than most are disputed.
	watched = 120 * daily
)

// books takes over late figures and, where that is turned on, reconciles what is
// due: every campaign that was funded, once a day, for as long as it is watched.
func (s *Services) books(ctx context.Context) ([]string, error) {
	reconciled := []string{}
	var errs []error
	awake, err := s.Settlement.Awake(ctx)
	if err != nil {
		return reconciled, err
	}
	for _, c := range awake {
		zone := s.Config.Site.Timezone.Location()
		if c.State(s.Now(), zone) != campaign.Ended || !s.watches(c) {
			continue
		}
		if _, err := s.Settlement.FillFinancials(ctx, c.Slug, figuresAtOnce); err != nil {
			errs = append(errs, fmt.Errorf("figures of %s: %w", c.Slug, err))
		}
		due, err := s.reconcileDue(ctx, c.Slug)
		if err == nil && due {
			_, err = s.Reconcile.Run(ctx, c.Slug, reconcile.MaxRetrievals)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("reconciling %s: %w", c.Slug, err))
		} else if due {
			reconciled = append(reconciled, c.Slug)
		}
	}
	return reconciled, errors.Join(errs...)
}

func (s *Services) reconcileDue(ctx context.Context, slug string) (bool, error) {
	if !s.Config.Settlement.Reconcile {
		return false, nil
	}
	_, settled, err := kv.Read[settlement.Job](ctx, s.Stores.Pledges, settlement.JobKey(slug))
	if err != nil || !settled {
		return false, err
	}
	r, err := s.Reconcile.Report(ctx, slug)
	return err == nil && (r.Truncated || r.ReconciledAt == nil || s.Now().Sub(*r.ReconciledAt) >= daily), err
}
