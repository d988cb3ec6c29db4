// Package cards finds the saved cards of an order at the processor, so that they
// can be deleted once they are no longer needed for charges.
package cards

import (
	"context"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Of returns the IDs of the payment methods that were saved for an order: those of its pledges and
// those that were replaced. It reads sessions at the processor only if a card update was started.
func Of(ctx context.Context, p psp.Processor, o order.Order) ([]string, error) {
	var saved []string
	for _, pl := range o.Pledges {
		saved = append(saved, pl.PaymentMethodID)
	}
	if len(o.CardSessions) > 0 {
		sessions := []string{o.SessionID}
		for _, s := range o.CardSessions {
			sessions = append(sessions, s.SessionID)
		}
		for _, id := range sessions {
			s, err := p.Session(ctx, id)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
			saved = append(saved, s.PaymentMethodID)
		}
	}
	slices.Sort(saved)
	return slices.DeleteFunc(slices.Compact(saved), func(id string) bool { return id == "" }), nil
}
