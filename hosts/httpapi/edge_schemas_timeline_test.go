package httpapi

import (
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/pledge"
)

func timelineSchemas() node {
	reason := word(words(pledge.Reasons())...)
	item := answer(node{
		"kind": word("tier", "support", "custom", "campaign_add_on", "platform_add_on", "shipping", "tip"),
		"name": text(), "variantName": text(), "quantity": integer(),
		"amount":            cents("Price of all units; requires the money permission"),
		"promisedDelivery":  about(text(), "Month in which the reward was expected when it was chosen, as 2027-05"),
		"estimatedDelivery": about(text(), "Month in which the campaign now expects to deliver the reward"),
	}, "variantName", "amount", "promisedDelivery", "estimatedDelivery")
	shown := answer(node{
		"orderId": text(), "revision": integer(), "pledgeStatus": word("active", "payment_failed", "cancelled", "charged"),
		"status": detailedStatus(), "createdAt": instant(),
		"parcels": about(list(ref("Parcel")), "Parcels of a charged pledge, by fulfiller"),
		"items":   list(item),
		"heldReason": about(word("disputed", "dispute_lost"), "Why the parcels that are not sent are held. "+
			"Requires the fulfilment or the money permission; missing if they are not"),
		"canHold":       about(boolean(), "The caller may hold or release the parcels with /admin/disputes/{slug}/parcels now"),
		"canCancel":     about(boolean(), "The caller may cancel it with /admin/pledges/cancel now"),
		"canRefund":     about(boolean(), "It was charged, and not all of it is refunded; requires the money permission"),
		"preferredLang": text(), "fulfillmentType": text(), "shippingOption": text(),
		"joined": about(boolean(), "Charged together with other pledges of the address"),
		"card":   ref("CardLabel"), "cardForgottenAt": instant(), "shippingAddress": ref("Address"), "totals": ref("Totals"),
		"chargedAmount":   cents("Charged amount, if it differs from the total"),
		"refunds":         list(ref("Refund")),
		"declineReason":   about(reason, "Of the last declined charge"),
		"recovery":        about(ref("Recovery"), "How and until when the declined charge can be made"),
		"paymentIntentId": text(),
		"paymentUrl":      about(text(), "The payment's page at the payment processor; missing if it is not known"),
		"disputes": about(list(answer(node{
			"disputeId": text(), "phase": word("inquiry", "chargeback", "won", "lost", "closed", "unknown"),
			"status":   about(text(), "As named by the processor; new names may appear"),
			"amount":   cents("Disputed"),
			"reason":   about(text(), "As named by the processor, such as product_not_received"),
			"answerBy": about(instant(), "Deadline for an answer; missing if none is awaited"),
			"openedAt": instant(), "decidedAt": instant(),
		}, "answerBy", "decidedAt")), "Of the payment; requires the money permission"),
		"fraudWarnings": about(list(answer(node{
			"at": instant(), "reason": about(text(), "As named by the processor"),
			"actionable": about(boolean(), "A refund can still prevent a dispute"), "warningId": text(),
			"acknowledgedAt": about(instant(), "When an operator left the payment as it is; missing if none did"),
		}, "acknowledgedAt")), "A card network's early warnings about the payment; requires the money permission"),
	}, "shippingOption", "card", "cardForgottenAt", "shippingAddress", "totals", "chargedAmount", "refunds", "declineReason",
		"recovery", "paymentIntentId", "paymentUrl", "heldReason")
	event := answer(node{
		"at":    instant(),
		"kind":  about(word(words(supporters.EventKinds())...), "What happened; other for kinds of a later release"),
		"email": about(text(), "Kind of an email, such as confirmation, update_card or launch_reminder"),
		"outcome": about(word(words(supporters.Outcomes())...),
			"Result of a charge attempt (pending, succeeded, declined, unclear) or of an email (all others)"),
		"reason": about(reason, "Why a charge was declined; requires the money permission"),
		"about":  word("pledge", "mail", "charge", "operator"),
		"type":   about(text(), "Of a pledge's history, a mail's category, attempt, or note"),
		"by":     about(text(), "The operator who did it"), "parcel": about(ref("Parcel"), "State of the parcel afterwards"),
		"text":          about(text(), "Note, or reason for a changed address, a hold or a release"),
		"addressBefore": about(ref("Address"), "Requires the fulfilment permission"),
		"orderId":       text(), "status": about(text(), "Of an email or an attempt"),
		"reported": about(text(), "By the mail provider"),
		"amount":   cents("Requires the money permission"), "paymentIntentId": text(), "errorCode": text(),
		"paymentUrl": about(text(), "The payment's page at the payment processor; missing if it is not known"),
	}, "email", "outcome", "reason", "orderId", "by", "parcel", "text", "addressBefore", "status", "reported", "amount",
		"paymentIntentId", "errorCode", "paymentUrl")
	return node{"SupporterTimeline": answer(node{
		"campaignSlug": text(), "campaignTitle": text(), "email": text(), "name": text(),
		"pledges": about(list(shown),
			"Newest first. Addresses require the fulfilment permission; totals, card, charge and recovery the money permission"),
		"more":   about(boolean(), "The address has more pledges than shown"),
		"events": about(list(event), "The oldest first"),
		"votes":  about(integer(), "Votes of the supporter"),
		"suppressed": list(answer(node{"topic": about(text(), "update, launch or cart; empty for all emails"),
			"reasons": list(text())})),
	})}
}
