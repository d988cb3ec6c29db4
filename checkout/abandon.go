package checkout

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// Abandon gives up a checkout on behalf of whoever holds its token: the session
// is ended first, so that no card can be saved for it, and only then its units
// go back. Where the card was saved before that, the pledges are made instead.
func (s *Service) Abandon(ctx context.Context, r AbandonRequest) (Abandoned, error) {
	if err := s.mine(r.Token, r.OrderID); err != nil {
		return Abandoned{}, err
	}
	o, err := s.Orders.Get(ctx, r.OrderID)
	if err != nil {
		return Abandoned{}, err
	}
	if o, err = s.end(ctx, o, ""); err != nil {
		return Abandoned{}, err
	}
	if o.State == order.Confirmed {
		return Abandoned{Success: true, Persisted: true}, nil
	}
	n, err := s.releaseSeen(ctx, o.Manifest)
	if err != nil {
		return Abandoned{}, err
	}
	return Abandoned{Success: true, Released: n}, s.noteEnd(ctx, o, nil, nil)
}

// end brings an order to its end and returns it: confirmed where its session
// is complete, or else abandoned, with a session that cannot complete any
// more. It releases nothing. The stem is holdAgain's.
func (s *Service) end(ctx context.Context, o order.Order, stem string) (order.Order, error) {
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

// endSession returns the order's session in a final state. Where the
// processor's answer to ending it is no use, the session itself is read.
func (s *Service) endSession(ctx context.Context, o order.Order) (psp.Session, error) {
	sess, err := s.Processor.ExpireSession(ctx, o.SessionID, "expire:"+o.Manifest.OrderID)
	if err == nil && sess.Status != psp.Open {
		return sess, nil
	}
	sess, err = s.session(ctx, o.SessionID)
	if fault.Is(err, fault.NotFound) {
		return psp.Session{Status: psp.Expired}, nil // what does not exist cannot complete
	}
	if err != nil {
		return psp.Session{}, err
	}
	if sess.Status == psp.Open {
		return psp.Session{}, outside(errStillOpen)
	}
	return sess, nil
}

// endAndRelease is end, and gives back the units of an order that was given up.
func (s *Service) endAndRelease(ctx context.Context, o order.Order) error {
	o, err := s.end(ctx, o, "")
	if err != nil || o.State == order.Confirmed {
		return err
	}
	if _, err := s.releaseSeen(ctx, o.Manifest); err != nil {
		return err
	}
	return s.noteEnd(ctx, o, nil, nil)
}
