package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/pledge"
)

func (a *API) marketingRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/marketing/links/:slug", Tag: "mails",
			Summary: "The addresses of a campaign's page that say where somebody came from",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query: []Param{
				{marketing.Referral, "Who sends them: at most 64 letters, digits, and - _ . + or spaces, like all of these", false},
				{marketing.UTMSource, "The site or mail that the link stands in", false},
				{marketing.UTMMedium, "What kind of place that is", false},
				{marketing.UTMCampaign, "What it is part of", false},
				{marketing.UTMContent, "Which of several links", false},
			},
			Out: "CampaignLinks", Errors: []int{400, 404},
			handle: a.campaignLinks,
		},
	}
}

func (a *API) campaignLinks(_ context.Context, x *exchange) (any, error) {
	if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
		return nil, err
	}
	q := x.query()
	return marketing.Link(string(a.services.Config.Site.Base), x.param, pledge.Attribution{
		Referral: q.Get(marketing.Referral), UTMSource: q.Get(marketing.UTMSource), UTMMedium: q.Get(marketing.UTMMedium),
		UTMCampaign: q.Get(marketing.UTMCampaign), UTMContent: q.Get(marketing.UTMContent),
	})
}
