package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
)

// ClearRequest clears the draft that the revision is of.
type ClearRequest struct {
	CampaignSlug string            `json:"campaignSlug"`
	Surface      broadcast.Surface `json:"surface"`
	Revision     string            `json:"revision"`
}

// DraftRequest saves what stands in it.
type DraftRequest struct {
	CampaignSlug string            `json:"campaignSlug"`
	Surface      broadcast.Surface `json:"surface"`
	Revision     string            `json:"revision"` // of the draft that it takes the place of; "" where there was none
	broadcast.Words
}

// cleared is the answer to a draft that is gone.
type cleared struct {
	Success bool `json:"success"`
}

func (a *API) draftRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/marketing/draft", Tag: "mails",
			Summary: "The message that a campaign's operators are writing; one without a revision where there is none",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails},
			Query:   []Param{{"campaignSlug", "The campaign", true}, {"surface", "marketing or blast", true}},
			Out:     "Draft", Errors: []int{400, 404},
			handle: a.loadDraft,
		},
		{
			Method: "POST", Pattern: "/admin/marketing/draft", Tag: "mails",
			Summary: "Save a draft over the revision that it was written from",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "draft.save"}, In: "DraftRequest", Out: "Draft", Errors: []int{404, 409},
			handle: decoded(a.saveDraft),
		},
		{
			Method: "POST", Pattern: "/admin/marketing/draft/clear", Tag: "mails",
			Summary: "Clear a draft of the revision that was looked at",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "draft.clear"}, In: "ClearRequest", Out: "Cleared", Errors: []int{404, 409},
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
	return a.services.Drafts.Save(ctx, r.CampaignSlug, r.Surface, r.Revision, r.Words)
}

func (a *API) clearDraft(ctx context.Context, r ClearRequest) (cleared, error) {
	if _, err := a.services.Campaigns().Campaign(r.CampaignSlug); err != nil {
		return cleared{}, err
	}
	return cleared{Success: true}, a.services.Drafts.Clear(ctx, r.CampaignSlug, r.Surface, r.Revision)
}
