package httpapi

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// start starts a checkout. It passes on the client's networks, because reservations are limited per
// network.
func (a *API) start(ctx context.Context, x *exchange) (any, error) {
	return decoded(func(ctx context.Context, in checkout.StartRequest) (checkout.Started, error) {
		in.Client, in.ClientNetwork = Client(x.ClientIP), Wide(x.ClientIP)
		return a.services.Checkout.Start(ctx, in)
	})(ctx, x)
}

func (a *API) joining(ctx context.Context, x *exchange) (any, error) {
	return a.services.Checkout.Joining(ctx, checkout.JoiningRequest{
		Token: x.bearer(pledgeToken), Session: x.bearer(browserSession), All: x.bearer(joinToken),
	})
}

func (a *API) summary(ctx context.Context, x *exchange) (any, error) {
	id := x.query().Get("orderId")
	if id == "" {
		return nil, fault.New(fault.Invalid, "Missing orderId").In("orderId")
	}
	return a.services.Checkout.Summary(ctx, id, x.bearer(checkoutToken))
}

func (a *API) standings(ctx context.Context, x *exchange) (any, error) {
	if a.services.Stores.Votes == nil {
		return nil, noVotes()
	}
	var decisions []string
	if ids := x.query().Get("decisions"); ids != "" {
		decisions = strings.Split(ids, ",")
	}
	return a.services.Checkout.Standings(ctx, x.bearer(pledgeToken), decisions)
}

func (a *API) vote(ctx context.Context, x *exchange) (any, error) {
	if a.services.Stores.Votes == nil {
		return nil, noVotes()
	}
	return decoded(func(ctx context.Context, in checkout.VoteRequest) (checkout.Voted, error) {
		return a.services.Checkout.CastVote(ctx, in)
	})(ctx, x)
}

func noVotes() error { return fault.New(fault.Unavailable, "Votes are not configured") }

func (a *API) statsLife() time.Duration { return a.services.Config.Performance.StatsTTL }
func (a *API) stockLife() time.Duration { return a.services.Config.Performance.InventoryTTL }
