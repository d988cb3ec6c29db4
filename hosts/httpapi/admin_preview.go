package httpapi

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/preview"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// PreviewRequest is the request body of POST /admin/campaign-preview/publish.
type PreviewRequest struct {
	CampaignSlug string   `json:"campaignSlug"`
	Base         string   `json:"base"`
	Reviewers    []string `json:"reviewers,omitempty"`
	Lang         string   `json:"preferredLang,omitempty"`
	ChangeID     string   `json:"changeId,omitempty"`
}

// CampaignPreview is the response of GET /admin/campaign-preview/:slug.
type CampaignPreview struct {
	CampaignSlug string `json:"campaignSlug"`
	Title        string `json:"title"`
	HTML         string `json:"html"`
	// ExpiresAt is when the reviewer's link expires; omitted for signed-in users.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

// DrawnPage is the response of POST /admin/content/page.
type DrawnPage struct {
	HTML string `json:"html"`
}

// PageRequest is the request body of POST /admin/content/page.
type PageRequest struct {
	CampaignSlug string         `json:"campaignSlug"`
	Edits        []content.Edit `json:"edits"`
	Lang         string         `json:"preferredLang,omitempty"`
}

func (a *API) previewRoutes() []Route {
	rules := Rules{Secret: AdminSecret, Operator: access.Content}
	publish, draw, view := rules, rules, rules
	publish.Action, publish.Resumed, draw.Cap, draw.Reads, view.ByLink = "preview.publish", true, MaxContent, true, true
	return []Route{
		{
			Method: "POST", Pattern: "/admin/campaign-preview/publish", Tag: "content",
			Summary:  "Email reviewers links to a campaign's preview, valid for 24 hours; reviewers not in the list lose access",
			Personal: []Whose{Operators},
			Rules:    publish, In: "PreviewRequest", Out: "PreviewPublished", Errors: []int{404, 409, 503},
			handle: a.publishPreview,
		},
		{
			Method: "GET", Pattern: "/admin/campaign-preview/:slug", Tag: "content",
			Summary: "Preview of a campaign's page, for signed-in users or with a reviewer's token",
			Rules:   view, Query: []Param{{"lang", "en or es", false}}, Bearers: []Bearer{reviewToken},
			Out: "CampaignPreview", Errors: []int{404, 409, 503},
			handle: a.showPreview,
		},
		{
			Method: "GET", Pattern: "/admin/campaign-preview/:slug/reviewers", Tag: "content",
			Summary:  "The reviewers of a campaign's preview, with expiry times",
			Personal: []Whose{Operators},
			Rules:    rules, Out: "PreviewReviewers", Errors: []int{404, 503},
			handle: bySlug(a.reviewers),
		},
		{
			Method: "POST", Pattern: "/admin/content/page", Tag: "content",
			Summary: "A campaign's page with a draft's edits; writes nothing",
			Rules:   draw, In: "PageRequest", Out: "DrawnPage", Errors: []int{404, 409, 503},
			handle: a.renderDraft,
		},
	}
}

func (a *API) publishPreview(ctx context.Context, x *exchange) (any, error) {
	var in PreviewRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	return a.services.Previews.Publish(ctx, by,
		preview.Request{CampaignSlug: in.CampaignSlug, Base: in.Base, Reviewers: in.Reviewers, Lang: in.Lang})
}

// showPreview renders the version of the campaign that is being served. Reviewers get it only while
// the campaign file enables previews. They cannot find out whether other campaigns exist.
func (a *API) showPreview(ctx context.Context, x *exchange) (any, error) {
	out := CampaignPreview{CampaignSlug: x.param}
	if t := x.bearer(reviewToken); t != "" {
		until, err := a.services.Previews.Check(ctx, t, x.param)
		if err != nil {
			return nil, err
		}
		out.ExpiresAt = &until
	}
	c, err := a.services.Campaigns().Campaign(x.param)
	if err != nil {
		return nil, err
	}
	if c.Archived() || out.ExpiresAt != nil && !c.PreviewEnabled {
		return nil, fault.New(fault.NotFound, "Campaign not found").In("campaignSlug")
	}
	out.Title = c.Title
	out.HTML, err = a.render(c, x.query().Get("lang"))
	return out, err
}

func (a *API) reviewers(ctx context.Context, slug string) (preview.Reviewers, error) {
	if _, err := a.services.Campaigns().Campaign(slug); err != nil {
		return preview.Reviewers{}, err
	}
	return a.services.Previews.Reviewers(ctx, slug)
}

func (a *API) renderDraft(ctx context.Context, x *exchange) (any, error) {
	var in PageRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	file, err := a.services.Content.CampaignFile(in.CampaignSlug)
	if err != nil {
		return nil, err
	}
	c, err := a.draftedCampaign(ctx, x, in, file)
	if err != nil {
		return nil, err
	}
	html, err := a.render(c, in.Lang)
	return DrawnPage{html}, err
}

// draftedCampaign returns the campaign with a draft's edits, or unchanged if there are none.
func (a *API) draftedCampaign(ctx context.Context, x *exchange, in PageRequest,
	file string) (*campaign.Campaign, error) {
	if len(in.Edits) == 0 {
		return a.services.Campaigns().Campaign(in.CampaignSlug)
	}
	return a.contentFor(x).WithDraft(ctx, content.Draft{File: file, Edits: in.Edits})
}

func (a *API) render(c *campaign.Campaign, lang string) (string, error) {
	if a.services.DrawPage == nil {
		return "", fault.New(fault.Unavailable, "This host cannot render pages")
	}
	b, err := a.services.DrawPage(c, lang)
	if err != nil {
		return "", fault.Wrap(err, fault.Conflict,
			"The page cannot be rendered: it uses a file that is damaged or not yet on this server")
	}
	return string(b), nil
}
