package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func (a *API) resolveRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/resolve/:slug", Tag: "settlement",
			Personal: []Whose{Supporters, Operators},
			Summary:  "A campaign's charges that need attention, with the operators' statements",
			Rules:    Rules{Secret: OperatorKey, Operator: access.Platform},
			Out:      "Attention", Errors: []int{403, 404},
			handle: bySlug(a.attention),
		},
		{
			Method: "POST", Pattern: "/admin/resolve/:slug", Tag: "settlement",
			Personal: []Whose{Supporters, Operators},
			Summary:  "State which payment made a charge, even with a different amount, or that there is none; takes effect when a second operator states the same",
			Rules:    Rules{Secret: OperatorKey, Operator: access.Platform, Fresh: true, Action: "charge.resolve"},
			In:       "Statement", Out: "Resolved", Errors: []int{403, 404, 409, 503},
			handle: a.resolve,
		},
	}
}

// Charge is a settlement group as shown to operators.
type Charge struct {
	Group   string            `json:"group"`
	Status  state.GroupStatus `json:"status"`
	Reason  string            `json:"reason,omitempty"`
	Attempt int               `json:"attempt"`
	Amount  money.Cents       `json:"amount"` // cents
	// Requested is the requested amount in cents if operators accepted a different amount. Received
	// is the amount in cents that the processor received, if it differs from the requested one.
	Requested   money.Cents        `json:"requestedAmount,omitempty"`
	Received    money.Cents        `json:"receivedAmount,omitempty"`
	OrderIDs    []string           `json:"orderIds"`
	CustomerID  string             `json:"pspCustomerId"`
	PaymentID   string             `json:"paymentIntentId,omitempty"`
	PaymentURL  string             `json:"paymentUrl,omitempty"` // URL at the processor
	Differences []state.Difference `json:"differences"`
	Resolutions []state.Resolution `json:"resolutions"`
}

func (a *API) chargeOf(g state.Group) Charge {
	c := Charge{Group: g.Hash, Status: g.Status, Reason: g.Reason, Attempt: g.Generation,
		Amount: g.Amount, Requested: g.Requested, Received: g.Received,
		OrderIDs: []string{}, CustomerID: g.CustomerID, PaymentID: g.PaymentIntentID,
		PaymentURL:  a.paymentPage(g.PaymentIntentID),
		Differences: append([]state.Difference{}, g.Differences...), Resolutions: append([]state.Resolution{},
			g.Resolutions...)}
	for _, o := range g.Orders {
		c.OrderIDs = append(c.OrderIDs, o.ID)
	}
	return c
}

// Attention is the response of GET /admin/resolve/:slug.
type Attention struct {
	Charges []Charge `json:"charges"`
}

func (a *API) attention(ctx context.Context, slug string) (Attention, error) {
	waiting, err := a.services.Settlement.Attention(ctx, slug)
	out := Attention{Charges: []Charge{}}
	for _, g := range waiting {
		out.Charges = append(out.Charges, a.chargeOf(g))
	}
	return out, err
}

// Resolved is the response of POST /admin/resolve/:slug.
type Resolved struct {
	// Confirmed reports whether two operators made the same statement, so that the charge is
	// resolved.
	Confirmed bool   `json:"confirmed"`
	Charge    Charge `json:"charge"`
}

func (a *API) resolve(ctx context.Context, x *exchange) (any, error) {
	var in state.Statement
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	if len(in.Group) > 100 || len(in.PaymentID) > 255 {
		return nil, fault.New(fault.Invalid, "No such charge or payment").In("group")
	}
	g, err := a.services.Settlement.Resolve(ctx, x.param, x.operator, in)
	return Resolved{Confirmed: err == nil && g.Status != state.NeedsAttention, Charge: a.chargeOf(g)}, err
}
