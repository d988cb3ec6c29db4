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
			Summary: "Links to a campaign's page with tracking parameters",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query: []Param{
				{marketing.Ref, "Referral code; like the other parameters at most 64 letters, digits, spaces and - _ . +", false},
				{marketing.UTMSource, "Traffic source, such as a site or a newsletter", false},
				{marketing.UTMMedium, "Medium, such as social or email", false},
				{marketing.UTMCampaign, "Marketing campaign", false},
				{marketing.UTMContent, "Variant of the link", false},
			},
			Out: "CampaignLinks", Errors: []int{400, 404},
			handle: a.campaignLinks,
		},
		{
			Method: "GET", Pattern: "/admin/marketing/embed/:slug", Tag: "mails",
			Summary: "HTML to embed the campaign on another site",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query: []Param{
				{"lang", "en or es", false}, {"size", "compact, or omitted", false},
				{"theme", "light, dark or plain; default: the visitor's preference", false},
				{"media", "hide, or omitted", false}, {"cta", "hide, or omitted", false},
			},
			Out: "EmbedFrame", Errors: []int{400, 404},
			handle: a.embed,
		},
		{
			Method: "GET", Pattern: "/admin/marketing/referrals", Tag: "mails",
			Personal: []Whose{Referrers},
			Summary:  "A campaign's saved referral codes, sorted by code",
			Rules:    Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query:    []Param{{"campaignSlug", "The campaign", true}},
			Out:      "ReferralList", Errors: []int{404, 503},
			handle: a.referrals,
		},
		{
			Method: "POST", Pattern: "/admin/marketing/referrals", Tag: "mails",
			Personal: []Whose{Referrers},
			Summary:  "Create a referral code, or change one with the given revision",
			Rules:    Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "referral.save"},
			In:       "ReferralRequest", Out: "Referral", Errors: []int{404, 409, 503},
			handle: decoded(a.saveReferral),
		},
		{
			Method: "POST", Pattern: "/admin/marketing/referrals/delete", Tag: "mails",
			Summary: "Delete a referral code; pledges keep it",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "referral.delete"},
			In:      "ReferralDeletion", Out: "Deleted", Errors: []int{404, 409, 503},
			handle: decoded(a.deleteReferral),
		},
	}
}

func (a *API) campaignLinks(_ context.Context, x *exchange) (any, error) {
	if _, err := a.services.Campaigns().Campaign(x.param); err != nil {
		return nil, err
	}
	q := x.query()
	return marketing.Link(string(a.services.Config.Site.Base), x.param, pledge.Attribution{
		Referral: q.Get(marketing.Ref), UTMSource: q.Get(marketing.UTMSource), UTMMedium: q.Get(marketing.UTMMedium),
		UTMCampaign: q.Get(marketing.UTMCampaign), UTMContent: q.Get(marketing.UTMContent),
	})
}

func (a *API) embed(_ context.Context, x *exchange) (any, error) {
	c, err := a.services.Campaigns().Campaign(x.param)
	if err != nil {
		return nil, err
	}
	q := x.query()
	e := marketing.Embed{
		Lang: pledge.Language(q.Get("lang")), Compact: q.Get("size") == "compact", Theme: q.Get("theme"),
		HideMedia: q.Get("media") == "hide", HideButton: q.Get("cta") == "hide",
	}
	return e.Frame(string(a.services.Config.Site.Base), c.Slug, c.Title)
}

// ReferralList is the response of GET /admin/marketing/referrals.
type ReferralList struct {
	Referrals []marketing.Referral `json:"referrals"`
}

func (a *API) referrals(ctx context.Context, x *exchange) (any, error) {
	slug := x.query().Get("campaignSlug")
	if _, err := a.services.Campaigns().Campaign(slug); err != nil {
		return nil, err
	}
	all, err := a.services.Referrals.List(ctx, slug)
	return ReferralList{all}, err
}

// ReferralRequest is the request body of POST /admin/marketing/referrals.
type ReferralRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Code         string `json:"code"`
	Name         string `json:"name"`
	UTMSource    string `json:"utmSource,omitempty"`
	UTMMedium    string `json:"utmMedium,omitempty"`
	UTMCampaign  string `json:"utmCampaign,omitempty"`
	UTMContent   string `json:"utmContent,omitempty"`
	Revision     int    `json:"revision"` // 0 for a new code
}

func (a *API) saveReferral(ctx context.Context, r ReferralRequest) (marketing.Referral, error) {
	if _, err := a.services.Campaigns().Campaign(r.CampaignSlug); err != nil {
		return marketing.Referral{}, err
	}
	return a.services.Referrals.Save(ctx, r.CampaignSlug, marketing.Referral{
		Code: r.Code, Name: r.Name, UTMSource: r.UTMSource, UTMMedium: r.UTMMedium, UTMCampaign: r.UTMCampaign,
		UTMContent: r.UTMContent, Revision: r.Revision,
	})
}

// ReferralDeletion is the request body of POST /admin/marketing/referrals/delete.
type ReferralDeletion struct {
	CampaignSlug string `json:"campaignSlug"`
	Code         string `json:"code"`
	Revision     int    `json:"revision"`
}

func (a *API) deleteReferral(ctx context.Context, r ReferralDeletion) (Deleted, error) {
	if _, err := a.services.Campaigns().Campaign(r.CampaignSlug); err != nil {
		return Deleted{}, err
	}
	return Deleted{true}, a.services.Referrals.Remove(ctx, r.CampaignSlug, r.Code, r.Revision)
}
