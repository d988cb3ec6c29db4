package httpapi

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/overview"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) overviewRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/summary", Tag: "supporters",
			Summary: "Summary of each campaign that the caller may see",
			Rules:   Rules{Secret: AdminSecret, Operator: access.SignedIn},
			Out:     "CampaignSummaries", Errors: []int{503},
			handle: a.summaries,
		},
		{
			Method: "GET", Pattern: "/admin/latest-pledges", Tag: "supporters",
			Personal: []Whose{Supporters},
			Summary:  "The ten newest pledges to the campaigns that the caller may see, or to one of them; names and addresses require the supporters permission",
			Rules:    Rules{Secret: AdminSecret, Operator: access.SignedIn},
			Query:    []Param{{"campaignSlug", "The campaign; default all", false}},
			Out:      "LatestPledges", Errors: []int{404, 503},
			handle: a.latestPledges,
		},
	}
}

// CampaignSummaries is the response of GET /admin/summary.
type CampaignSummaries struct {
	Now       time.Time           `json:"now"` // the server's time
	Campaigns []overview.Campaign `json:"campaigns"`
}

// visibility returns what the caller may see in an overview.
func (x *exchange) visibility() overview.Visibility {
	return overview.Visibility{Money: x.hasPermission(access.Money), Supporters: x.hasPermission(access.Supporters),
		Parcels: x.hasPermission(access.Fulfilment)}
}

// accessible returns the campaigns that the caller may see.
func (a *API) accessible(x *exchange) []*campaign.Campaign {
	var all []*campaign.Campaign
	for _, c := range a.services.Campaigns().Campaigns() {
		if x.caller == nil || x.caller.User.HasAccess(c.Slug) {
			all = append(all, c)
		}
	}
	return all
}

func (a *API) summaries(ctx context.Context, x *exchange) (any, error) {
	all := a.accessible(x)
	out := CampaignSummaries{Now: a.now().UTC(), Campaigns: make([]overview.Campaign, len(all))}
	errs := make([]error, len(all))
	a.forEach(len(all), func(i int) {
		out.Campaigns[i], errs[i] = a.services.Overview.Summary(ctx, all[i], x.visibility())
	})
	return out, errors.Join(errs...)
}

// forEach calls do for 0 to n-1, concurrently if the host supports it.
func (a *API) forEach(n int, do func(i int)) {
	if a.services.Together != nil {
		a.services.Together(n, do)
		return
	}
	for i := range n {
		do(i)
	}
}

// LatestPledges is the response of GET /admin/latest-pledges.
type LatestPledges struct {
	Pledges []overview.LatestPledge `json:"pledges"`
}

func (a *API) latestPledges(ctx context.Context, x *exchange) (any, error) {
	campaigns := a.accessible(x)
	if slug := x.query().Get("campaignSlug"); slug != "" {
		campaigns = slices.DeleteFunc(campaigns, func(c *campaign.Campaign) bool { return c.Slug != slug })
		if len(campaigns) == 0 {
			return nil, fault.New(fault.NotFound, "Campaign not found").In("campaignSlug")
		}
	}
	latest, err := a.services.Overview.Latest(ctx, campaigns, x.visibility())
	return LatestPledges{latest}, err
}
