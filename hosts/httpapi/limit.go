package httpapi

import (
	"context"
	"net/netip"
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

// checkLimits counts the request in every window that it falls into.
func (a *API) checkLimits(ctx context.Context, x *exchange) error {
	all := x.route.Limits
	if x.route.Secret != noSecret && x.secret() != "" {
		all = adminLimit
	}
	for _, limit := range all {
		if err := a.count(ctx, x, limit); err != nil {
			return err
		}
	}
	return nil
}

// count counts the request in the window of its client, its order or its token.
func (a *API) count(ctx context.Context, x *exchange, limit *Limit) error {
	if a.rateLimit == nil {
		return fault.New(fault.Unavailable, "Rate limit storage not configured")
	}
	who, err := a.counted(x, limit)
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
func (a *API) counted(x *exchange, l *Limit) (string, error) {
	switch {
	case l.ByOrder:
		return x.orderID()
	case l.ByToken:
		return a.countedToken(x)
	}
	client := Client(x.ClientIP)
	if client == "" {
		return "", fault.New(fault.Unavailable, "The client's address is not known")
	}
	return client, nil
}

// Client is whom a request from an address counts for: the address, or of an IPv6
// address its /64, all of which one customer has. It is "" for what is no address.
func Client(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return ""
	}
	return network.String()
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
