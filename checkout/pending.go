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

// sweepPending finishes checkouts whose session has expired but that still have the records of a
// checkout in progress: some of their effects may be missing although they have no holds left. The
// keys sort by age, oldest first.
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
		booked, err := s.finishCheckout(ctx, id)
		switch {
		case err != nil:
			t.Left++
			s.Log.WarnContext(ctx, "could not finish checkout", "order", id, "code",
				string(fault.CodeOf(err)), "error", err.Error())
		case booked:
			t.Booked++
		default:
			t.Released++
		}
	}
	return nil
}

// firstID returns the smallest ID that an order started at the given time can have.
func firstID(at time.Time) (string, error) {
	return pledge.NewOrderID(at, bytes.NewReader(make([]byte, 10)))
}

// finishCheckout applies the missing effects of a confirmed order, or ends any other. booked
// reports whether the order was already confirmed.
func (s *Service) finishCheckout(ctx context.Context, orderID string) (booked bool, err error) {
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
		return false, s.recordEnd(ctx, o, nil, nil) // retried by its webhook
	}
	return false, err
}
