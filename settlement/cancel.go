package settlement

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// CancelUnchargeable cancels a pledge that settlement cannot charge and emails its supporter. A
// pledge cannot be charged if it is in another currency, if it has no card or an amount that the
// processor does not accept, or if its terms at the processor differ. The same is true for a pledge
// that was made after its supporter was charged or dropped. CancelUnchargeable can be repeated.
//
// It fails with code NotFound for an unknown pledge, and with Conflict for any other pledge and for
// a campaign that cannot be settled.
func (s *Service) CancelUnchargeable(ctx context.Context, pledgeID string) (*pledge.Pledge, error) {
	p, err := s.Orders.Pledge(ctx, pledgeID)
	if err != nil {
		return nil, err
	}
	c, err := s.endedCampaign(p.CampaignSlug)
	if err != nil {
		return nil, err
	}
	if err := s.checkFunded(ctx, c); err != nil {
		return nil, err
	}
	if p.Status != pledge.Cancelled {
		g, err := s.stuckGroup(ctx, p)
		if err != nil {
			return nil, err
		}
		if p, err = s.cancel(ctx, pledgeID, g); err != nil {
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
	mail, err := mailtext.CancelledMail(p, c, s.Links, s.Zone, s.Now())
	if err != nil {
		return nil, err
	}
	return p, s.Outbox.Queue(ctx, mail)
}

// CanCancel reports whether CancelUnchargeable would cancel a pledge now.
func (s *Service) CanCancel(ctx context.Context, p *pledge.Pledge) (bool, error) {
	if p.Status == pledge.Cancelled || p.Charged {
		return false, nil
	}
	c, err := s.endedCampaign(p.CampaignSlug)
	if err == nil {
		err = s.checkFunded(ctx, c)
	}
	if err == nil {
		_, err = s.stuckGroup(ctx, p)
	}
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.Unavailable) {
		return false, nil
	}
	return err == nil, err
}

// cancel cancels a pledge of a group, which may be nil. A claim for a void attempt does not
// prevent the cancellation.
func (s *Service) cancel(ctx context.Context, pledgeID string, g *state.Group) (*pledge.Pledge, error) {
	const nonce = "given-up"
	if g != nil && g.Done() && g.Void {
		return s.Orders.CancelClaimed(ctx, pledgeID, nonce, g.Hash, g.Generation)
	}
	return s.Orders.Cancel(ctx, pledgeID, nonce, time.Time{})
}

// stuckGroup returns the group of a pledge, or nil if it has none. It fails with code Conflict if
// the pledge is charged or may still be charged, and with Unavailable if it is not booked yet.
func (s *Service) stuckGroup(ctx context.Context, p *pledge.Pledge) (*state.Group, error) {
	c, err := s.Catalogue().Campaign(p.CampaignSlug)
	if err != nil {
		return nil, err
	}
	sup, err := s.Inventory.Supporter(ctx, c.Slug, pledge.EmailHash(p.Email))
	if err != nil {
		return nil, err
	}
	groups, _, err := s.chargeGroups(ctx, c.Slug, sup)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(groups, func(cg chargeGroup) bool { return slices.Contains(cg.ids(), p.OrderID) })
	if at < 0 {
		return nil, fault.New(fault.Unavailable, "The pledge is not booked yet")
	}
	g, err := s.groupOf(ctx, p)
	if err != nil || g != nil && g.Status == state.Succeeded {
		return nil, cmp.Or(err, error(fault.New(fault.Conflict, "The pledge is charged")))
	}
	seen := s.planCharge(c, groups[at])
	switch seen.verdict {
	case latePledge, otherCurrency, tooSmall, tooLarge, noCustomer:
		return g, nil
	case disagreed, toCharge:
		if held, err := s.isDisagreed(ctx, c, p.OrderID); err != nil || held {
			return g, err
		}
	case nothingOwed, underWay, noNewCard, toDrop:
	}
	return nil, fault.New(fault.Conflict, "The pledge can still be charged (%s)", seen.verdict)
}

// isDisagreed reports whether a pledge's terms differ from the processor's record and operators
// have not accepted its amount.
func (s *Service) isDisagreed(ctx context.Context, c *campaign.Campaign, pledgeID string) (bool, error) {
	d, err := s.disagreementOf(ctx, c, pledgeID)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && !d.Accepted(), err
}
