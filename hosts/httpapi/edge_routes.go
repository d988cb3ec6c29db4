package httpapi

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// table returns all routes with their rules.
func (a *API) table() []Route {
	return slices.Concat(
		a.checkoutRoutes(),
		a.supporterRoutes(),
		a.publicRoutes(),
		a.adminRoutes(),
		a.resolveRoutes(), a.termsRoutes(), a.reopenRoutes(),
		a.orderRoutes(),
		a.bookRoutes(),
		a.broadcastRoutes(),
		a.mailRoutes(),
		a.reminderRoutes(),
		a.draftRoutes(),
		a.signInRoutes(),
		a.userRoutes(),
		a.auditRoutes(),
		a.reportRoutes(), a.analyticsRoutes(), a.visitRoutes(),
		a.accountingRoutes(),
		a.supportersRoutes(),
		a.fulfilmentRoutes(),
		a.pledgeHealthRoutes(),
		a.marketingRoutes(),
		a.suppressionRoutes(),
		a.observabilityRoutes(),
		a.healthRoutes(),
		a.passkeyRoutes(),
		a.contentRoutes(),
		a.mediaRoutes(),
		a.previewRoutes(),
		a.rehearsalRoutes(),
		a.sentRoutes(),
		a.serviceRoutes(),
	)
}

func (a *API) checkoutRoutes() []Route {
	c := a.services.Checkout
	return []Route{
		{
			Method: "POST", Pattern: "/checkout-intent/start", Tag: "checkout",
			Personal: []Whose{Own},
			Summary:  "Start a checkout: computes the totals, reserves items and creates a session to save a card",
			Rules:    Rules{SameOrigin: true, Limits: limits(perMinute("checkout-intent-start", 40))},
			In:       "StartRequest", Out: "Started", Errors: []int{409, 503},
			handle: a.start,
		},
		{
			Method: "POST", Pattern: "/checkout-intent/extend", Tag: "checkout",
			Summary: "Keep a checkout's reservations for as long as its page is open",
			Rules:   Rules{SameOrigin: true, Limits: limits(openLimit)},
			In:      "OpenRequest", Out: "Extended", Errors: []int{401, 403, 404, 409, 410},
			handle: decoded(c.Extend),
		},
		{
			Method: "POST", Pattern: "/checkout-intent/resume", Tag: "checkout",
			Personal: []Whose{Own},
			Summary:  "Resume an open checkout with its reservations",
			Rules:    Rules{SameOrigin: true, Limits: limits(openLimit)},
			In:       "OpenRequest", Out: "Started", Errors: []int{401, 403, 404, 409, 410, 503},
			handle: decoded(c.Resume),
		},
		{
			Method: "POST", Pattern: "/checkout-intent/complete", Tag: "checkout",
			Summary: "Complete a checkout whose webhook is late or lost",
			Rules:   Rules{SameOrigin: true, Limits: limits(endLimit, perOrder("checkout-intent-complete", 12))},
			In:      "CompleteRequest", Out: "Completed", Errors: []int{404, 409, 410},
			handle: decoded(c.Complete),
		},
		{
			Method: "POST", Pattern: "/checkout-intent/abandon", Tag: "checkout",
			Summary: "Abandon a checkout and release its reservations",
			Rules:   Rules{SameOrigin: true, Limits: limits(endLimit, perOrder("checkout-intent-abandon", 12))},
			In:      "AbandonRequest", Out: "Abandoned", Errors: []int{401, 403, 404, 409, 410},
			handle: decoded(c.Abandon),
		},
		{
			Method: "GET", Pattern: "/checkout-intent/summary", Tag: "checkout",
			Summary: "Summary of a checkout",
			Rules:   Rules{Limits: limits(readLimit)},
			Query:   []Param{{"orderId", "The order", true}}, Bearers: []Bearer{checkoutToken},
			Out: "Summary", Errors: []int{400, 401, 403, 404},
			handle: a.summary,
		},
		{
			Method: "POST", Pattern: "/tax/quote", Tag: "checkout",
			Personal: []Whose{Own},
			Summary:  "Tax quote; provisional while the address is incomplete",
			Rules:    Rules{SameOrigin: true, Reads: true, Limits: limits(perMinute("tax-quote", 90))},
			In:       "TaxQuoteRequest", Out: "TaxQuote", Errors: []int{404, 409, 503},
			handle: decoded(c.QuoteTax),
		},
		{
			Method: "POST", Pattern: "/shipping/quote", Tag: "checkout",
			Personal: []Whose{Own},
			Summary:  "Shipping quote",
			Rules:    Rules{SameOrigin: true, Reads: true, Limits: limits(perMinute("shipping-quote", 90))},
			In:       "Cart", Out: "ShippingQuote", Errors: []int{404, 409, 503},
			handle: decoded(c.QuoteShipping),
		},
		{
			Method: "POST", Pattern: "/webhooks/psp", Tag: "checkout",
			Summary: "The processor's events; signed, and each applied once",
			Rules:   Rules{RawBody: true, Webhook: true, Cap: MaxWebhookBody},
			In:      "Event", Out: "WebhookResult", Errors: []int{401, 404, 409, 410, 503},
			handle: a.webhook,
		},
	}
}

// openLimit is shared by the routes that an open checkout page calls every minute.
var openLimit = perMinute("checkout-intent-open", 120)

// endLimit is shared by the routes that end a checkout. It applies in addition to the limit of each
// order, because one client can send any number of order IDs.
var endLimit = perMinute("checkout-intent-end", 60)

// readLimit is shared by the routes that read a supporter's data.
var readLimit = perMinute("pledge", 120)

// changeLimit is shared by the routes that change a supporter's data.
var changeLimit = perMinute("pledge-change", 30)

func (a *API) supporterRoutes() []Route {
	c := a.services.Checkout
	token := []Bearer{pledgeToken}
	return []Route{
		{
			Method: "GET", Pattern: "/pledge", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "The token's pledge",
			Rules:    Rules{Limits: limits(readLimit)}, Bearers: token,
			Out: "PledgeView", Errors: []int{401, 403, 404},
			handle: byToken(c.View),
		},
		{
			Method: "GET", Pattern: "/pledges", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "The token's pledge as a list; empty once it is cancelled",
			Rules:    Rules{Limits: limits(readLimit)}, Bearers: token,
			Out: "PledgeViews", Errors: []int{401, 403, 404},
			handle: byToken(c.List),
		},
		{
			Method: "POST", Pattern: "/pledge/links", Tag: "supporter",
			Summary: "Email the links to an address's pledges to it; the response is the same if there are none",
			Rules:   Rules{SameOrigin: true, Limits: limits(perMinute("pledge-links", 5))},
			In:      "LinksRequest", Out: "LinksSent",
			handle: decoded(c.SendLinks),
		},
		{
			Method: "POST", Pattern: "/pledge/cancel", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Cancel an uncharged pledge",
			Rules:    Rules{Limits: limits(changeLimit)},
			In:       "CancelRequest", Out: "Cancelled", Errors: []int{401, 403, 404, 409},
			handle: decoded(c.Cancel),
		},
		{
			Method: "GET", Pattern: "/pledge/joining", Tag: "supporter",
			Summary: "The pledges with which the token's pledge would be charged after joining",
			Rules:   Rules{Limits: limits(readLimit)},
			Bearers: []Bearer{pledgeToken, browserSession, joinToken},
			Out:     "Joining", Errors: []int{400, 401, 403, 404},
			handle: a.joining,
		},
		{
			Method: "POST", Pattern: "/pledge/join", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Join a pledge with others of its address, so that they are charged in one payment",
			Rules:    Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:       "JoinRequest", Out: "Joined", Errors: []int{401, 403, 404, 409},
			handle: decoded(c.Join),
		},
		{
			Method: "POST", Pattern: "/pledge/modify", Tag: "supporter",
			Summary: "Change an uncharged pledge, or preview the change",
			Rules:   Rules{Limits: limits(changeLimit)},
			In:      "ModifyRequest", Out: "Modified", Errors: []int{401, 403, 404, 409, 503},
			handle: decoded(c.Modify),
		},
		{
			Method: "POST", Pattern: "/pledge/payment-method/start", Tag: "supporter",
			Summary: "Start replacing the card",
			Rules:   Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:      "CardRequest", Out: "CardStarted", Errors: []int{401, 404, 409, 503},
			handle: decoded(c.StartCard),
		},
		{
			Method: "POST", Pattern: "/pledge/payment/approve", Tag: "supporter",
			Summary: "Start the approval of a payment that the bank requires",
			Rules:   Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:      "ApprovalRequest", Out: "ApprovalStarted", Errors: []int{401, 403, 404, 409, 503},
			handle: decoded(c.StartApproval),
		},
		{
			Method: "POST", Pattern: "/pledge/payment/approved", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Refresh the pledge after the supporter has approved the payment",
			Rules:    Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:       "ApprovalRequest", Out: "PledgeView", Errors: []int{401, 403, 404, 503},
			handle: decoded(c.CompleteApproval),
		},
		{
			Method: "GET", Pattern: "/votes", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Votes for the token's supporter, with their results",
			Rules:    Rules{Limits: limits(voteLimit)},
			Query:    []Param{{"decisions", "Comma-separated IDs, at most 20; default all", false}}, Bearers: token,
			Out: "Standings", Errors: []int{400, 401, 403, 404, 503},
			handle: a.standings,
		},
		{
			Method: "POST", Pattern: "/votes", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Cast a vote",
			Rules:    Rules{Limits: limits(voteLimit)},
			In:       "VoteRequest", Out: "Voted", Errors: []int{401, 403, 404, 409, 503},
			handle: a.vote,
		},
	}
}

var voteLimit = perMinute("votes", 45)

func (a *API) publicRoutes() []Route {
	p := a.services.Projector
	return []Route{
		{
			Method: "GET", Pattern: "/stats/:slug", Tag: "public",
			Summary: "A campaign's totals",
			Rules:   Rules{Public: true, Lifetime: (*API).statsLife},
			Out:     "PublicStats", Errors: []int{404},
			handle: bySlug(p.Stats),
		},
		{
			Method: "GET", Pattern: "/inventory/:slug", Tag: "public",
			Summary: "Remaining stock of a campaign's limited tiers and add-ons",
			Rules:   Rules{Public: true, Lifetime: (*API).stockLife},
			Out:     "Stock", Errors: []int{404},
			handle: bySlug(p.Stock),
		},
		{
			Method: "GET", Pattern: "/live/:slug", Tag: "public",
			Summary: "A campaign's card, totals and stock",
			Rules:   Rules{Public: true, Lifetime: (*API).statsLife},
			Out:     "LiveCampaign", Errors: []int{404},
			handle: bySlug(p.Live),
		},
		{
			Method: "GET", Pattern: "/add-ons/inventory", Tag: "public",
			Summary: "Remaining stock of the platform's add-ons",
			Rules:   Rules{Public: true, Lifetime: (*API).stockLife},
			Out:     "AddOnStock",
			handle:  plain(p.AddOns),
		},
		{
			Method: "POST", Pattern: "/stats/:slug/check", Tag: "operations",
			Summary: "Compare a campaign's projections with its objects",
			Rules:   Rules{NoBody: true, Reads: true, Secret: AdminSecret, Operator: access.Platform},
			Out:     "CheckedCampaign", Errors: []int{404},
			handle: bySlug(a.checkCampaign),
		},
	}
}

func (a *API) adminRoutes() []Route {
	s, c := a.services.Settlement, a.services.Checkout
	return []Route{
		{
			Method: "GET", Pattern: "/admin/settlement/:slug", Tag: "settlement",
			Personal: []Whose{Operators},
			Summary:  "Status of a campaign's settlement: progress, pending work and holds",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform},
			Out:      "Standing", Errors: []int{404},
			handle: bySlug(s.Status),
		},
		{
			Method: "GET", Pattern: "/admin/settlement/:slug/failures", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Declined charges that can still be recovered, in pages",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform},
			Query:    []Param{{"cursor", "The next of the page before", false}},
			Out:      "Failures", Errors: []int{400, 404},
			handle: a.failures,
		},
		{
			Method: "POST", Pattern: "/admin/settle-dispatch/:slug", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Start settling a campaign in batches",
			Rules:    Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.dispatch"},
			Out:      "Progress", Errors: []int{404, 409},
			handle: a.dispatch,
		},
		{
			Method: "POST", Pattern: "/admin/settle-batch", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Settle a campaign's next batch",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform, Fresh: true},
			In:       "BatchRequest", Out: "Progress", Errors: []int{404, 409},
			handle: decoded(s.Batch),
		},
		{
			Method: "POST", Pattern: "/admin/settle/:slug", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Settle a small campaign at once, or preview it in a dry run",
			Rules:    Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.run", DryRun: true},
			In:       "SettleRequest", Out: "SettleReport", Errors: []int{404, 409},
			handle: a.settle,
		},
		{
			Method: "POST", Pattern: "/admin/settle-release/:slug", Tag: "settlement",
			Summary: "Release a settlement that was held because too many charges failed",
			Rules:   Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.release"},
			Out:     "Released", Errors: []int{404},
			handle: bySlug(a.release),
		},
		{
			Method: "POST", Pattern: "/admin/settle-accept", Tag: "settlement",
			Summary: "Accept a campaign file that breaks promises to supporters, and release the settlement that it holds",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.accept"},
			In:      "AcceptRequest", Out: "Accepted", Errors: []int{404},
			handle: decoded(a.acceptTerms),
		},
		{
			Method: "POST", Pattern: "/admin/settle-stop", Tag: "settlement",
			Summary: "Stop all charges, including manual settlements and retries with new cards",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Action: "settlement.stop"},
			In:      "StopRequest", Out: "Stopped",
			handle: decoded(a.stopCharging),
		},
		{
			Method: "POST", Pattern: "/admin/settle-resume", Tag: "settlement",
			Summary: "Resume charging after a stop",
			Rules:   Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.resume"},
			In:      "ResumeRequest", Out: "Stopped", Errors: []int{409, 503},
			handle: a.resumeCharging,
		},
		{
			Method: "POST", Pattern: "/admin/recover-checkout", Tag: "operations",
			Summary: "Complete a checkout whose webhook was missed",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform, Action: "checkout.recover"},
			In:      "RecoverRequest", Out: "Completed", Errors: []int{404, 409, 410},
			handle: decoded(c.Recover),
		},
		{
			Method: "POST", Pattern: "/admin/projections/check", Tag: "operations",
			Summary: "Compare every campaign's projections with its objects",
			Rules:   Rules{NoBody: true, Reads: true, Secret: AdminSecret, Operator: access.Platform},
			Out:     "CheckedAll",
			handle:  plain(a.checkAll),
		},
		{
			Method: "POST", Pattern: "/admin/projections/rebuild", Tag: "operations",
			Summary: "Rebuild the projections of one campaign or all from the objects, and restore pledges missing from a campaign's object",
			Rules:   Rules{NoBody: true, Secret: AdminSecret, Operator: access.Platform, Action: "projections.rebuild"},
			In:      "RebuildRequest", Out: "RebuiltAll", Errors: []int{404},
			handle: a.rebuild,
		},
		{
			Method: "GET", Pattern: "/admin/cron/status", Tag: "operations",
			Summary: "Time of the last hourly run",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Out:     "CronStatus",
			handle:  plain(a.cronStatus),
		},
	}
}

func (a *API) serviceRoutes() []Route {
	return []Route{
		a.securityTextRoute(),
		{
			Method: "GET", Pattern: "/healthz", Tag: "service",
			Summary: "Liveness check",
			Out:     "Health",
			handle:  plain(a.health),
		},
		{
			Method: "GET", Pattern: "/readyz", Tag: "service",
			Summary: "Readiness check",
			Out:     "Health", Errors: []int{503},
			handle: plain(a.ready),
		},
		{
			Method: "GET", Pattern: "/openapi.json", Tag: "service",
			Summary: "This document",
			Rules:   Rules{Public: true},
			Out:     "Document",
			handle:  a.serveDocument,
		},
		{
			Method: "POST", Pattern: "/test/setup", Tag: "service",
			Summary: "Create an active pledge for tests through a regular checkout",
			Rules:   Rules{TestOnly: true},
			In:      "TestSetupRequest", Out: "TestSetup", Errors: []int{404, 409, 503},
			handle: decoded(a.testSetup),
		},
	}
}
