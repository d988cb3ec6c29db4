package httpapi

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/admin/access"
)

// table is every route with its rules.
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
		a.ownRoutes(),
	)
}

func (a *API) checkoutRoutes() []Route {
	c := a.services.Checkout
	return []Route{
		{
			Method: "POST", Pattern: "/checkout-intent/start", Tag: "checkout",
			Personal: []Whose{Own},
			Summary:  "Begin a checkout: canonical totals, reservations, a session in which a card is saved",
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
			Summary:  "Go on with a checkout that is under way, with its reservations",
			Rules:    Rules{SameOrigin: true, Limits: limits(openLimit)},
			In:       "OpenRequest", Out: "Started", Errors: []int{401, 403, 404, 409, 410, 503},
			handle: decoded(c.Resume),
		},
		{
			Method: "POST", Pattern: "/checkout-intent/complete", Tag: "checkout",
			Summary: "Finish a checkout whose webhook is late or lost",
			Rules:   Rules{SameOrigin: true, Limits: limits(endLimit, perOrder("checkout-intent-complete", 12))},
			In:      "CompleteRequest", Out: "Completed", Errors: []int{404, 409, 410},
			handle: decoded(c.Complete),
		},
		{
			Method: "POST", Pattern: "/checkout-intent/abandon", Tag: "checkout",
			Summary: "Give a checkout up and its reservations back",
			Rules:   Rules{SameOrigin: true, Limits: limits(endLimit, perOrder("checkout-intent-abandon", 12))},
			In:      "AbandonRequest", Out: "Abandoned", Errors: []int{401, 403, 404, 409, 410},
			handle: decoded(c.Abandon),
		},
		{
			Method: "GET", Pattern: "/checkout-intent/summary", Tag: "checkout",
			Summary: "A checkout as its page shows it",
			Rules:   Rules{Limits: limits(readLimit)},
			Query:   []Param{{"orderId", "The order", true}}, Bearers: []Bearer{checkoutToken},
			Out: "Summary", Errors: []int{400, 401, 403, 404},
			handle: a.summary,
		},
		{
			Method: "POST", Pattern: "/tax/quote", Tag: "checkout",
			Personal: []Whose{Own},
			Summary:  "A preview of the tax; provisional while the address lacks a part",
			Rules:    Rules{SameOrigin: true, Reads: true, Limits: limits(perMinute("tax-quote", 90))},
			In:       "TaxQuoteRequest", Out: "TaxQuote", Errors: []int{404, 409, 503},
			handle: decoded(c.QuoteTax),
		},
		{
			Method: "POST", Pattern: "/shipping/quote", Tag: "checkout",
			Personal: []Whose{Own},
			Summary:  "A preview of the shipping",
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

// openLimit is shared by all that the page of a checkout under way asks, once a minute.
var openLimit = perMinute("checkout-intent-open", 120)

// endLimit is shared by all that ends a checkout. It is beside the limit of each order,
// of which a client may name as many as it likes.
var endLimit = perMinute("checkout-intent-end", 60)

// readLimit is shared by all that a supporter reads.
var readLimit = perMinute("pledge", 120)

// changeLimit is shared by all that a supporter changes.
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
			Summary: "Mail the links to an address' pledges to it; the answer is the same whether or not there are any",
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
			Summary: "What the token's pledge is charged with once it is joined with the others of its address",
			Rules:   Rules{Limits: limits(readLimit)},
			Bearers: []Bearer{pledgeToken, browserSession, joinToken},
			Out:     "Joining", Errors: []int{400, 401, 403, 404},
			handle: a.joining,
		},
		{
			Method: "POST", Pattern: "/pledge/join", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Have a pledge charged in one payment with the others of its address that were joined",
			Rules:    Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:       "JoinRequest", Out: "Joined", Errors: []int{401, 403, 404, 409},
			handle: decoded(c.Join),
		},
		{
			Method: "POST", Pattern: "/pledge/modify", Tag: "supporter",
			Summary: "Change an uncharged pledge, or see what a change would come to",
			Rules:   Rules{Limits: limits(changeLimit)},
			In:      "ModifyRequest", Out: "Modified", Errors: []int{401, 403, 404, 409, 503},
			handle: decoded(c.Modify),
		},
		{
			Method: "POST", Pattern: "/pledge/payment-method/start", Tag: "supporter",
			Summary: "Begin to replace the card",
			Rules:   Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:      "CardRequest", Out: "CardStarted", Errors: []int{401, 404, 409, 503},
			handle: decoded(c.StartCard),
		},
		{
			Method: "POST", Pattern: "/pledge/payment/approve", Tag: "supporter",
			Summary: "Begin to approve the payment that the bank wants to see approved",
			Rules:   Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:      "ApprovalRequest", Out: "ApprovalStarted", Errors: []int{401, 403, 404, 409, 503},
			handle: decoded(c.StartApproval),
		},
		{
			Method: "POST", Pattern: "/pledge/payment/approved", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Have the processor asked what became of the payment",
			Rules:    Rules{SameOrigin: true, Limits: limits(changeLimit)},
			In:       "ApprovalRequest", Out: "PledgeView", Errors: []int{401, 403, 404, 503},
			handle: decoded(c.CompleteApproval),
		},
		{
			Method: "GET", Pattern: "/votes", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Decisions as the token's supporter sees them",
			Rules:    Rules{Limits: limits(voteLimit)},
			Query:    []Param{{"decisions", "IDs with commas between, at most 20; none is all", false}}, Bearers: token,
			Out: "Standings", Errors: []int{400, 401, 403, 404, 503},
			handle: a.standings,
		},
		{
			Method: "POST", Pattern: "/votes", Tag: "supporter",
			Personal: []Whose{Own},
			Summary:  "Answer a decision",
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
			Summary: "A campaign's numbers",
			Rules:   Rules{Public: true, Lifetime: (*API).statsLife},
			Out:     "PublicStats", Errors: []int{404},
			handle: bySlug(p.Stats),
		},
		{
			Method: "GET", Pattern: "/inventory/:slug", Tag: "public",
			Summary: "What is left of a campaign's limited tiers and add-ons",
			Rules:   Rules{Public: true, Lifetime: (*API).stockLife},
			Out:     "Stock", Errors: []int{404},
			handle: bySlug(p.Stock),
		},
		{
			Method: "GET", Pattern: "/live/:slug", Tag: "public",
			Summary: "A campaign's card, numbers and stock",
			Rules:   Rules{Public: true, Lifetime: (*API).statsLife},
			Out:     "LiveCampaign", Errors: []int{404},
			handle: bySlug(p.Live),
		},
		{
			Method: "GET", Pattern: "/add-ons/inventory", Tag: "public",
			Summary: "What is left of the platform's add-ons",
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
			Summary:  "How a campaign's settlement stands: what it waits for, how far it is, and what holds it",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform},
			Out:      "Standing", Errors: []int{404},
			handle: bySlug(s.Standing),
		},
		{
			Method: "GET", Pattern: "/admin/settlement/:slug/failures", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Charges that were refused and may still be made good, by pages",
			Rules:    Rules{Secret: SettlementSecret, Operator: access.Platform},
			Query:    []Param{{"cursor", "The next of the page before", false}},
			Out:      "Failures", Errors: []int{400, 404},
			handle: a.failures,
		},
		{
			Method: "POST", Pattern: "/admin/settle-dispatch/:slug", Tag: "settlement",
			Personal: []Whose{Supporters},
			Summary:  "Start settling a campaign, batch after batch",
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
			Summary:  "Settle a small campaign at once, or see in a dry run what that would do",
			Rules:    Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.run", DryRun: true},
			In:       "SettleRequest", Out: "SettleReport", Errors: []int{404, 409},
			handle: a.settle,
		},
		{
			Method: "POST", Pattern: "/admin/settle-release/:slug", Tag: "settlement",
			Summary: "Let a settlement go on that was held because too many charges failed",
			Rules:   Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.release"},
			Out:     "Released", Errors: []int{404},
			handle: bySlug(a.release),
		},
		{
			Method: "POST", Pattern: "/admin/settle-accept", Tag: "settlement",
			Summary: "Let a settlement go on that was held because the campaign's file promises something else than its pledges rely on",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.accept"},
			In:      "AcceptRequest", Out: "Accepted", Errors: []int{404},
			handle: decoded(a.acceptTerms),
		},
		{
			Method: "POST", Pattern: "/admin/settle-stop", Tag: "settlement",
			Summary: "Stop all charging: settlements, whoever asks for them, and the retries of cards",
			Rules:   Rules{Secret: SettlementSecret, Operator: access.Platform, Action: "settlement.stop"},
			In:      "StopRequest", Out: "Stopped",
			handle: decoded(a.stopCharging),
		},
		{
			Method: "POST", Pattern: "/admin/settle-resume", Tag: "settlement",
			Summary: "Let charging go on that was stopped",
			Rules:   Rules{NoBody: true, Secret: SettlementSecret, Operator: access.Platform, Fresh: true, Action: "settlement.resume"},
			In:      "ResumeRequest", Out: "Stopped", Errors: []int{409, 503},
			handle: a.resumeCharging,
		},
		{
			Method: "POST", Pattern: "/admin/recover-checkout", Tag: "operations",
			Summary: "Finish a checkout whose webhook was missed",
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
			Summary: "Write projections anew from the objects, of one campaign or all, and take up pledges that a campaign's own object has lost",
			Rules:   Rules{NoBody: true, Secret: AdminSecret, Operator: access.Platform, Action: "projections.rebuild"},
			In:      "RebuildRequest", Out: "RebuiltAll", Errors: []int{404},
			handle: a.rebuild,
		},
		{
			Method: "GET", Pattern: "/admin/cron/status", Tag: "operations",
			Summary: "When the hourly work ran last",
			Rules:   Rules{Secret: AdminSecret, Operator: access.Platform},
			Out:     "CronStatus",
			handle:  plain(a.cronStatus),
		},
	}
}

func (a *API) ownRoutes() []Route {
	return []Route{
		a.securityTextRoute(),
		{
			Method: "GET", Pattern: "/healthz", Tag: "service",
			Summary: "The process runs",
			Out:     "Health",
			handle:  plain(a.health),
		},
		{
			Method: "GET", Pattern: "/readyz", Tag: "service",
			Summary: "What the service needs answers",
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
			Summary: "An active pledge for tests, made the way every pledge is made",
			Rules:   Rules{TestOnly: true},
			In:      "TestSetupRequest", Out: "TestSetup", Errors: []int{404, 409, 503},
			handle: decoded(a.testSetup),
		},
	}
}
