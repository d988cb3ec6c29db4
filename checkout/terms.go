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

// recordChange does what follows from a change of a pledge outside of our records, in this
// order: the terms are recorded at the processor, the supporter is emailed, and the cards of an
// order whose pledges are all cancelled are deleted. It may be repeated.
func (s *Service) recordChange(ctx context.Context, p *pledge.Pledge) error {
	if err := s.recordTerms(ctx, p); err != nil {
		return err
	}
	if err := s.mail(ctx, p, p.History[len(p.History)-1].Type); err != nil {
		return err
	}
	if p.Status != pledge.Cancelled {
		return nil
	}
	return s.detachCancelled(ctx, p)
}

// maxTermWrites bounds the repeats of recordTerms; each is caused by another change meanwhile.
const maxTermWrites = 5

// recordTerms records the terms of a pledge at the processor. If the pledge was changed again
// meanwhile, the write of that change may have been overtaken by this one: the newest terms are
// written once more.
func (s *Service) recordTerms(ctx context.Context, p *pledge.Pledge) error {
	for range maxTermWrites {
		nonce, err := s.nonce()
		if err != nil {
			return err
		}
		if err := agreement.Record(ctx, s.Processor, p, nonce); err != nil {
			return outside(err)
		}
		newest, err := s.Orders.Pledge(ctx, p.OrderID)
		if err != nil || newest.Revision == p.Revision {
			return err
		}
		p = newest
	}
	return fault.New(fault.Unavailable, "The pledge is being changed")
}

// detachCancelled deletes the cards of an order that has only cancelled pledges. Where another
// pledge is uncharged, or was charged, settlement deletes them.
func (s *Service) detachCancelled(ctx context.Context, p *pledge.Pledge) error {
	orderID, err := pledge.OrderOf(p.OrderID)
	if err != nil {
		return err
	}
	o, err := s.Orders.Get(ctx, orderID)
	if err != nil || o.CardsDetachedAt != nil || slices.ContainsFunc(o.Pledges, isNotCancelled) {
		return err
	}
	return s.detachCards(ctx, o)
}

func isNotCancelled(p *pledge.Pledge) bool {
	return p.Status != pledge.Cancelled || p.Settlement != nil
}

func (s *Service) detachCards(ctx context.Context, o order.Order) error {
	saved, err := cards.Of(ctx, s.Processor, o)
	if err != nil {
		return outside(err)
	}
	for _, card := range saved {
		err := s.Processor.DetachCard(ctx, card, "forget:"+card)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return outside(err)
		}
	}
	return s.Orders.NoteCardsDetached(ctx, o.Manifest.OrderID)
}
