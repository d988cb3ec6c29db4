package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
)

func (a *API) bookRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/reconciliation/:slug", Tag: "operations",
			Summary: "Differences between a campaign's books and the processor's, from the last pass",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Out:     "Reconciliation", Errors: []int{404},
			handle: bySlug(a.services.Reconcile.Report),
		},
		{
			Method: "POST", Pattern: "/admin/reconciliation/:slug", Tag: "operations",
			Summary: "Reconcile the next part of a campaign's books with the processor",
			Rules:   Rules{NoBody: true, Secret: AdminSecret, Operator: access.Platform},
			Out:     "Reconciliation", Errors: []int{404, 503},
			handle: bySlug(func(ctx context.Context, slug string) (reconcile.Report, error) {
				return a.services.Reconcile.Run(ctx, slug, reconcile.MaxRetrievals)
			}),
		},
		{
			Method: "POST", Pattern: "/admin/analytics/psp-financials/backfill", Tag: "operations",
			Summary: "Fill in fees and net amounts that the processor booked later",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Action: "financials.backfill"},
			In:      "FinancialsRequest", Out: "Filled", Errors: []int{404, 503},
			handle: decoded(a.fillFinancials),
		},
		{
			Method: "POST", Pattern: "/admin/backfill-customers/:slug", Tag: "operations",
			Summary: "Find the missing customers of pledges through their checkout sessions",
			Rules: Rules{NoBody: true, Secret: AdminSecret, Operator: access.Platform,
				Action: "customers.backfill", Resumed: true},
			Out: "Backfilled", Errors: []int{404, 503},
			handle: bySlug(func(ctx context.Context, slug string) (checkout.Backfilled, error) {
				return a.services.Checkout.BackfillCustomers(ctx, slug)
			}),
		},
	}
}

// FinancialsRequest is the request body of the fee backfill.
type FinancialsRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Limit        int    `json:"limit"` // payments, 1 to 100; 0 means 25
}

func (a *API) fillFinancials(ctx context.Context, in FinancialsRequest) (settlement.Filled, error) {
	if in.CampaignSlug == "" {
		return settlement.Filled{}, fault.New(fault.Invalid, "Missing campaignSlug").In("campaignSlug")
	}
	if in.Limit < 0 || in.Limit > 100 {
		return settlement.Filled{}, fault.New(fault.Invalid, "The limit must be from 1 to 100").In("limit")
	}
	if in.Limit == 0 {
		in.Limit = 25
	}
	return a.services.Settlement.FillFinancials(ctx, in.CampaignSlug, in.Limit)
}
