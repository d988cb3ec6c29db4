package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/pledge"
)

func (a *API) supportersRoutes() []Route {
	return []Route{
		{
			// The search text is an email address, which must not be in a URL (ASVS 14.2.1), so
			// this is a POST.
			Method: "POST", Pattern: "/admin/supporters", Tag: "supporters",
			Personal: []Whose{Supporters},
			Summary:  "Find supporters by address, name or order ID, or list a campaign's newest first, with filters; read-only",
			Rules:    Rules{Reads: true, Secret: AdminSecret, Operator: access.Supporters},
			In:       "SupporterQuery", Out: "SupportersFound", Errors: []int{403, 404, 503},
			handle: a.findSupporters,
		},
		{
			Method: "GET", Pattern: "/admin/supporters/timeline", Tag: "supporters",
			Personal: []Whose{Supporters},
			Summary:  "Timeline of a pledge's supporter in a campaign: pledges, changes, emails and charges",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Supporters},
			Query:    []Param{{"campaignSlug", "The campaign", true}, {"orderId", "One of the supporter's pledges", true}},
			Out:      "SupporterTimeline", Errors: []int{400, 404, 503},
			handle: a.supporterTimeline,
		},
	}
}

func (a *API) findSupporters(ctx context.Context, x *exchange) (any, error) {
	var in supporters.Query
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	if in.CampaignSlug != "" {
		if _, err := a.services.Campaigns().Campaign(in.CampaignSlug); err != nil {
			return nil, err
		}
	}
	return a.services.Supporters.Search(ctx, in, x.supporterVisibility())
}

// hasPermission reports whether the caller has a permission in addition to the route's. Requests
// with a secret have all permissions.
func (x *exchange) hasPermission(p access.Permission) bool {
	return x.caller == nil || x.caller.User.Has(p)
}

// supporterVisibility returns what the caller may see about a supporter.
func (x *exchange) supporterVisibility() supporters.Visibility {
	return supporters.Visibility{
		Money: x.hasPermission(access.Money), Addresses: x.hasPermission(access.Fulfilment),
		Platform: x.caller == nil || x.caller.User.Role == access.SuperAdmin,
	}
}

func (a *API) supporterTimeline(ctx context.Context, x *exchange) (any, error) {
	slug, orderID := x.query().Get("campaignSlug"), x.query().Get("orderId")
	if _, err := a.services.Campaigns().Campaign(slug); err != nil {
		return nil, err
	}
	if _, err := pledge.OrderOf(orderID); err != nil {
		return nil, err
	}
	return a.services.Supporters.Timeline(ctx, slug, orderID, x.supporterVisibility())
}
