package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Carts stores the data for abandoned-cart reminders of supporters who opted in.
// It is implemented by reminder.Carts.
type Carts interface {
	// Started returns the writes to apply once the checkout has a session. The
	// text is the cart, as written by formatCart.
	Started(ctx context.Context, m order.Manifest, text string) ([]kv.Write, error)
	// Ended returns the writes to apply once the checkout has pledges. It may be
	// called repeatedly.
	Ended(ctx context.Context, m order.Manifest) ([]kv.Write, error)
}

func (s *Service) cartStarted(ctx context.Context, m order.Manifest) ([]kv.Write, error) {
	if s.Carts == nil {
		return nil, nil
	}
	return s.Carts.Started(ctx, m, formatCart(m))
}

func (s *Service) cartEnded(ctx context.Context, m order.Manifest) ([]kv.Write, error) {
	if s.Carts == nil {
		return nil, nil
	}
	return s.Carts.Ended(ctx, m)
}
