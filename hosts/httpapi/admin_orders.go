package httpapi

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

func (a *API) orderRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/orders/lost", Tag: "operations",
			Summary: "Saved cards without a pledge, for example after a restore",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Query:   []Param{{"days", "Days to look back, 1 to 400; default 45", false}},
			Out:     "LostOrders", Errors: []int{400, 503},
			handle: a.lostOrders,
		},
		{
			Method: "POST", Pattern: "/admin/orders/adopt", Tag: "operations",
			Summary: "Recreate the pledges of a lost order from the manifest that its supporter accepted",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Action: "order.adopt", Resumed: true},
			In:      "AdoptRequest", Out: "Completed", Errors: []int{404, 409, 503},
			handle: decoded(a.adopt),
		},
		{
			Method: "POST", Pattern: "/admin/orders/ask", Tag: "operations",
			Summary: "Email the supporter of a lost order a request to pledge again; the saved card is not charged",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Action: "order.ask", Resumed: true},
			In:      "AskRequest", Out: "Asked", Errors: []int{404, 409, 503},
			handle: decoded(a.askAgain),
		},
		{
			Method: "POST", Pattern: "/admin/pledges/cancel", Tag: "operations",
			Summary: "Cancel a pledge that settlement cannot charge; the supporter gets an email",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Action: "pledge.cancel", Resumed: true},
			In:      "GiveUpRequest", Out: "GivenUp", Errors: []int{404, 409, 503},
			handle: decoded(a.giveUp),
		},
	}
}

// LostOrders is the response of /admin/orders/lost.
type LostOrders struct {
	Orders []checkout.LostOrder `json:"orders"`
}

const (
	defaultLookBack = 45  // days; longer than the usual time between a backup and its restore
	maxLookBack     = 400 // days
)

func (a *API) lostOrders(ctx context.Context, x *exchange) (any, error) {
	days := defaultLookBack
	if asked := x.query().Get("days"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 || n > maxLookBack {
			return nil, fault.New(fault.Invalid, "The days must be from 1 to %d", maxLookBack).In("days")
		}
		days = n
	}
	lost, err := a.services.Checkout.LostOrders(ctx, a.services.Now().Add(-time.Duration(days)*24*time.Hour))
	return LostOrders{Orders: lost}, err
}

// AdoptRequest is the request body of POST /admin/orders/adopt.
type AdoptRequest struct {
	SessionID string          `json:"sessionId"`
	Manifest  json.RawMessage `json:"manifest"` // the manifest that the supporter accepted
}

func (a *API) adopt(ctx context.Context, r AdoptRequest) (checkout.Completed, error) {
	if r.SessionID == "" {
		return checkout.Completed{}, fault.New(fault.Invalid, "Missing sessionId").In("sessionId")
	}
	m, err := order.ReadAccepted(r.Manifest)
	if err != nil {
		return checkout.Completed{}, err
	}
	o, err := a.services.Checkout.Adopt(ctx, r.SessionID, m)
	if err != nil {
		return checkout.Completed{}, err
	}
	return checkout.Completed{Success: true, Persisted: o.State == order.Confirmed, OrderID: o.Manifest.OrderID}, nil
}

// AskRequest is the request body of POST /admin/orders/ask.
type AskRequest struct {
	SessionID string `json:"sessionId"`
}

// Asked is the response of /admin/orders/ask.
type Asked struct {
	Success bool `json:"success"`
}

func (a *API) askAgain(ctx context.Context, r AskRequest) (Asked, error) {
	if r.SessionID == "" {
		return Asked{}, fault.New(fault.Invalid, "Missing sessionId").In("sessionId")
	}
	err := a.services.Checkout.AskToPledgeAgain(ctx, r.SessionID)
	return Asked{Success: err == nil}, err
}

// GiveUpRequest is the request body of POST /admin/pledges/cancel.
type GiveUpRequest struct {
	OrderID string `json:"orderId"` // of the pledge
}

// GivenUp is the response of /admin/pledges/cancel.
type GivenUp struct {
	Success bool   `json:"success"`
	OrderID string `json:"orderId"`
}

func (a *API) giveUp(ctx context.Context, r GiveUpRequest) (GivenUp, error) {
	if r.OrderID == "" {
		return GivenUp{}, fault.New(fault.Invalid, "Missing orderId").In("orderId")
	}
	p, err := a.services.Settlement.CancelUnchargeable(ctx, r.OrderID)
	if err != nil {
		return GivenUp{}, err
	}
	return GivenUp{Success: true, OrderID: p.OrderID}, nil
}
