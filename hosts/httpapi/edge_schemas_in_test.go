package httpapi

import (
	"maps"
	"slices"
)

func without(fields node, optional []string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(f string) bool { return slices.Contains(optional, f) })
}

// workerSchemas are the schemas referenced by the routes on Workers.
func workerSchemas() node {
	return merged(requestSchemas(), sharedSchemas(), checkoutSchemas(), supporterSchemas(), publicSchemas(),
		adminSchemas(), operatorSchemas(), overviewSchemas(), timelineSchemas(), rehearsalSchemas())
}

func cartFields() node {
	return node{
		"campaignSlug": about(text(),
			"Lower-case letters, digits and hyphens, at most 100; optional if the items name their campaigns"),
		"items":           list(ref("Item")),
		"customAmount":    dollars("Custom support amount"),
		"tipPercent":      integer(),
		"tipCents":        cents("Tip as an amount instead of a percentage, from 50 to 50000"),
		"shippingAddress": ref("Address"),
		"billingAddress":  ref("Address"),
		"shippingOption":  text(),
	}
}

func requestSchemas() node {
	token := about(text(), "Token from the manage link")
	return node{
		"Item": question(node{
			"id": about(text(),
				"{slug}__{tierId}, {slug}__support__{itemId}, {slug}__custom-support, {slug}__addon__{productId}[__variant__{variantId}] or addon__{productId}[__variant__{variantId}]"),
			"quantity": integer(),
			"amount":   dollars("Of support"),
		}, "id"),
		"Cart": question(cartFields()),
		"StartRequest": question(merged(cartFields(), node{
			"email":                about(text(), "At most 254 characters"),
			"preferredLang":        about(text(), "en or es"),
			"abandonedCartConsent": boolean(),
			"attribution":          ref("Attribution"),
			"attempt": about(text(),
				"Random value from the client, 16 to 64 letters, digits, - and _. A repeated start with the same value, after a lost response, replaces the first"),
			"session": about(text(),
				"Random secret of the browser session, 22 to 64 letters, digits, - and _. Pledges of one address to one campaign with the same secret are charged together"),
			"manageToken": about(text(),
				"Token from a link mailed to the address. The new pledges are charged in one payment with the joined pledges, and with the link's own pledge if it is to the same campaign"),
		}), "email"),
		"Attribution": question(node{
			"referral": text(), "utmSource": text(), "utmMedium": text(), "utmCampaign": text(), "utmContent": text(),
		}),
		"CompleteRequest": question(node{"orderId": text(), "sessionId": text()}, "orderId", "sessionId"),
		"OpenRequest": question(node{"orderId": text(), "token": about(text(), "The checkoutToken from the start")},
			"orderId", "token"),
		"AbandonRequest": question(node{"orderId": text(), "token": about(text(), "The checkoutToken from the start")},
			"orderId", "token"),
		"TaxQuoteRequest": question(merged(cartFields(), node{
			"subtotalCents": cents("Used if there are no items"),
			"shippingCents": cents("Shipping, if known"),
		})),
		"Event": node{"type": "object", "description": "An event as its sender signs it"},
		"ClearRequest": question(node{"campaignSlug": text(), "surface": word("marketing", "blast"), "revision": text()},
			"campaignSlug", "surface", "revision"),
		"DraftRequest": question(node{
			"campaignSlug": text(), "surface": word("marketing", "blast"),
			"revision": about(text(), "Revision of the draft that it replaces; empty if there is none"),
			"subject":  text(), "body": about(text(), "Markdown"), "ctaLabel": text(), "ctaUrl": text(), "audience": segment(),
		}, "campaignSlug", "surface", "revision"),
		"ReminderRequest": question(node{
			"campaignSlug": text(), "email": about(text(), "At most 254 characters"),
			"consent":       about(boolean(), "Must be true"),
			"challenge":     about(text(), "Response of the challenge, if one is configured"),
			"preferredLang": about(text(), "en or es"),
		}, "campaignSlug", "email", "consent"),
		"ReminderConfirmation": question(node{"token": about(text(), "Token from the link in the confirmation email"),
			"preferredLang": about(text(), "en or es")}, "token"),
		"TokenRequest": question(node{"token": about(text(), "Token from the link in an email")}, "token"),
		"NewsRequest": question(node{
			"campaignSlug": text(), "subject": text(), "body": about(text(), "Markdown"),
			"ctaLabel": about(text(), "Label of a button below the text"),
			"ctaUrl":   about(text(), "Target of the button: a path on the site or a URL"),
			"dryRun":   boolean(), "hash": about(text(),
				"Hash from the dry run. If set, message and audience must not have changed; required for a blast"),
			"audience": segment(),
			"resend": about(boolean(),
				"Send it although a message with the same subject was sent in the last 30 days; requires changeId"),
			"changeId": about(text(), "ID of the request, with which it can be repeated"),
		}, "campaignSlug", "subject", "body"),
		"AudienceRequest": question(node{"campaignSlug": text(), "audience": segment()}, "campaignSlug"),
		"DiaryRequest": question(node{"campaignSlug": text(), "entryId": about(text(), "Default: the newest"),
			"dryRun": boolean()}, "campaignSlug"),
		"TurnRequest": question(node{"id": text(), "to": word("paused", "sending", "stopped"), "reason": text()},
			"id", "to"),
		"LinksRequest": question(node{"email": about(text(), "At most 254 characters")}, "email"),
		"CancelRequest": question(node{"token": token, "orderId": text(),
			"reason": about(text(), "Why, at most 300 characters; optional")}, "token"),
		"JoinRequest": question(node{
			"token": token, "orderId": text(),
			"session": about(text(),
				"Secret of the browser session, as in StartRequest. If the pledge was started with it, its card may pay for the others, and the session's other pledges are joined too"),
			"all": about(text(),
				"Token from the joining link in a confirmation: joins all pledges of the address to the campaign"),
			"total": cents("The total that was shown; others are rejected"),
		}, "token"),
		"ModifyRequest": question(node{
			"token": token, "orderId": text(),
			"items":            about(list(ref("Item")), "The whole new selection"),
			"customAmount":     dollars("New custom support; 0 removes it"),
			"tipPercent":       integer(),
			"tipCents":         cents("Tip as an amount instead of a percentage"),
			"shippingOption":   text(),
			"shippingAddress":  ref("Address"),
			"expectedRevision": about(integer(), "The revision that the supporter saw"),
			"dryRun":           boolean(),
		}, "token"),
		"CardRequest":     question(node{"token": token, "orderId": text(), "preferredLang": text()}, "token"),
		"ApprovalRequest": question(node{"token": token, "orderId": text()}, "token"),
		"VoteRequest": question(node{"token": token, "decisionId": text(), "option": text()},
			"token", "decisionId", "option"),
		"AcceptRequest": question(node{
			"campaignSlug": text(), "reason": about(text(), "Reason, at most 500 letters, digits and . , ( ) -"),
		}, "campaignSlug", "reason"),
		"StopRequest": question(node{"reason": about(text(), "Reason, at most 500 letters, digits and . , ( ) -")},
			"reason"),
		"PauseRequest": question(node{"reason": about(text(), "Reason, at most 500 letters, digits and . , ( ) -")},
			"reason"),
		"HoldRequest": question(node{
			"orderId": text(), "choice": word("hold", "release"), "changeId": about(text(), "Unique for each change; a repeat has the same"),
			"reason": about(text(), "Recorded as evidence, at most 2,000 bytes"),
		}, "orderId", "choice", "changeId", "reason"),
		"WarningRequest": question(node{"warningId": about(text(), "As in the supporter's timeline"),
			"reason": about(text(), "For the audit log")}, "warningId"),
		"EvidenceRequest": question(node{"disputeId": about(text(), "ID of the dispute from the list")}, "disputeId"),
		"RemindRequest": question(node{
			"orderId": about(text(), "Remind only the supporter of this order"),
			"cursor":  about(text(), "The next value of the previous page; not with orderId"), "dryRun": boolean(),
		}, "dryRun"),
		"Statement": question(node{
			"group":           about(text(), "ID of the charge from the list"),
			"paymentIntentId": about(text(), "Payment to book the charge with"),
			"nothingCharged":  about(boolean(), "There is no payment. Set either this or paymentIntentId"),
			"acceptAmount": about(boolean(),
				"Book the payment although its amount differs from the requested one; the pledges then have the charged amount"),
		}, "group"),
		"TermsRequest": question(node{
			"orderId": about(text(), "ID of the pledge to be charged with its current amount"),
			"reason":  about(text(), "Reason, at most 500 letters, digits and . , ( ) -"),
		}, "orderId", "reason"),
		"ReopenRequest": question(node{"reason": about(text(), "Reason, at most 500 letters, digits and . , ( ) -")},
			"reason"),
		"ResumeRequest": question(node{"anyway": about(text(),
			"Reason to resume charging after a restore despite open decisions")}),
		"BatchRequest":  question(node{"campaignSlug": text()}, "campaignSlug"),
		"SettleRequest": question(node{"dryRun": boolean()}),
		"AdoptRequest": question(node{
			"sessionId": text(), "manifest": about(node{"type": "object"}, "Manifest of the order as accepted by the supporter"),
		}, "sessionId", "manifest"),
		"AskRequest":     question(node{"sessionId": text()}, "sessionId"),
		"GiveUpRequest":  question(node{"orderId": about(text(), "Of the pledge")}, "orderId"),
		"RecoverRequest": question(node{"sessionId": text(), "orderId": text()}, "sessionId"),
		"FinancialsRequest": question(node{"campaignSlug": text(),
			"limit": about(integer(), "Payments to look up, 1 to 100")}, "campaignSlug"),
		"RebuildRequest":   question(node{"campaignSlug": about(text(), "Campaign; default all")}),
		"TestSetupRequest": question(node{"email": text(), "campaignSlug": text()}, "email", "campaignSlug"),
	}
}
