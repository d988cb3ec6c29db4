package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Abandon cancels a checkout for the holder of its token. It first expires the session, so that no
// card can be saved in it, and only then releases the units. If the card was already saved, Abandon
// confirms the checkout instead.
//
// It fails with code Unauthorized for an invalid token, and with Unavailable if the processor does
// not end the session.
func (s *Service) Abandon(ctx context.Context, r AbandonRequest) (Abandoned, error) {
	if err := s.verifyCheckoutToken(r.Token, r.OrderID); err != nil {
		return Abandoned{}, err
	}
	o, err := s.Orders.Get(ctx, r.OrderID)
	if err != nil {
		return Abandoned{}, err
	}
	if o, err = s.endOrder(ctx, o, ""); err != nil {
		return Abandoned{}, err
	}
	if o.State == order.Confirmed {
		return Abandoned{Success: true, Persisted: true}, nil
	}
	n, err := s.releaseAndRefresh(ctx, o.Manifest)
	if err != nil {
		return Abandoned{}, err
	}
	return Abandoned{Success: true, Released: n}, s.recordEnd(ctx, o, nil, nil)
}

// endOrder ends an order and returns it: confirmed if its session is complete, otherwise abandoned,
// with its session expired. It does not release units. The stem is passed to reholdUnits.
func (s *Service) endOrder(ctx context.Context, o order.Order, stem string) (order.Order, error) {
	if o.State == order.Confirmed {
		return o, nil
	}
	if o.SessionID != "" {
		sess, err := s.endSession(ctx, o)
		if err != nil {
			return order.Order{}, err
		}
		if sess.Status == psp.Complete {
			return s.confirm(ctx, sess, stem)
		}
	}
	if o.State == order.Open {
		if err := s.Orders.Abandon(ctx, o.Manifest.OrderID, o.SessionID); err != nil {
			return order.Order{}, err
		}
	}
	return s.Orders.Get(ctx, o.Manifest.OrderID)
}

// endSession expires the order's session and returns it in its final state. If the expiry fails, or
// the returned session is still open, endSession reads the session instead.
func (s *Service) endSession(ctx context.Context, o order.Order) (psp.Session, error) {
	sess, err := s.Processor.ExpireSession(ctx, o.SessionID, "expire:"+o.Manifest.OrderID)
	if err == nil && sess.Status != psp.Open {
		return sess, nil
	}
	sess, err = s.session(ctx, o.SessionID)
	if fault.Is(err, fault.NotFound) {
		return psp.Session{Status: psp.Expired}, nil // a session that does not exist cannot complete
	}
	if err != nil {
		return psp.Session{}, err
	}
	if sess.Status == psp.Open {
		return psp.Session{}, processorError(errStillOpen)
	}
	return sess, nil
}

// endAndRelease calls endOrder and releases the units of an abandoned order.
func (s *Service) endAndRelease(ctx context.Context, o order.Order) error {
	o, err := s.endOrder(ctx, o, "")
	if err != nil || o.State == order.Confirmed {
		return err
	}
	if _, err := s.releaseAndRefresh(ctx, o.Manifest); err != nil {
		return err
	}
	return s.recordEnd(ctx, o, nil, nil)
}
