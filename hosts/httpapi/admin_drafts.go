package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// ClearRequest is the request body of POST /admin/marketing/draft/clear.
type ClearRequest struct {
	CampaignSlug string            `json:"campaignSlug"`
	Surface      broadcast.Surface `json:"surface"`
	Revision     string            `json:"revision"`
}

// DraftRequest is the request body of POST /admin/marketing/draft.
type DraftRequest struct {
	CampaignSlug string            `json:"campaignSlug"`
	Surface      broadcast.Surface `json:"surface"`
	Revision     string            `json:"revision"` // of the draft that it replaces; "" if there is none
	broadcast.Words
	Audience broadcast.Segment `json:"audience,omitzero"`
}

// cleared is the response of POST /admin/marketing/draft/clear.
type cleared struct {
	Success bool `json:"success"`
}

func (a *API) draftRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/marketing/draft", Tag: "mails",
			Summary: "A campaign's message draft; without a revision if there is none",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query:   []Param{{"campaignSlug", "The campaign", true}, {"surface", "marketing or blast", true}},
			Out:     "Draft", Errors: []int{400, 404},
			handle: a.loadDraft,
		},
		{
			Method: "POST", Pattern: "/admin/marketing/draft", Tag: "mails",
			Summary: "Save a draft, replacing the revision that it is based on",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "draft.save"},
			In:      "DraftRequest", Out: "Draft", Errors: []int{404, 409},
			handle: decoded(a.saveDraft),
		},
		{
			Method: "POST", Pattern: "/admin/marketing/draft/clear", Tag: "mails",
			Summary: "Delete a draft that still has the given revision",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "draft.clear"},
			In:      "ClearRequest", Out: "Cleared", Errors: []int{404, 409},
			handle: decoded(a.clearDraft),
		},
	}
}

func (a *API) loadDraft(ctx context.Context, x *exchange) (any, error) {
	q := x.query()
	if _, err := a.services.Campaigns().Campaign(q.Get("campaignSlug")); err != nil {
		return nil, err
	}
	return a.services.Drafts.Load(ctx, q.Get("campaignSlug"), broadcast.Surface(q.Get("surface")))
}

func (a *API) saveDraft(ctx context.Context, r DraftRequest) (broadcast.Draft, error) {
	if _, err := a.services.Campaigns().Campaign(r.CampaignSlug); err != nil {
		return broadcast.Draft{}, err
	}
	return a.services.Drafts.Save(ctx, r.CampaignSlug, r.Surface, r.Revision, r.Words, r.Audience)
}

func (a *API) clearDraft(ctx context.Context, r ClearRequest) (cleared, error) {
	if _, err := a.services.Campaigns().Campaign(r.CampaignSlug); err != nil {
		return cleared{}, err
	}
	return cleared{Success: true}, a.services.Drafts.Clear(ctx, r.CampaignSlug, r.Surface, r.Revision)
}
