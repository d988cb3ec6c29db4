package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Carts keeps what reminds a supporter of a checkout that was left, where they want that:
// reminder.Carts does.
type Carts interface {
	// Started returns what is written once the session of a checkout is there. The text is
	// what was chosen.
	Started(ctx context.Context, m order.Manifest, text string) ([]kv.Write, error)
	// Ended returns what is written once its pledges are made. It may be asked again.
	Ended(ctx context.Context, m order.Manifest) ([]kv.Write, error)
}

func (s *Service) cartStarted(ctx context.Context, m order.Manifest) ([]kv.Write, error) {
	if s.Carts == nil {
		return nil, nil
	}
	return s.Carts.Started(ctx, m, cartText(m))
}

func (s *Service) cartEnded(ctx context.Context, m order.Manifest) ([]kv.Write, error) {
	if s.Carts == nil {
		return nil, nil
	}
	return s.Carts.Ended(ctx, m)
}
