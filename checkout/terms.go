package checkout

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/agreement"
	"github.com/pledgeworks/pledgeworks/checkout/cards"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// recordChange applies the external effects of a pledge's change, in this order:
// it records the terms at the processor, emails the supporter, and deletes the
// cards of an order whose pledges are all cancelled. It may be repeated.
func (s *Service) recordChange(ctx context.Context, p *pledge.Pledge) error {
	if err := s.recordTerms(ctx, p); err != nil {
		return err
	}
	if err := s.queueMail(ctx, p, p.History[len(p.History)-1].Type); err != nil {
		return err
	}
	if p.Status != pledge.Cancelled {
		return nil
	}
	return s.detachCancelled(ctx, p)
}

// maxTermWrites limits the writes of one recordTerms call. Only concurrent changes cause repeats.
const maxTermWrites = 5

// recordTerms records the terms of a pledge at the processor. A concurrent change may record its
// own terms just before this write; therefore, if the pledge was changed in the meantime,
// recordTerms records the newest terms again.
func (s *Service) recordTerms(ctx context.Context, p *pledge.Pledge) error {
	for range maxTermWrites {
		nonce, err := s.nonce()
		if err != nil {
			return err
		}
		if err := agreement.Record(ctx, s.Processor, p, nonce); err != nil {
			return processorError(err)
		}
		newest, err := s.Orders.Pledge(ctx, p.OrderID)
		if err != nil || newest.Revision == p.Revision {
			return err
		}
		p = newest
	}
	return fault.New(fault.Unavailable, "The pledge is being changed")
}

// detachCancelled deletes the cards of an order whose pledges are all cancelled. Otherwise
// settlement deletes them later.
func (s *Service) detachCancelled(ctx context.Context, p *pledge.Pledge) error {
	orderID, err := pledge.OrderOf(p.OrderID)
	if err != nil {
		return err
	}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil || o.CardsDetachedAt != nil || slices.ContainsFunc(o.Pledges, mayNeedCard) {
		return err
	}
	return s.detachCards(ctx, o)
}

// mayNeedCard reports whether a pledge is not cancelled, or is part of a settlement.
func mayNeedCard(p *pledge.Pledge) bool {
	return p.Status != pledge.Cancelled || p.Settlement != nil
}

func (s *Service) detachCards(ctx context.Context, o order.Order) error {
	saved, err := cards.Of(ctx, s.Processor, o)
	if err != nil {
		return processorError(err)
	}
	for _, card := range saved {
		err := s.Processor.DetachCard(ctx, card, "forget:"+card)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return processorError(err)
		}
	}
	return s.Orders.NoteCardsDetached(ctx, o.Manifest.OrderID)
}
