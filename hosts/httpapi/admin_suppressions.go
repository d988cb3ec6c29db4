package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxSuppressionPage is the maximum number of addresses per page.
const maxSuppressionPage = 100

func (a *API) suppressionRoutes() []Route {
	const path = "/admin/marketing/suppressions"
	return []Route{
		{
			Method: "GET", Pattern: path, Tag: "mails",
			Summary: "Addresses that operators excluded from a campaign's news or, without a campaign, from all reminders and news",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Listing: maxSuppressionPage},
			Query: []Param{{"campaignSlug", "The campaign; optional for super admins", false},
				{"limit", "Addresses per page, 1 to 100", false}, {"cursor", "The next value of the previous page", false}},
			Personal: []Whose{Supporters, Operators},
			Out:      "Suppressions", Errors: []int{400, 404, 503},
			handle: a.suppressions,
		},
		{
			Method: "POST", Pattern: path, Tag: "mails",
			Summary:  "Exclude an address from a campaign's news or, without a campaign, from all reminders and news",
			Rules:    Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "suppression.add", Resumed: true},
			Personal: []Whose{Supporters, Operators},
			In:       "SuppressionRequest", Out: "Suppression", Errors: []int{404, 503},
			handle: a.suppress,
		},
		{
			Method: "POST", Pattern: path + "/clear", Tag: "mails",
			Summary: "Clear an operator's exclusion, a bounce or a complaint, so that the address gets emails again",
			Rules:   Rules{Secret: BroadcastSecret, Operator: access.Mails, Action: "suppression.clear", Resumed: true},
			In:      "SuppressionClearance", Out: "SuppressionCleared", Errors: []int{404, 503},
			handle: a.clearSuppression,
		},
	}
}

// Suppressions is the response of GET /admin/marketing/suppressions.
type Suppressions struct {
	Suppressions []suppression.Named `json:"suppressions"`
	Next         string              `json:"next"` // cursor of the next page, "" on the last
}

// suppressionScope returns the scope of a suppression: a campaign's news or, without a campaign,
// everything except mails about pledges.
func (a *API) suppressionScope(slug string) (suppression.Scope, error) {
	if slug == "" {
		return suppression.Scope{}, nil
	}
	_, err := a.services.Campaigns().Campaign(slug)
	return suppression.Scope{Topic: suppression.Updates, Campaign: slug}, err
}

func (a *API) suppressions(ctx context.Context, x *exchange) (any, error) {
	s, err := a.suppressionScope(x.query().Get("campaignSlug"))
	if err != nil {
		return nil, err
	}
	limit, err := number(x, "limit", maxSuppressionPage)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxSuppressionPage {
		return nil, fault.New(fault.Invalid, "The limit must be from 1 to %d", maxSuppressionPage).In("limit")
	}
	all, next, err := a.services.Suppressions.AllNamed(ctx, s, x.query().Get("cursor"), limit)
	return Suppressions{append([]suppression.Named{}, all...), next}, err
}

// SuppressionRequest is the request body of POST /admin/marketing/suppressions.
type SuppressionRequest struct {
	CampaignSlug string `json:"campaignSlug"`
	Email        string `json:"email"`
}

func (a *API) suppress(ctx context.Context, x *exchange) (any, error) {
	var in SuppressionRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	s, err := a.suppressionScope(in.CampaignSlug)
	if err != nil {
		return nil, err
	}
	return a.services.Suppressions.AddNamed(ctx, s, in.Email, x.operator)
}

// SuppressionClearance is the request body of POST /admin/marketing/suppressions/clear.
type SuppressionClearance struct {
	CampaignSlug string `json:"campaignSlug"`
	Email        string `json:"email"`
	// Why is the reason to clear: "operator", the default, or, without a campaign, "bounced" or
	// "complained".
	Why suppression.Reason `json:"why"`
}

// SuppressionCleared lists the reasons that still suppress mails to the address in the same scope.
type SuppressionCleared struct {
	Reasons []suppression.Reason `json:"reasons"`
}

// clearSuppression clears an operator's suppression, or a bounce or complaint. It never clears a
// reader's own unsubscription, which only the reader can undo with the link in the mail.
func (a *API) clearSuppression(ctx context.Context, x *exchange) (any, error) {
	var in SuppressionClearance
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	var out SuppressionCleared
	email, err := pledge.ParseEmail(in.Email)
	if err != nil {
		return out, err
	}
	s, err := a.suppressionScope(in.CampaignSlug)
	if err != nil {
		return out, err
	}
	switch in.Why {
	case "":
		in.Why = suppression.Operator
	case suppression.Operator:
	case suppression.Bounced, suppression.Complained:
		if in.CampaignSlug != "" {
			return out, fault.New(fault.Invalid, "Bounces and complaints apply to all campaigns").In("campaignSlug")
		}
		if x.resumed {
			return out, fault.New(fault.Conflict, "The mail provider may have reported the address again since the request: check it and try again")
		}
	default:
		return out, fault.New(fault.Invalid, "The reason must be operator, bounced or complained").In("why")
	}
	if err := a.services.Suppressions.Clear(ctx, s, email, in.Why); err != nil {
		return out, err
	}
	reasons, err := a.services.Suppressions.Reasons(ctx, s, email)
	out.Reasons = append([]suppression.Reason{}, reasons...)
	return out, err
}
