package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// How many pledges one part of the figures is of. Workers read some hundreds in a request.
const (
	analyticsPart    = 500
	maxAnalyticsPart = 5000
)

func (a *API) analyticsRoutes() []Route {
	return []Route{{
		Method: "GET", Pattern: "/admin/analytics/:slug", Tag: "reports",
		Summary: "What a campaign brings: sums by what was chosen, where supporters came from, and day",
		Rules:   Rules{Secret: AdminSecret, Operator: access.Money},
		Query: []Param{
			{"limit", "Pledges of a part, 1 to 5000; 500 where nothing is said", false}, {"cursor", "The next of the part before", false},
		},
		Out: "Analytics", Errors: []int{400, 404, 503},
		handle: a.analytics,
	}}
}

func (a *API) analytics(ctx context.Context, x *exchange) (any, error) {
	if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
		return nil, err
	}
	limit, err := number(x, "limit", analyticsPart)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxAnalyticsPart {
		return nil, fault.New(fault.Invalid, "A part has 1 to %d pledges", maxAnalyticsPart).In("limit")
	}
	cursor, err := number(x, "cursor", 0)
	if err != nil {
		return nil, err
	}
	if cursor < 0 {
		return nil, fault.New(fault.Invalid, "The cursor is the next of a part").In("cursor")
	}
	return a.services.Analytics.Report(ctx, x.param, cursor, limit)
}
