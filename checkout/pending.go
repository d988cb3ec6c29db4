package checkout

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// sweepPending looks after checkouts that have run out of time and still have
// records of being under way: their holds may be gone already, but not all that
// follows is done. Their keys sort by age, so that the oldest come first.
func (s *Service) sweepPending(ctx context.Context, limit int, t *Swept) error {
	page, err := s.Store.List(ctx, kv.Query{Prefix: tiersKey(""), Limit: limit, KeysOnly: true})
	if err != nil {
		return err
	}
	young, err := firstID(s.Now().Add(-s.sessionLife() - holdMargin))
	if err != nil {
		return err
	}
	for _, e := range page.Entries {
		id := strings.TrimPrefix(e.Key, tiersKey(""))
		if id >= young {
			return nil
		}
		t.Seen++
		booked, err := s.finish(ctx, id)
		switch {
		case err != nil:
			t.Left++
			s.Log.WarnContext(ctx, "a checkout cannot be finished yet", "order", id, "code", string(fault.CodeOf(err)), "error", err.Error())
		case booked:
			t.Booked++
		default:
			t.Released++
		}
	}
	return nil
}

// firstID is the least ID of an order that begins at the time.
func firstID(at time.Time) (string, error) {
	return pledge.NewOrderID(at, bytes.NewReader(make([]byte, 10)))
}

// finish brings one checkout to its end, and reports whether it has pledges.
func (s *Service) finish(ctx context.Context, orderID string) (booked bool, err error) {
	o, err := s.Orders.Get(ctx, orderID)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		return false, s.Store.Apply(ctx, []kv.Write{kv.Delete(extrasKey(orderID)), kv.Delete(tiersKey(orderID))})
	}
	if err != nil {
		return false, err
	}
	if o.State == order.Confirmed {
		return true, s.followConfirm(ctx, o, false, orderID)
	}
	err = s.endAndRelease(ctx, o)
	if fault.Is(err, fault.SoldOut) {
		return false, s.noteEnd(ctx, o, nil, nil) // its webhook goes on trying
	}
	return false, err
}
