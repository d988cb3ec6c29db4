package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/visits"
)

func (a *API) visitRoutes() []Route {
	return []Route{{
		Method: "GET", Pattern: "/admin/analytics/:slug/visits", Tag: "reports",
		Summary: "Visits to a campaign's page from other sites, by day and tracking parameters",
		Rules:   Rules{Secret: AdminSecret, Operator: access.Money}, Out: "Visits", Errors: []int{404, 503},
		handle: bySlug(a.visits),
	}}
}

func (a *API) visits(ctx context.Context, slug string) (visits.Counts, error) {
	if _, err := a.services.Campaigns().Campaign(slug); err != nil {
		return visits.Counts{}, err
	}
	return a.services.Visits.Of(ctx, slug)
}
