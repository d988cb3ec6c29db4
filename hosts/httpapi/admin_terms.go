package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func (a *API) termsRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/terms/:slug", Tag: "settlement",
			Personal: []Whose{Supporters, Operators},
			Summary:  "A campaign's pledges that are not charged because the processor has other terms, with the operators' decisions",
			Rules:    Rules{Secret: OperatorKey, Operator: access.Platform},
			Out:      "Disagreements", Errors: []int{403, 404, 503},
			handle: bySlug(a.disagreements),
		},
		{
			Method: "POST", Pattern: "/admin/terms/:slug", Tag: "settlement",
			Personal: []Whose{Supporters, Operators},
			Summary:  "Decide to charge a pledge although the processor has other terms; takes effect when a second operator decides the same",
			Rules:    Rules{Secret: OperatorKey, Operator: access.Platform, Fresh: true, Action: "terms.accept"},
			In:       "TermsRequest", Out: "TermsAccepted", Errors: []int{403, 404, 409, 503},
			handle: a.acceptDisagreement,
		},
	}
}

// Disagreements is the response of GET /admin/terms/:slug.
type Disagreements struct {
	Pledges []state.Disagreement `json:"pledges"`
}

// disagreements compares the terms with the processor's, because the recorded disagreements are
// from the last run.
func (a *API) disagreements(ctx context.Context, slug string) (Disagreements, error) {
	c, err := a.services.Campaigns().Campaign(slug)
	if err != nil {
		return Disagreements{}, err
	}
	found, err := a.services.Settlement.FindDisagreements(ctx, c)
	return Disagreements{Pledges: found}, err
}

// TermsRequest is the request body of POST /admin/terms/:slug.
type TermsRequest struct {
	OrderID string `json:"orderId"` // of the pledge
	Reason  string `json:"reason"`
}

// TermsAccepted is the response of POST /admin/terms/:slug.
type TermsAccepted struct {
	// Confirmed reports whether two operators have made the same decision, so that the pledge is
	// charged.
	Confirmed bool               `json:"confirmed"`
	Pledge    state.Disagreement `json:"pledge"`
}

func (a *API) acceptDisagreement(ctx context.Context, x *exchange) (any, error) {
	var in TermsRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	if in.OrderID == "" {
		return nil, fault.New(fault.Invalid, "Missing orderId").In("orderId")
	}
	d, err := a.services.Settlement.AcceptTerms(ctx, x.param, x.operator, in.OrderID, in.Reason)
	return TermsAccepted{Confirmed: d.Accepted(), Pledge: d}, err
}
