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

func perToken(name string, n int) *Limit {
	return &Limit{Name: name, Max: n, Window: time.Minute, ByToken: true}
}

func limits(all ...*Limit) []*Limit { return all }

// adminLimit is meant for guessing: it counts every call that shows a secret,
// the right one too, and none that shows nothing.
var adminLimit = limits(perMinute("admin", 5))

// checkClientLimits counts the request for its client, before its body is read. A route with a
// challenge counts after the challenge, which is in the body.
func (a *API) checkClientLimits(ctx context.Context, x *exchange) error {
	if x.route.Secret != noSecret && x.secret() != "" {
		return a.countAll(ctx, x, adminLimit)
	}
	if x.route.Challenge != "" {
		return nil
	}
	return a.countAll(ctx, x, x.limits(false))
}

// checkBodyLimits counts the request for the order or the token that its body names.
func (a *API) checkBodyLimits(ctx context.Context, x *exchange) error {
	if x.route.Secret != noSecret && x.secret() != "" {
		return nil
	}
	if x.route.Challenge != "" {
		if err := a.countAll(ctx, x, x.limits(false)); err != nil {
			return err
		}
	}
	return a.countAll(ctx, x, x.limits(true))
}

// limits returns the route's limits that are counted by the body, or those that are not.
func (x *exchange) limits(byBody bool) (out []*Limit) {
	for _, l := range x.route.Limits {
		if (l.ByOrder || l.ByToken) == byBody {
			out = append(out, l)
		}
	}
	return out
}

// countAll counts the request in every window, in their order.
func (a *API) countAll(ctx context.Context, x *exchange, all []*Limit) error {
	for _, limit := range all {
		if err := a.count(ctx, x, limit); err != nil {
			return err
		}
	}
	return nil
}

// count counts the request in the windows of its client's networks, its order or its token.
func (a *API) count(ctx context.Context, x *exchange, limit *Limit) error {
	if a.rateLimit == nil {
		return fault.New(fault.Unavailable, "Rate limit storage not configured")
	}
	counted, err := a.counted(x, limit)
	if err != nil {
		return err
	}
	for _, c := range counted {
		if err := a.countOne(ctx, limit, c); err != nil {
			return err
		}
	}
	return nil
}

// countOne counts the request in one window, which may be larger than the limit's.
func (a *API) countOne(ctx context.Context, limit *Limit, n Network) error {
	now, most := a.now(), limit.Max*n.Factor
	expires := now.Add(max(limit.Window, kv.MinLifetime))
	count, over, err := kv.Increment(ctx, a.rateLimit, now, "rl:"+limit.Name+":"+n.Prefix, most, expires)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "Rate limiting unavailable")
	}
	if over {
		return limited{max: most, reset: count.Reset, now: now}
	}
	return nil
}

// counted returns what the limit counts the request for: the client's networks, smallest
// first, or the order or the token.
func (a *API) counted(x *exchange, l *Limit) ([]Network, error) {
	switch {
	case l.ByOrder:
		id, err := x.orderID()
		return []Network{{id, 1}}, err
	case l.ByToken:
		hash, err := a.countedToken(x)
		return []Network{{hash, 1}}, err
	}
	networks := Networks(x.ClientIP)
	if len(networks) == 0 {
		return nil, fault.New(fault.Unavailable, "The client's address is not known")
	}
	return networks, nil
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
