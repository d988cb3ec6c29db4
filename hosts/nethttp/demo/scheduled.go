package demo

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// runScheduled does the work that a server does every hour: it settles campaigns whose deadline has
// passed, closes those that missed their goal, and sends emails.
func (d *Demo) runScheduled(ctx context.Context) error {
	s := d.App.Services
	due, err := s.Settlement.DueCampaigns(ctx)
	if err != nil {
		return err
	}
	for _, slug := range due {
		// The background worker may settle it at the same time.
		if _, err := s.Settlement.Settle(ctx, slug, false); err != nil && !fault.Is(err, fault.Conflict) &&
			!fault.Is(err, fault.Busy) {
			return err
		}
	}
	if _, err := s.Cron(ctx); err != nil {
		return err
	}
	_, err = s.Outbox.Drain(ctx, drainLimit)
	return err
}

const (
	// shortStep is how far the clock moves between two runs of the scheduled work. If that would
	// take more than maxSteps steps, they are longer.
	shortStep = 6 * time.Hour
	maxSteps  = 60
)

// advanceInSteps moves the clock to a later time in steps and does the scheduled work after each.
func (d *Demo) advanceInSteps(ctx context.Context, to time.Time) error {
	step := max(shortStep, to.Sub(d.Clock.Now())/maxSteps)
	for at := d.Clock.Now(); at.Before(to); at = d.Clock.Now() {
		next := at.Add(step)
		if next.After(to) {
			next = to
		}
		if err := d.Clock.MoveTo(next); err != nil {
			return err
		}
		if err := d.runScheduled(ctx); err != nil {
			return err
		}
	}
	return nil
}
