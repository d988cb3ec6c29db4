package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func perMinute(name string, n int) *Limit { return &Limit{Name: name, Max: n, Window: time.Minute} }

func perOrder(name string, n int) *Limit {
	return &Limit{Name: name, Max: n, Window: time.Minute, ByOrder: true}
}

// maxAddress is longer than any IP address with its zone.
const maxAddress = 64

// adminLimit is meant for guessing: it counts every call that shows a secret,
// the right one too, and none that shows nothing.
var adminLimit = perMinute("admin", 5)

// checkLimit counts the request in the window of its client, or of its order.
func (a *API) checkLimit(ctx context.Context, x *exchange) error {
	limit := x.route.Limit
	if x.route.Secret != noSecret && x.secret() != "" {
		limit = adminLimit
	}
	if limit == nil {
		return nil
	}
	if a.rateLimit == nil {
		return fault.New(fault.Unavailable, "Rate limit storage not configured")
	}
	who, err := x.counted(limit)
	if err != nil {
		return err
	}
	now := a.now()
	expires := now.Add(max(limit.Window, kv.MinLifetime))
	count, over, err := kv.Increment(ctx, a.rateLimit, now, "rl:"+limit.Name+":"+who, limit.Max, expires)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "Rate limiting unavailable")
	}
	if over {
		return limited{limit: limit, reset: count.Reset, now: now}
	}
	return nil
}

// counted is whom the limit counts for.
func (x *exchange) counted(l *Limit) (string, error) {
	if l.ByOrder {
		return x.orderID()
	}
	if x.ClientIP == "" || len(x.ClientIP) > maxAddress {
		return "", fault.New(fault.Unavailable, "The client's address is not known")
	}
	return x.ClientIP, nil
}

// orderID reads the order from the body ahead of the handler. It fails for
// what no order can be called, so that a counter's key is always short.
func (x *exchange) orderID() (string, error) {
	var in struct {
		OrderID string `json:"orderId"`
	}
	if err := decodeJSON(x.Body, &in); err != nil {
		return "", err
	}
	if in.OrderID == "" {
		return "", fault.New(fault.Invalid, "Missing orderId").In("orderId")
	}
	order, err := pledge.OrderOf(in.OrderID)
	if err != nil || order != in.OrderID {
		return "", fault.New(fault.Invalid, "Invalid order ID format").In("orderId")
	}
	return order, nil
}
