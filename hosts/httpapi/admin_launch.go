package httpapi

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/content"
)

// launchRoutes returns the routes that launch and withdraw a campaign, and those that report
// claimed units.
func (a *API) launchRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/campaigns/launch/:slug", Tag: "content",
			Summary: "Checklist before a campaign goes public, and what the launch does",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Content},
			Query:   langQuery,
			Out:     "LaunchList", Errors: []int{400, 404, 503},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				if _, err := langOf(x); err != nil {
					return nil, err
				}
				return a.contentFor(x).LaunchList(ctx, x.param)
			},
		},
		{
			Method: "POST", Pattern: "/admin/campaigns/launch/:slug", Tag: "content",
			Summary: "Make a campaign public, or show in a dry run what the launch does",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Content, Action: "campaign.launch", DryRun: true},
			Query:   langQuery,
			In:      "LaunchRequest", Out: "Launched", Errors: []int{400, 404, 409, 503},
			handle: a.launchCampaign,
		},
		{
			Method: "POST", Pattern: "/admin/campaigns/withdraw/:slug", Tag: "content",
			Summary:  "Take a campaign off the site, or show in a dry run whom that affects",
			Personal: []Whose{Operators},
			Rules:    Rules{Secret: AdminSecret, Operator: access.Content, Action: "campaign.withdraw", DryRun: true},
			Query:    langQuery,
			In:       "WithdrawRequest", Out: "Withdrawn", Errors: []int{400, 404, 409, 503},
			handle: a.withdrawCampaign,
		},
		{
			Method: "GET", Pattern: "/admin/campaigns/claims/:slug", Tag: "content",
			Summary: "Claimed units of a campaign's rewards and add-ons, and amounts of its support items",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Content},
			Out:     "Claims", Errors: []int{404},
			handle: func(ctx context.Context, x *exchange) (any, error) {
				return a.services.Content.ClaimsOf(ctx, x.param)
			},
		},
		{
			Method: "GET", Pattern: "/admin/add-ons/claims", Tag: "content",
			Summary: "Sold units of the platform's add-ons",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Out:     "Claims",
			handle: func(ctx context.Context, _ *exchange) (any, error) {
				return a.services.Content.PlatformClaims(ctx)
			},
		},
	}
}

// LaunchRequest is the request body of POST /admin/campaigns/launch/{slug}.
type LaunchRequest struct {
	// Base is the SHA of the file that the caller has seen. A dry run ignores it.
	Base     string `json:"base,omitempty"`
	ChangeID string `json:"changeId,omitempty"`
	DryRun   bool   `json:"dryRun,omitempty"`
}

// Launched is the response to a launch: the checklist in a dry run, otherwise the published change.
type Launched struct {
	DryRun    bool               `json:"dryRun"`
	Launch    *content.Launch    `json:"launch,omitempty"`
	Published *content.Published `json:"published,omitempty"`
}

func (a *API) launchCampaign(ctx context.Context, x *exchange) (any, error) {
	var in LaunchRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	s := a.contentFor(x)
	if in.DryRun {
		l, err := s.LaunchList(ctx, x.param)
		return Launched{DryRun: true, Launch: &l}, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	p, err := s.Launch(ctx, by, x.param, in.Base)
	return Launched{Published: &p}, err
}

// WithdrawRequest is the request body of POST /admin/campaigns/withdraw/{slug}.
type WithdrawRequest struct {
	Visibility string `json:"visibility"`
	Reason     string `json:"reason,omitempty"`
	ChangeID   string `json:"changeId,omitempty"`
	DryRun     bool   `json:"dryRun,omitempty"`
}

// Withdrawn is the response to a withdrawal: its review in a dry run, otherwise the published
// change.
type Withdrawn struct {
	DryRun    bool               `json:"dryRun"`
	Review    *content.Review    `json:"review,omitempty"`
	Published *content.Published `json:"published,omitempty"`
}

func (a *API) withdrawCampaign(ctx context.Context, x *exchange) (any, error) {
	var in WithdrawRequest
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	s := a.contentFor(x)
	if in.DryRun {
		r, err := s.PreviewWithdrawal(ctx, x.param, in.Visibility)
		return Withdrawn{DryRun: true, Review: &r}, err
	}
	by, err := a.author(x, in.ChangeID)
	if err != nil {
		return nil, err
	}
	p, err := s.Withdraw(ctx, by, x.param, in.Visibility, in.Reason)
	return Withdrawn{Published: &p}, err
}
