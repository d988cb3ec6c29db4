package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement"
)

func (a *API) resolveRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/resolve/:slug", Tag: "settlement",
			Personal: []Whose{Supporters, Operators},
			Summary:  "A campaign's charges that need attention, with what operators have said of them",
			Rules:    Rules{Secret: OperatorKey, Operator: access.Platform},
			Out:      "Attention", Errors: []int{403, 404},
			handle: bySlug(a.attention),
		},
		{
			Method: "POST", Pattern: "/admin/resolve/:slug", Tag: "settlement",
			Personal: []Whose{Supporters, Operators},
			Summary:  "Say which payment a charge was made by, also if its amount is another, or that there is none; it holds when a second operator says the same",
			Rules:    Rules{Secret: OperatorKey, Operator: access.Platform, Fresh: true, Action: "charge.resolve"},
			In:       "Statement", Out: "Resolved", Errors: []int{403, 404, 409, 503},
			handle: a.resolve,
		},
	}
}

// Charge is a settlement group as operators see it.
type Charge struct {
	Group   string            `json:"group"`
	Status  settlement.Status `json:"status"`
	Reason  string            `json:"reason,omitempty"`
	Attempt int               `json:"attempt"`
	Amount  money.Cents       `json:"amount"` // cents
	// Requested is what was requested, in cents, if operators accepted another Amount. Received
	// is what the processor received, in cents, if that is not what was requested.
	Requested   money.Cents             `json:"requestedAmount,omitempty"`
	Received    money.Cents             `json:"receivedAmount,omitempty"`
	OrderIDs    []string                `json:"orderIds"`
	CustomerID  string                  `json:"pspCustomerId"`
	PaymentID   string                  `json:"paymentIntentId,omitempty"`
	Differences []settlement.Difference `json:"differences"`
	Resolutions []settlement.Resolution `json:"resolutions"`
}

func chargeOf(g settlement.Group) Charge {
	c := Charge{Group: g.Hash, Status: g.Status, Reason: g.Reason, Attempt: g.Generation, Amount: g.Amount, Requested: g.Requested, Received: g.Received,
		OrderIDs: []string{}, CustomerID: g.CustomerID, PaymentID: g.PaymentIntentID,
		Differences: append([]settlement.Difference{}, g.Differences...), Resolutions: append([]settlement.Resolution{}, g.Resolutions...)}
	for _, o := range g.Orders {
		c.OrderIDs = append(c.OrderIDs, o.ID)
	}
	return c
}

// Attention is the answer of GET /admin/resolve/:slug.
type Attention struct {
	Charges []Charge `json:"charges"`
}

func (a *API) attention(ctx context.Context, slug string) (Attention, error) {
	waiting, err := a.services.Settlement.Attention(ctx, slug)
	out := Attention{Charges: []Charge{}}
	for _, g := range waiting {
		out.Charges = append(out.Charges, chargeOf(g))
	}
	return out, err
}

// Resolved is the answer of POST /admin/resolve/:slug.
type Resolved struct {
	// Confirmed says that two operators have said the same, so that the charge goes on.
	Confirmed bool   `json:"confirmed"`
	Charge    Charge `json:"charge"`
}

func (a *API) resolve(ctx context.Context, x *exchange) (any, error) {
	var in settlement.Statement
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	if len(in.Group) > 100 || len(in.PaymentID) > 255 {
		return nil, fault.New(fault.Invalid, "Nothing is called that").In("group")
	}
	g, err := a.services.Settlement.Resolve(ctx, x.param, x.operator, in)
	return Resolved{Confirmed: err == nil && g.Status != settlement.NeedsAttention, Charge: chargeOf(g)}, err
}
