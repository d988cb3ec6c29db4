package compose

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/evidence"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

// lookBack is how long before a restore a card may have been saved that its backup does
// not know.
const lookBack = 45 * daily

// ResumeCharging resumes charging and returns why it was stopped, nil if it was not. After a
// restore it first checks everything that a backup cannot know, and fails with code Conflict if
// something waits for an operator. A reason in anyway resumes all the same and is kept as
// evidence.
func (s *Services) ResumeCharging(ctx context.Context, anyway string) (*settlement.Stopped, error) {
	if err := settlement.CheckReason(anyway); anyway != "" && err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "%s", fault.Of(err).Message).In("anyway")
	}
	stop := s.Settlement.Switch()
	was, err := stop.Stopped(ctx)
	if err != nil || was == nil {
		return nil, err
	}
	switch {
	case was.Restored && anyway == "":
		err = s.cleanSince(ctx, was.Since)
	case anyway != "":
		err = s.noteAnyway(ctx, was.Since, anyway)
	}
	if err != nil {
		return nil, err
	}
	return stop.Resume(ctx)
}

func (s *Services) noteAnyway(ctx context.Context, since time.Time, why string) error {
	w, err := evidence.Resumption{Reason: why, Stopped: since, At: s.Now()}.Write()
	if err != nil {
		return err
	}
	return s.Stores.Pledges.Apply(ctx, []kv.Write{w})
}

// cleanSince fails with code Conflict if a saved card has no order, if a pledge has other terms at
// the processor, or if the books differ from the processor's by more than the next settlement
// imports.
func (s *Services) cleanSince(ctx context.Context, restored time.Time) error {
	lost, err := s.Checkout.LostOrders(ctx, restored.Add(-lookBack))
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		return fault.New(fault.Conflict, "%d saved cards have no pledge, such as that of %s: list them by pledged orders, and end each", len(lost), lost[0].SessionID)
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
		if err := s.cleanBooks(ctx, c.Slug); err != nil {
			return err
		}
	}
	return nil
}

// checkTerms fails with code Conflict if pledges of a campaign have other terms at the processor
// and operators have not decided about them.
func (s *Services) checkTerms(ctx context.Context, c *campaign.Campaign) error {
	found, err := s.Settlement.FindDisagreements(ctx, c)
	if err != nil {
		return err
	}
	open := slices.DeleteFunc(found, func(d settlement.Disagreement) bool { return d.Accepted() })
	if len(open) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "%d pledges of %s have other terms at the processor, such as %s: see pledged terms %s", len(open), c.Slug, open[0].PledgeID, c.Slug)
}

// cleanBooks reconciles a campaign by a whole pass of its own.
func (s *Services) cleanBooks(ctx context.Context, slug string) error {
	r, err := s.Reconcile.Report(ctx, slug)
	for passes := 0; err == nil && (r.Truncated || passes == 0); {
		if !r.Truncated {
			passes++ // one that was under way has ended before
		}
		r, err = s.Reconcile.Run(ctx, slug, reconcile.MaxRetrievals)
	}
	if err != nil {
		return err
	}
	for _, b := range r.Breaks {
		if b.Severity == reconcile.Critical && b.Kind != reconcile.NotBooked {
			return fault.New(fault.Conflict, "The books of %s differ from the processor's (%s): see pledged reconcile %s", slug, b.Kind, slug)
		}
	}
	return nil
}
