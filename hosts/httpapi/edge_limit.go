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

// adminLimit slows down guessing of secrets. It counts every request with a secret to a route that
// accepts one, even if the secret is correct.
var adminLimit = limits(perMinute("admin", 5))

// checkClientLimits counts the request for its client before the body is read. Routes with a
// challenge are counted after the challenge, which is in the body. A request with a secret to a
// route that accepts one counts only toward adminLimit.
func (a *API) checkClientLimits(ctx context.Context, x *exchange) error {
	if x.route.Secret != noSecret && x.secret() != "" {
		return a.countAll(ctx, x, adminLimit)
	}
	if x.route.Challenge != "" {
		return nil
	}
	return a.countAll(ctx, x, x.limits(false))
}

// checkBodyLimits counts the request for the limits that need its body: those per order and per
// token, and all limits of a route with a challenge. Requests with a secret were counted before.
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

// limits returns the route's limits per order and per token or, if byBody is false, its limits per
// client.
func (x *exchange) limits(byBody bool) (out []*Limit) {
	for _, l := range x.route.Limits {
		if (l.ByOrder || l.ByToken) == byBody {
			out = append(out, l)
		}
	}
	return out
}

// countAll counts the request for every limit in order.
func (a *API) countAll(ctx context.Context, x *exchange, all []*Limit) error {
	for _, limit := range all {
		if err := a.count(ctx, x, limit); err != nil {
			return err
		}
	}
	return nil
}

// count counts the request for one limit: for the client's networks, the order or the token.
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

// countOne counts the request under one key, the Prefix of n, and fails if that exceeds the limit's
// Max times the Factor of n.
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

// counted returns the keys under which a limit counts the request: the client's networks, smallest
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
		return nil, fault.New(fault.Unavailable, "Unknown client address")
	}
	return networks, nil
}

// orderID returns the order ID in the body. It fails with code Invalid if the ID is missing or
// malformed, so that counter keys are always short.
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
