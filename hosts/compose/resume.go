package compose

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// lookBack is how far back from a restore, or from a first search, saved cards without an order are
// searched.
const lookBack = 45 * daily

// StopForRestore stops all charging and holds the queued emails because the database was restored,
// for example to a point in time. ResumeCharging then first searches for lost data.
func (s *Services) StopForRestore(ctx context.Context) (*state.Stopped, error) {
	stop := s.Settlement.Switch()
	if err := errors.Join(stop.StopForRestore(ctx), s.Outbox.Switch().StopForRestore(ctx)); err != nil {
		return nil, err
	}
	return stop.Stopped(ctx)
}

// ResumeCharging resumes charging and returns why it was stopped, or nil if it was not stopped.
// After a restore it first searches for data that the database has lost, and fails with code
// Conflict if an operator has to act. If anyway contains a reason, it skips these checks and stores
// the reason as evidence.
func (s *Services) ResumeCharging(ctx context.Context, anyway string) (*state.Stopped, error) {
	if err := state.CheckReason(anyway); anyway != "" && err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "%s", fault.Of(err).Message).In("anyway")
	}
	stop := s.Settlement.Switch()
	was, err := stop.Stopped(ctx)
	if err != nil || was == nil {
		return nil, err
	}
	switch {
	case was.Restored && anyway == "":
		err = s.checkSinceRestore(ctx, was.Since)
	case anyway != "":
		err = s.recordOverride(ctx, was.Since, anyway)
	}
	if err != nil {
		return nil, err
	}
	return stop.Resume(ctx)
}

func (s *Services) recordOverride(ctx context.Context, since time.Time, why string) error {
	w, err := evidence.Resumption{Reason: why, Stopped: since, At: s.Now()}.Write()
	if err != nil {
		return err
	}
	return s.Stores.Pledges.Apply(ctx, []kv.Write{w})
}

// checkSinceRestore fails with code Conflict if a saved card has no order, if a pledge has
// different terms at the processor, or if the books differ from the processor's by more than the
// next settlement imports.
func (s *Services) checkSinceRestore(ctx context.Context, restored time.Time) error {
	lost, err := s.Checkout.LostOrders(ctx, restored.Add(-lookBack))
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		return fault.New(fault.Conflict,
			"Saved cards without a pledge: %d, for example in session %s. List them with pledged orders, then resolve each",
			len(lost), lost[0].SessionID)
	}
	zone := s.Config.Site.Timezone.Location()
	for _, c := range s.Campaigns().Campaigns() {
		state := c.State(s.Now(), zone)
		if state == campaign.Upcoming || s.Now().Sub(c.EndsAt(zone)) > watched {
			continue
		}
		if err := s.checkTerms(ctx, c); err != nil {
			return err
		}
		if state == campaign.Live {
			continue
		}
		if err := s.checkBooks(ctx, c.Slug); err != nil {
			return err
		}
	}
	return nil
}

// checkTerms fails with code Conflict if the campaign has pledges with different terms at the
// processor that two operators have not decided to charge.
func (s *Services) checkTerms(ctx context.Context, c *campaign.Campaign) error {
	found, err := s.Settlement.FindDisagreements(ctx, c)
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(found, func(d state.Disagreement) bool { return d.Accepted() })
	if len(open) == 0 {
		return nil
	}
	return fault.New(fault.Conflict,
		"Pledges of %s with other terms in the processor's record: %d, for example %s. See pledged terms %s",
		c.Slug, len(open), open[0].PledgeID, c.Slug)
}

// checkBooks reconciles a campaign in one complete pass. It fails with code Conflict if a critical
// break other than a payment that is not booked is open.
func (s *Services) checkBooks(ctx context.Context, slug string) error {
	r, err := s.Reconcile.Report(ctx, slug)
	for passes := 0; err == nil && (r.Truncated || passes == 0); {
		if !r.Truncated {
			passes++ // the unfinished pass has ended
		}
		r, err = s.Reconcile.Run(ctx, slug, reconcile.MaxRetrievals)
	}
	if err != nil {
		return err
	}
	for _, b := range r.Breaks {
		if b.Severity == reconcile.Critical && b.Kind != reconcile.NotBooked {
			return fault.New(fault.Conflict, "The books of %s differ from the processor's (%s). See pledged reconcile %s",
				slug, b.Kind, slug)
		}
	}
	return nil
}
