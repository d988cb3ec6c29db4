package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

func (a *API) payoutsRoutes() []Route {
	cursor := []Param{{"cursor", "The next value of the previous page", false}}
	return []Route{
		{
			Method: "GET", Pattern: "/admin/payouts", Tag: "settlement",
			Summary: "The processor's payouts with the shares of all campaigns, newest first",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Query:   cursor, Out: "Payouts", Errors: []int{400, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				return a.services.Payouts.List(ctx, x.query().Get("cursor"), payoutsPage)
			},
		},
		{
			Method: "GET", Pattern: "/admin/payouts/:slug", Tag: "settlement",
			Summary: "A campaign's shares of the processor's payouts, newest first",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Money},
			Query:   cursor, Out: "Payouts", Errors: []int{400, 404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				return a.services.Payouts.OfCampaign(ctx, x.param, x.query().Get("cursor"), payoutsPage)
			},
		},
	}
}

// payoutsPage is the number of payouts on a page.
const payoutsPage = 50
