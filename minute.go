package pledgeworks

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// minuteLimit is the maximum number of expired reservations, and of mails, that one run of
// Minute processes.
const minuteLimit = 100

// Minute runs the periodic background work: it releases expired reservations, settles
// campaigns whose deadline has passed, resumes interrupted settlements, and sends
// mails. Call it once a minute; runs may overlap, on any number of servers. If one part
// fails, the others still run.
func (s *Services) Minute(ctx context.Context) error {
	_, swept := s.Checkout.Sweep(ctx, minuteLimit)
	_, settled := s.SettleDue(ctx)
	resumed := s.Resume(ctx)
	_, drained := s.Outbox.Drain(ctx, minuteLimit)
	return errors.Join(swept, settled, resumed, drained, s.Evidence.Flush(ctx))
}

// SettleDue starts the settlements that are due and returns the campaigns for which that
// succeeded. If no Next is set, it runs each settlement to its end. It does nothing while
// charging is off.
func (s *Services) SettleDue(ctx context.Context) ([]string, error) {
	started := []string{}
	if is, err := s.Settlement.ChargingOff(ctx); err != nil || is {
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

// Resume continues interrupted settlements. It does nothing while charging is off.
func (s *Services) Resume(ctx context.Context) error {
	if is, err := s.Settlement.ChargingOff(ctx); err != nil || is {
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

// dispatch starts a settlement and, if no Next is set, runs it to its end.
func (s *Services) dispatch(ctx context.Context, slug string) error {
	p, err := s.Settlement.Dispatch(ctx, slug)
	for err == nil && s.Settlement.Next == nil && p.Status == state.JobRunning {
		p, err = s.Settlement.Batch(ctx, settlement.BatchRequest{CampaignSlug: slug})
	}
	if fault.Is(err, fault.Busy) {
		return nil // another run is active
	}
	return err
}
