package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// NewsTestRequest is the request body of POST /admin/broadcast/test and POST
// /admin/broadcast/preview.
type NewsTestRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Subject      string `json:"subject"`
	Body         string `json:"body"`
	Label        string `json:"ctaLabel,omitempty"`
	URL          string `json:"ctaUrl,omitempty"`
	Lang         string `json:"preferredLang,omitempty"`
	ChangeID     string `json:"changeId,omitempty"`
}

// NewsTested is the response to a test: the address that it was sent to.
type NewsTested struct {
	Email string `json:"email"`
}

func (a *API) sentRoutes() []Route {
	return []Route{
		{
			Method: "POST", Pattern: "/admin/broadcast/test", Tag: "mails",
			Summary:  "Send a test of a message to the caller only",
			Personal: []Whose{Own},
			Rules:    Rules{Operator: access.Mails, Action: "broadcast.test"}, In: "NewsTestRequest", Out: "NewsTested",
			Errors: []int{404, 503},
			handle: a.testNews,
		},
		{
			Method: "POST", Pattern: "/admin/broadcast/preview", Tag: "mails",
			Summary: "A message as a supporter gets it, in HTML and as text; sends nothing",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Reads: true}, In: "NewsTestRequest",
			Out: "NewsPreview", Errors: []int{404, 503},
			handle: decoded(a.previewNews),
		},
		{
			Method: "POST", Pattern: "/admin/broadcast/audience", Tag: "mails",
			Summary: "Number of supporters that a message is for, and the groups that it can be narrowed to",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Reads: true}, In: "AudienceRequest",
			Out: "NewsAudience", Errors: []int{404, 503},
			handle: decoded(a.services.NewsAudience),
		},
		{
			Method: "GET", Pattern: "/admin/broadcast/sent", Tag: "mails",
			Summary: "Messages sent to a campaign's supporters, newest first, with their delivery states",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query: []Param{{"campaignSlug", "The campaign", true}, {"limit", "1 to 50; default 20", false},
				{"cursor", "The next value of the previous page", false}},
			Out: "SentNews", Errors: []int{400, 404, 503},
			handle: a.sentNews,
		},
		{
			Method: "GET", Pattern: "/admin/broadcast/diary", Tag: "mails",
			Summary: "Diary entries of a campaign, and to how many supporters each was emailed",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query:   []Param{{"campaignSlug", "The campaign", true}},
			Out:     "DiaryMails", Errors: []int{400, 404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				return a.services.DiaryMails(ctx, x.query().Get("campaignSlug"))
			},
		},
	}
}

func (a *API) testNews(ctx context.Context, x *exchange) (any, error) {
	var in NewsTestRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	return NewsTested{x.operator}, a.services.TestNews(ctx, in.news(), x.operator, in.Lang, by.ID)
}

func (r NewsTestRequest) news() compose.NewsRequest {
	return compose.NewsRequest{CampaignSlug: r.CampaignSlug, Subject: r.Subject, Body: r.Body, Label: r.Label, URL: r.URL}
}

func (a *API) previewNews(ctx context.Context, in NewsTestRequest) (compose.NewsPreview, error) {
	return a.services.PreviewNews(ctx, in.news(), in.Lang)
}

func (a *API) sentNews(ctx context.Context, x *exchange) (any, error) {
	slug := x.query().Get("campaignSlug")
	if _, err := a.services.Campaigns().Campaign(slug); err != nil {
		return nil, err
	}
	limit, err := number(x, "limit", defaultHistory)
	if err != nil {
		return nil, err
	}
	cursor, err := number(x, "cursor", 0)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > 50 {
		return nil, fault.New(fault.Invalid, "The limit must be from 1 to 50").In("limit")
	}
	return a.services.Sent(ctx, slug, cursor, limit)
}
