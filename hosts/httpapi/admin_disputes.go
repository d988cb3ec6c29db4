package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) disputesRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/disputes/:slug", Tag: "settlement",
			Summary: "A campaign's disputes at the payment processor, with the deadline for an answer",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Money},
			Query: []Param{{"open", "true for the disputes that are not decided", false},
				{"cursor", "The next value of the previous page", false}},
			Out: "Disputes", Errors: []int{400, 404, 503},
			handle: a.listDisputes,
		},
	}
}

// disputesPage is the number of disputes on a page.
const disputesPage = 100

func (a *API) listDisputes(ctx context.Context, x *exchange) (any, error) {
	open := x.query().Get("open")
	if open != "" && open != "true" && open != "false" {
		return nil, fault.New(fault.Invalid, "open must be true or false").In("open")
	}
	return a.services.Disputes.List(ctx, x.param, open == "true", x.query().Get("cursor"), disputesPage)
}
