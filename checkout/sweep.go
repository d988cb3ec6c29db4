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

// sweepLater is when a hold that could not be decided is looked at again.
const sweepLater = 5 * time.Minute

// Sweep looks after what is due, at most limit holds of each campaign and of
// the platform, and as many checkouts whose consequences are not all drawn: it finds out how the step that took them ended, finishes what
// was broken off, and gives back what nobody can have any more. What cannot be
// known now is left for the next time. The error is the last one of a campaign
// that could not be asked at all; the others were looked after all the same.
func (s *Service) Sweep(ctx context.Context, limit int) (Swept, error) {
	var t Swept
	failed := s.sweepObject(ctx, inventory.Platform, limit, &t) // campaigns show what it leaves
	awake, err := s.awake(ctx)
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

// sweepPage is how many holds SweepCampaign takes up at once.
const sweepPage = 100

// SweepCampaign is Sweep for all that is due of one campaign, whatever it takes. What can't
// be decided now is left.
func (s *Service) SweepCampaign(ctx context.Context, slug string) (Swept, error) {
	var t Swept
	for {
		decided := t.Booked + t.Released
		if err := s.sweepObject(ctx, slug, sweepPage, &t); err != nil || t.Booked+t.Released == decided {
			return t, err
		}
	}
}

func (s *Service) awake(ctx context.Context) ([]*campaign.Campaign, error) {
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
			s.Log.WarnContext(ctx, "a hold cannot be decided yet", "hold", h.ID, "code", string(fault.CodeOf(err)), "error", err.Error())
			s.later(ctx, object, h)
		case booked:
			t.Booked++
		default:
			t.Released++
		}
	}
	return nil
}

// later keeps a hold that cannot be decided from standing in the way of others.
func (s *Service) later(ctx context.Context, object string, h inventory.Hold) {
	if _, err := s.Inventory.Extend(ctx, object, h.ID, s.Now().Add(sweepLater)); err != nil {
		s.Log.WarnContext(ctx, "a hold cannot be put off", "hold", h.ID, "error", err.Error())
	}
}

// sweepHold decides one hold, and reports whether it was booked or, otherwise,
// released.
func (s *Service) sweepHold(ctx context.Context, object string, h inventory.Hold) (booked bool, err error) {
	o, err := s.Orders.Get(ctx, h.Order)
	if fault.Is(err, fault.NotFound) {
		return false, s.drop(ctx, object, h)
	}
	if err != nil {
		return false, err
	}
	if o.State == order.Confirmed {
		return true, s.sweepPledge(ctx, object, h)
	}
	ended, err := s.end(ctx, o, stemOf(h))
	switch {
	case err == nil && ended.State == order.Confirmed:
		return true, s.sweepPledge(ctx, object, h)
	case fault.Is(err, fault.SoldOut): // given up, completed all the same, and too late
		return false, s.drop(ctx, object, h)
	case err != nil:
		return false, err
	}
	if err := s.drop(ctx, object, h); err != nil {
		return false, err
	}
	return false, s.noteEnd(ctx, ended, nil, nil)
}

// drop gives a hold's units back, to the eyes of the public too.
func (s *Service) drop(ctx context.Context, object string, h inventory.Hold) error {
	if err := s.Inventory.Release(ctx, object, h.ID); err != nil || object == inventory.Platform {
		return err
	}
	return s.Projector.Refresh(ctx, object)
}

// sweepPledge books a pledge as it is now, whatever the hold was taken for, once
// the step that took it can no longer happen. An intent goes last; a hold may
// be of units that the pledge does not have after all.
func (s *Service) sweepPledge(ctx context.Context, object string, h inventory.Hold) error {
	if err := s.endChange(ctx, h); err != nil {
		return err
	}
	p, err := s.Orders.Pledge(ctx, h.Pledge)
	if err != nil {
		return err
	}
	units := h.ID
	if isIntent(h) {
		units = ""
	}
	if err := s.follow(ctx, p, units); err != nil {
		return err
	}
	return s.Inventory.Release(ctx, object, h.ID)
}

// follow does what follows from a pledge's latest change: its accounts, its projections, the
// terms at the processor, its mail, and the deletion of cards that are not needed any more.
func (s *Service) follow(ctx context.Context, p *pledge.Pledge, hold string) error {
	p, err := s.Projector.Book(ctx, p, hold)
	if err != nil {
		return err
	}
	return s.recordChange(ctx, p)
}
