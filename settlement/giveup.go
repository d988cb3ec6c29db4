package settlement

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// GiveUp cancels a pledge that settlement can't charge, and tells its supporter: one that
// came after its supporter was charged, is of another currency, has no card, or is of an
// amount that the processor does not take. Any other is refused with code Conflict. It may
// be repeated.
func (s *Service) GiveUp(ctx context.Context, pledgeID string) (*pledge.Pledge, error) {
	p, err := s.Orders.Pledge(ctx, pledgeID)
	if err != nil {
		return nil, err
	}
	c, err := s.ended(p.CampaignSlug)
	if err != nil {
		return nil, err
	}
	if err := s.checkFunded(ctx, c); err != nil {
		return nil, err
	}
	if p.Status != pledge.Cancelled {
		if err := s.hopeless(ctx, p); err != nil {
			return nil, err
		}
		if p, err = s.Orders.Cancel(ctx, pledgeID, "given-up", time.Time{}); err != nil {
			return nil, err
		}
	}
	if p, err = s.Projector.Book(ctx, p, ""); err != nil {
		return nil, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return nil, err
	}
	if err := agreement.Record(ctx, s.Processor, p, nonce); err != nil {
		return nil, err
	}
	mail, err := notify.CancelledOf(p, c, s.Links, s.Zone, s.Now())
	if err != nil {
		return nil, err
	}
	return p, s.Outbox.Queue(ctx, mail)
}

// hopeless fails for a pledge that may still be charged.
func (s *Service) hopeless(ctx context.Context, p *pledge.Pledge) error {
	c, err := s.Catalogue().Campaign(p.CampaignSlug)
	if err != nil {
		return err
	}
	sup, err := s.Inventory.Supporter(ctx, c.Slug, pledge.EmailHash(p.Email))
	if err != nil {
		return err
	}
	parties, _, err := s.parties(ctx, c.Slug, sup)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(parties, func(pt party) bool { return slices.Contains(pt.ids(), p.OrderID) })
	if at < 0 {
		return fault.New(fault.Unavailable, "The pledge is not booked yet")
	}
	seen := s.foresee(c, parties[at])
	switch seen.verdict {
	case latePledge, foreign, tooSmall, tooLarge, noCustomer, disagreed:
		return nil
	case toCharge, nothingOwed, underWay, noNewCard, toDrop:
	}
	return fault.New(fault.Conflict, "The pledge is not stuck: settlement goes on with it (%s)", seen.verdict)
}
