package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/analytics"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Default and maximum number of pledges per part of the report. Workers can read only a few hundred
// pledges per request.
const (
	analyticsPart    = 500
	maxAnalyticsPart = 5000
)

func (a *API) analyticsRoutes() []Route {
	return []Route{{
		Method: "GET", Pattern: "/admin/analytics/:slug", Tag: "reports",
		Summary: "Campaign results: totals by reward, traffic source and day",
		Rules:   Rules{Secret: AdminSecret, Operator: access.Money},
		Query: []Param{
			{"limit", "Pledges per part, 1 to 5000; default 500", false},
			{"cursor", "The next value of the previous part", false},
			{"from",
				"First day on which the pledges were made, such as 2026-01-31, in the platform's time zone; requires to", false},
			{"to", "Last day", false},
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
		return nil, fault.New(fault.Invalid, "The limit must be from 1 to %d", maxAnalyticsPart).In("limit")
	}
	cursor, err := number(x, "cursor", 0)
	if err != nil {
		return nil, err
	}
	if cursor < 0 {
		return nil, fault.New(fault.Invalid, "Invalid cursor").In("cursor")
	}
	period, err := analytics.ParsePeriod(x.query().Get("from"), x.query().Get("to"))
	if err != nil {
		return nil, err
	}
	return a.services.Analytics.Report(ctx, x.param, period, cursor, limit)
}
