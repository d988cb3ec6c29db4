package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Carts stores the data for abandoned-cart reminders of supporters who opted in.
// It is implemented by reminder.Carts.
type Carts interface {
	// StartWrites returns the writes to apply once the checkout has a session. The
	// text is the cart, as written by formatCart.
	StartWrites(ctx context.Context, m order.Manifest, text string) ([]kv.Write, error)
	// EndWrites returns the writes to apply once the checkout has pledges. It may be
	// called repeatedly.
	EndWrites(ctx context.Context, m order.Manifest) ([]kv.Write, error)
}

func (s *Service) cartStartWrites(ctx context.Context, m order.Manifest) ([]kv.Write, error) {
	if s.Carts == nil {
		return nil, nil
	}
	return s.Carts.StartWrites(ctx, m, formatCart(m))
}

func (s *Service) cartEndWrites(ctx context.Context, m order.Manifest) ([]kv.Write, error) {
	if s.Carts == nil {
		return nil, nil
	}
	return s.Carts.EndWrites(ctx, m)
}
