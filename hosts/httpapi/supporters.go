package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
)

func (a *API) supportersRoutes() []Route {
	return []Route{
		{
			// A search is for an address, which stands in no URL (ASVS 14.2.1): so it is a POST.
			Method: "POST", Pattern: "/admin/supporters", Tag: "supporters",
			Summary: "Find supporters by address, name or order ID; changes nothing",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Supporters},
			In:      "SupporterQuery", Out: "SupportersFound", Errors: []int{404, 503},
			handle: a.findSupporters,
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
	return a.services.Supporters.Search(ctx, in, x.may(access.Money))
}

// may reports whether the caller has a permission beside the route's. A secret has all.
func (x *exchange) may(p access.Permission) bool {
	return x.caller == nil || x.caller.User.Has(p)
}
