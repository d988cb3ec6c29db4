package pledgeworks

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// minuteLimit is how many records the minute's work takes up at once.
const minuteLimit = 100

// Minute does what waits for nobody's request: it looks after reservations that are due,
// settles campaigns whose deadline has passed, goes on with what somebody has begun and
// left, and sends mails. A program calls it once a minute; runs may overlap, on any number
// of servers. A part that fails keeps no other from running.
func (s *Services) Minute(ctx context.Context) error {
	_, swept := s.Checkout.Sweep(ctx, minuteLimit)
	_, settled := s.SettleDue(ctx)
	resumed := s.Resume(ctx)
	_, drained := s.Outbox.Drain(ctx, minuteLimit)
	return errors.Join(swept, settled, resumed, drained, s.Evidence.Flush(ctx))
}

// SettleDue begins the settlements whose time has come, and returns their campaigns.
func (s *Services) SettleDue(ctx context.Context) ([]string, error) {
	started := []string{}
	if is, err := s.Settlement.Idle(ctx); err != nil || is {
		return started, err
	}
	due, err := s.Settlement.DueCampaigns(ctx)
	errs := []error{err}
	for _, slug := range due {
		if err := s.dispatch(ctx, slug); err != nil {
			errs = append(errs, err)
			continue
		}
		started = append(started, slug)
	}
	return started, errors.Join(errs...)
}

// Resume goes on with settlements that somebody has begun and left.
func (s *Services) Resume(ctx context.Context) error {
	if is, err := s.Settlement.Idle(ctx); err != nil || is {
		return err
	}
	stalled, err := s.Settlement.Stalled(ctx)
	errs := []error{err}
	for _, slug := range stalled {
		if next := s.Settlement.Next; next != nil {
			errs = append(errs, next(ctx, slug))
		} else {
			errs = append(errs, s.dispatch(ctx, slug))
		}
	}
	return errors.Join(errs...)
}

// dispatch starts a settlement, and goes through with it where nobody else would.
func (s *Services) dispatch(ctx context.Context, slug string) error {
	p, err := s.Settlement.Dispatch(ctx, slug)
	for err == nil && s.Settlement.Next == nil && p.Status == settlement.JobRunning {
		p, err = s.Settlement.Batch(ctx, settlement.BatchRequest{CampaignSlug: slug})
	}
	if fault.Is(err, fault.Busy) {
		return nil // another run is at it
	}
	return err
}
