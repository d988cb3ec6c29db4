package checkout

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

var errStillOpen = errors.New("checkout: the session is still open")

// sweepRetryDelay is the delay before an undecided hold is swept again.
const sweepRetryDelay = 5 * time.Minute

// Sweep processes expired holds, at most limit per campaign and for the platform, and up to limit
// checkouts with missing effects. It determines the result of the step that created a hold,
// completes interrupted steps, and releases units that are no longer needed. Holds that cannot be
// decided are retried by a later sweep. If a campaign cannot be read, Sweep processes the others
// and returns the last error.
func (s *Service) Sweep(ctx context.Context, limit int) (Swept, error) {
	var t Swept
	// The platform is first because campaigns publish its remaining stock.
	failed := s.sweepObject(ctx, inventory.Platform, limit, &t)
	awake, err := s.awakeCampaigns(ctx)
	if err != nil {
		failed = err
	}
	for _, c := range awake {
		if err := s.sweepObject(ctx, c.Slug, limit, &t); err != nil {
			failed = err
		}
	}
	if err := s.sweepPending(ctx, limit, &t); err != nil {
		failed = err
	}
	return t, failed
}

// sweepPage is how many holds SweepCampaign reads at a time.
const sweepPage = 100

// SweepCampaign sweeps all expired holds of one campaign. Holds that cannot be decided are
// skipped.
func (s *Service) SweepCampaign(ctx context.Context, slug string) (Swept, error) {
	var t Swept
	for {
		decided := t.Booked + t.Released
		if err := s.sweepObject(ctx, slug, sweepPage, &t); err != nil || t.Booked+t.Released == decided {
			return t, err
		}
	}
}

func (s *Service) awakeCampaigns(ctx context.Context) ([]*campaign.Campaign, error) {
	if s.Awake == nil {
		return s.Catalogue().Campaigns(), nil
	}
	return s.Awake(ctx)
}

func (s *Service) sweepObject(ctx context.Context, object string, limit int, t *Swept) error {
	holds, err := s.Inventory.Due(ctx, object, s.Now(), limit)
	if err != nil {
		return err
	}
	for _, h := range holds {
		t.Seen++
		booked, err := s.sweepHold(ctx, object, h)
		switch {
		case err != nil:
			t.Left++
			s.Log.WarnContext(ctx, "could not process hold", "hold", h.ID, "code",
				string(fault.CodeOf(err)), "error", err.Error())
			s.delayHold(ctx, object, h)
		case booked:
			t.Booked++
		default:
			t.Released++
		}
	}
	return nil
}

// delayHold extends an undecided hold, so that it does not delay the others.
func (s *Service) delayHold(ctx context.Context, object string, h inventory.Hold) {
	if _, err := s.Inventory.Extend(ctx, object, h.ID, s.Now().Add(sweepRetryDelay)); err != nil {
		s.Log.WarnContext(ctx, "could not extend hold", "hold", h.ID, "error", err.Error())
	}
}

// sweepHold decides one hold. It reports whether the hold's pledge is booked; otherwise the hold
// was released.
func (s *Service) sweepHold(ctx context.Context, object string, h inventory.Hold) (booked bool, err error) {
	o, err := s.Orders.Get(ctx, h.Order)
	if fault.Is(err, fault.NotFound) {
		return false, s.releaseHold(ctx, object, h)
	}
	if err != nil {
		return false, err
	}
	if o.State == order.Confirmed {
		return true, s.sweepPledge(ctx, object, h)
	}
	ended, err := s.endOrder(ctx, o, stemOf(h))
	switch {
	case err == nil && ended.State == order.Confirmed:
		return true, s.sweepPledge(ctx, object, h)
	case fault.Is(err, fault.SoldOut): // abandoned, then completed too late
		return false, s.releaseHold(ctx, object, h)
	case err != nil:
		return false, err
	}
	if err := s.releaseHold(ctx, object, h); err != nil {
		return false, err
	}
	return false, s.recordEnd(ctx, ended, nil, nil)
}

// releaseHold releases a hold's units and refreshes the public numbers.
func (s *Service) releaseHold(ctx context.Context, object string, h inventory.Hold) error {
	if err := s.Inventory.Release(ctx, object, h.ID); err != nil || object == inventory.Platform {
		return err
	}
	return s.Projector.Refresh(ctx, object)
}

// sweepPledge books a pledge in its current state, after ensuring that the step that created the
// hold can no longer be applied. The hold may have units that the pledge does not have; it is
// released last.
func (s *Service) sweepPledge(ctx context.Context, object string, h inventory.Hold) error {
	if err := s.cancelChange(ctx, h); err != nil {
		return err
	}
	p, err := s.Orders.Pledge(ctx, h.Pledge)
	if err != nil {
		return err
	}
	units := h.ID
	if isIntentHold(h) {
		units = ""
	}
	if err := s.applyEffects(ctx, p, units); err != nil {
		return err
	}
	return s.Inventory.Release(ctx, object, h.ID)
}

// applyEffects applies the effects of a pledge's latest change: accounts,
// projections, the terms at the processor, mail, and the deletion of unneeded
// cards.
func (s *Service) applyEffects(ctx context.Context, p *pledge.Pledge, hold string) error {
	p, err := s.Projector.Book(ctx, p, hold)
	if err != nil {
		return err
	}
	return s.recordChange(ctx, p)
}
