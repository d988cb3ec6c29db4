package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

func (a *API) reopenRoutes() []Route {
	return []Route{{
		Method: "POST", Pattern: "/admin/reopen/:slug", Tag: "settlement",
		Personal: []Whose{Operators},
		Summary:  "Decide to reopen a campaign that was closed by mistake, possible until its cards are deleted; takes effect when a second operator decides the same",
		Rules:    Rules{Secret: OperatorKey, Operator: access.Platform, Fresh: true, Action: "settlement.reopen"},
		In:       "ReopenRequest", Out: "Reopened", Errors: []int{403, 404, 409, 503},
		handle: a.reopen,
	}}
}

// ReopenRequest is the request body of POST /admin/reopen/:slug.
type ReopenRequest struct {
	Reason string `json:"reason"`
}

// Reopened is the response of POST /admin/reopen/:slug.
type Reopened struct {
	// Confirmed reports whether two operators have made the same decision, so that the campaign is
	// open.
	Confirmed bool           `json:"confirmed"`
	Reopening state.Reopened `json:"reopening"`
}

func (a *API) reopen(ctx context.Context, x *exchange) (any, error) {
	var in ReopenRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	r, err := a.services.Settlement.Reopen(ctx, x.param, x.operator, in.Reason)
	return Reopened{Confirmed: r.ConfirmedBy != "", Reopening: r}, err
}
