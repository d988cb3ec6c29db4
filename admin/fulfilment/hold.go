package fulfilment

import (
	"context"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// Hold is whether the parcels of a pledge are held.
type Hold struct {
	OrderID string `json:"orderId"`
	// Reason is why they are held, "" if they are not.
	Reason pledge.HoldReason `json:"heldReason"`
}

// ChooseHold holds or releases the parcels of a disputed pledge, once per ChangeID. The reason is recorded
// as evidence. It fails with the errors of pledge.Pledge.ChooseHold, with code Invalid for a reason that is not a
// valid note, and with NotFound if the campaign has no such order.
func (s *Service) ChooseHold(ctx context.Context, b Batch, orderID string, choice pledge.HoldChoice,
	reason string) (Hold, error) {
	if err := b.check(); err != nil {
		return Hold{}, err
	}
	reason, err := parseNote(reason)
	if err != nil {
		return Hold{}, err
	}
	p, err := s.Find(ctx, b.CampaignSlug, orderID)
	if err != nil {
		return Hold{}, err
	}
	done, err := s.Orders.ChooseHold(ctx, b.actOn(p), choice, reason)
	if err != nil {
		return Hold{}, err
	}
	return Hold{p.OrderID, done.Pledge.Held()}, s.Projector.BookIfStale(ctx, done.Pledge)
}
