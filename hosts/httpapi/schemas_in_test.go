package httpapi

import (
	"maps"
	"slices"
)

func without(fields node, optional []string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), func(f string) bool { return slices.Contains(optional, f) })
}

// workerSchemas are those that the routes of a worker name.
func workerSchemas() node {
	return merged(requestSchemas(), sharedSchemas(), checkoutSchemas(), supporterSchemas(), publicSchemas(), adminSchemas(), operatorSchemas(), rehearsalSchemas())
}

func cartFields() node {
	return node{
		"campaignSlug":    about(text(), "Lower-case letters, digits and hyphens, at most 100; may be left out where the items name their campaigns"),
		"items":           list(ref("Item")),
		"customAmount":    dollars("Support of the supporter's own choice"),
		"tipPercent":      integer(),
		"shippingAddress": ref("Address"),
		"billingAddress":  ref("Address"),
		"shippingOption":  text(),
	}
}

func requestSchemas() node {
	token := about(text(), "The token of the manage link")
	return node{
		"Item": question(node{
			"id":       about(text(), "{slug}__{tierId}, {slug}__support__{itemId}, {slug}__custom-support, {slug}__addon__{productId}[__variant__{variantId}] or addon__{productId}[__variant__{variantId}]"),
			"quantity": integer(),
			"amount":   dollars("Of support"),
		}, "id"),
		"Cart": question(cartFields()),
		"StartRequest": question(merged(cartFields(), node{
			"email":                about(text(), "At most 254 characters"),
			"preferredLang":        about(text(), "en or es"),
			"abandonedCartConsent": boolean(),
			"attribution":          ref("Attribution"),
			"attempt":              about(text(), "A secret of the client's own, 16 to 64 letters, digits, - and _: a start that is repeated under it, because its answer was lost, takes the place of the first"),
			"session":              about(text(), "A secret of the client's own, 22 to 64 letters, digits, - and _, for the length of a browser session: pledges of one address to one campaign that are started under it are charged together"),
			"manageToken":          about(text(), "The token of a link that was mailed to the address: what is pledged is charged in one payment with what was joined, and with the link's own pledge where it is to the same campaign"),
		}), "email"),
		"Attribution": question(node{
			"referral": text(), "utmSource": text(), "utmMedium": text(), "utmCampaign": text(), "utmContent": text(),
		}),
		"CompleteRequest": question(node{"orderId": text(), "sessionId": text()}, "orderId", "sessionId"),
		"OpenRequest":     question(node{"orderId": text(), "token": about(text(), "The checkoutToken of its start")}, "orderId", "token"),
		"AbandonRequest":  question(node{"orderId": text(), "token": about(text(), "The checkoutToken of its start")}, "orderId", "token"),
		"TaxQuoteRequest": question(merged(cartFields(), node{
			"subtotalCents": cents("What stands for the items where there are none"),
			"shippingCents": cents("Shipping that is known already"),
		})),
		"Event":        node{"type": "object", "description": "An event as its sender signs it"},
		"ClearRequest": question(node{"campaignSlug": text(), "surface": word("marketing", "blast"), "revision": text()}, "campaignSlug", "surface", "revision"),
		"DraftRequest": question(node{
			"campaignSlug": text(), "surface": word("marketing", "blast"), "revision": about(text(), "Of the draft that it takes the place of; empty where there was none"),
			"subject": text(), "body": about(text(), "Markdown"), "ctaLabel": text(), "ctaUrl": text(),
		}, "campaignSlug", "surface", "revision"),
		"ReminderRequest": question(node{
			"campaignSlug": text(), "email": about(text(), "At most 254 characters"), "consent": about(boolean(), "Has to be true"),
			"challenge": about(text(), "What the challenge gave the page, where there is one"), "preferredLang": about(text(), "en or es"),
		}, "campaignSlug", "email", "consent"),
		"ReminderConfirmation": question(node{"token": about(text(), "The token of the link in the mail that asks"), "preferredLang": about(text(), "en or es")}, "token"),
		"TokenRequest":         question(node{"token": about(text(), "The token of the link in a mail")}, "token"),
		"NewsRequest": question(node{
			"campaignSlug": text(), "subject": text(), "body": about(text(), "Markdown"),
			"ctaLabel": about(text(), "Of a button below it"), "ctaUrl": about(text(), "Where the button leads: a path of the site, or an address"),
			"dryRun": boolean(), "hash": about(text(), "Of the dry run: where it is given, message and audience have to be what they were; a blast takes one"),
		}, "campaignSlug", "subject", "body"),
		"DiaryRequest":  question(node{"campaignSlug": text(), "entryId": about(text(), "The newest where it is left out"), "dryRun": boolean()}, "campaignSlug"),
		"TurnRequest":   question(node{"id": text(), "to": word("paused", "sending", "stopped"), "reason": text()}, "id", "to"),
		"LinksRequest":  question(node{"email": about(text(), "At most 254 characters")}, "email"),
		"CancelRequest": question(node{"token": token, "orderId": text()}, "token"),
		"JoinRequest": question(node{
			"token": token, "orderId": text(),
			"session": about(text(), "The secret of the browser session, as in StartRequest: if the pledge was started under it, its card may pay for the others, and the session's other pledges are joined too"),
			"all":     about(text(), "The token of the link by which a confirmation offers to join the pledge: all pledges of the address to the campaign are joined with it"),
			"total":   cents("The total that was shown: another one is refused"),
		}, "token"),
		"ModifyRequest": question(node{
			"token": token, "orderId": text(),
			"items":            about(list(ref("Item")), "The whole new selection"),
			"customAmount":     dollars("The new custom support; 0 takes it away"),
			"tipPercent":       integer(),
			"shippingOption":   text(),
			"shippingAddress":  ref("Address"),
			"expectedRevision": about(integer(), "The revision that the supporter saw"),
			"dryRun":           boolean(),
		}, "token"),
		"CardRequest":     question(node{"token": token, "orderId": text(), "preferredLang": text()}, "token"),
		"ApprovalRequest": question(node{"token": token, "orderId": text()}, "token"),
		"VoteRequest":     question(node{"token": token, "decisionId": text(), "option": text()}, "token", "decisionId", "option"),
		"AcceptRequest": question(node{
			"campaignSlug": text(), "reason": about(text(), "Why, in at most 500 letters, digits and . , ( ) -"),
		}, "campaignSlug", "reason"),
		"StopRequest": question(node{"reason": about(text(), "Why, in at most 500 letters, digits and . , ( ) -")}, "reason"),
		"Statement": question(node{
			"group":           about(text(), "Of the charge, as it is listed"),
			"paymentIntentId": about(text(), "The payment by which it is to be booked"),
			"nothingCharged":  about(boolean(), "There is no payment; either this or paymentIntentId"),
			"acceptAmount":    about(boolean(), "Book the payment although its amount is not the one that was requested; the pledges then show what was charged"),
		}, "group"),
		"TermsRequest": question(node{
			"orderId": about(text(), "Of the pledge that is charged its present amount"), "reason": about(text(), "Why, in at most 500 letters, digits and . , ( ) -"),
		}, "orderId", "reason"),
		"ReopenRequest": question(node{"reason": about(text(), "Why, in at most 500 letters, digits and . , ( ) -")}, "reason"),
		"ResumeRequest": question(node{"anyway": about(text(), "Why charging goes on after a restore although something still waits for an operator")}),
		"BatchRequest":  question(node{"campaignSlug": text()}, "campaignSlug"),
		"SettleRequest": question(node{"dryRun": boolean()}),
		"AdoptRequest": question(node{
			"sessionId": text(), "manifest": about(node{"type": "object"}, "The order's manifest, as it was accepted"),
		}, "sessionId", "manifest"),
		"AskRequest":        question(node{"sessionId": text()}, "sessionId"),
		"GiveUpRequest":     question(node{"orderId": about(text(), "Of the pledge")}, "orderId"),
		"RecoverRequest":    question(node{"sessionId": text(), "orderId": text()}, "sessionId"),
		"FinancialsRequest": question(node{"campaignSlug": text(), "limit": about(integer(), "Payments to ask after, 1 to 100")}, "campaignSlug"),
		"RebuildRequest":    question(node{"campaignSlug": about(text(), "One campaign; none is all")}),
		"TestSetupRequest":  question(node{"email": text(), "campaignSlug": text()}, "email", "campaignSlug"),
	}
}
