package httpapi

import (
	"cmp"
	"context"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func (a *API) pledgeHealthRoutes() []Route {
	return []Route{
		{
			Method: "GET", Pattern: "/admin/pledge-health/:slug", Tag: "supporters",
			Personal: []Whose{Supporters},
			Summary:  "Pledges likely to fail after the deadline: expiring cards, undeliverable addresses, and the amounts at risk",
			Rules:    Rules{Secret: AdminSecret, Operator: access.Supporters, And: access.Money},
			Query: []Param{{"limit",
				"Approximate number of pledges per page, 1 to 50; each card is looked up at the processor", false},
				{"cursor", "The next value of the previous page", false}},
			Out: "PledgeHealth", Errors: []int{400, 404, 409, 503},
			handle: a.pledgeHealth,
		},
		{
			Method: "POST", Pattern: "/admin/pledge-health/:slug/check", Tag: "supporters",
			Summary: "Check the next cards of a campaign; after the last page, the result is part of the summary",
			Rules:   Rules{NoBody: true, Secret: AdminSecret, Operator: access.Supporters, And: access.Money},
			In:      "CardCheckRequest", Out: "CardsChecked", Errors: []int{404, 409, 503},
			handle: a.checkCards,
		},
		{
			Method: "POST", Pattern: "/admin/pledge-health/:slug/ask", Tag: "supporters",
			Summary: "Ask the supporters on a page for another card, once per reason, or count them in a dry run",
			Rules: Rules{Secret: AdminSecret, Operator: access.Supporters, And: access.Mails, Fresh: true,
				Action: "pledge_health.ask", Resumed: true, DryRun: true},
			In: "AskForCards", Out: "CardsAsked", Errors: []int{404, 409, 503},
			handle: a.askForCards,
		},
	}
}

// healthPage is the default number of pledges per page.
const healthPage = 25

func (a *API) pledgeHealth(ctx context.Context, x *exchange) (any, error) {
	c, err := a.services.Campaigns().Campaign(x.param)
	if err != nil {
		return nil, err
	}
	limit, err := number(x, "limit", healthPage)
	if err != nil {
		return nil, err
	}
	return a.services.PledgeHealth.Findings(ctx, c, x.query().Get("cursor"), limit)
}

// CardCheckRequest is the optional request body of POST /admin/pledge-health/:slug/check.
type CardCheckRequest struct {
	Cursor string `json:"cursor"` // the next value of the previous page; "" starts a check
	Limit  int    `json:"limit"`  // approximate number of pledges, 1 to 50; 0 means 25
}

func (a *API) checkCards(ctx context.Context, x *exchange) (any, error) {
	c, err := a.services.Campaigns().Campaign(x.param)
	if err != nil {
		return nil, err
	}
	var in CardCheckRequest
	if err := decodeOptional(x.Body, &in); err != nil {
		return nil, err
	}
	return a.services.PledgeHealth.Check(ctx, c, in.Cursor, cmp.Or(in.Limit, healthPage))
}

// AskForCards is the request body of POST /admin/pledge-health/:slug/ask.
type AskForCards struct {
	DryRun *bool  `json:"dryRun"` // required, because sent mails cannot be undone
	Cursor string `json:"cursor"` // the next value of the previous page
	Limit  int    `json:"limit"`  // approximate number of pledges, 1 to 50; 0 means 25
}

func (a *API) askForCards(ctx context.Context, x *exchange) (any, error) {
	c, err := a.services.Campaigns().Campaign(x.param)
	if err != nil {
		return nil, err
	}
	var in AskForCards
	if err := decodeJSON(x.Body, &in); err != nil {
		return nil, err
	}
	if in.DryRun == nil {
		return nil, fault.New(fault.Invalid, "Missing dryRun").In("dryRun")
	}
	if in.Limit == 0 {
		in.Limit = healthPage
	}
	return a.services.PledgeHealth.RequestCards(ctx, c, in.Cursor, in.Limit, *in.DryRun)
}
