package httpapi

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
		// The response contains the supporter's email and addresses. It may, because the checkout
		// token is signed, stays in the browser that started the checkout, and expires with the
		// checkout. The token in a reminder, in contrast, is valid for two weeks and can be
		// forwarded, so it shows only the cart.
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
	}
}

// openLimit is shared by the routes that extend and resume a checkout. An open checkout page
// extends it every minute.
var openLimit = perMinute("checkout-intent-open", 120)

// endLimit is shared by the routes that end a checkout. It applies in addition to the limit per
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
			Summary: "Email an address the links to its pledges; the response is the same if there are none",
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
