package httpapi

import (
	"github.com/pledgeworks/pledgeworks/pledge"
)

func totalsFields() node {
	return node{
		"subtotal": cents("Subtotal of the selection"), "tax": cents("Tax"), "shipping": cents("Shipping"),
		"tipPercent": integer(), "tipAmount": cents("Tip"), "amount": cents("Amount to be charged"),
		"campaignSubtotal": cents("Amount that counts toward the goal"),
	}
}

func sharedSchemas() node {
	return node{
		"Error": answer(node{
			"error": text(), "code": about(text(), "For programs; codes are never renamed"),
			"field":      about(text(), `Invalid input field, such as "items[2].quantity"`),
			"remaining":  about(integer(), "Units left, with code sold_out; units that can still be reserved, with code busy"),
			"retryAfter": about(integer(), "Seconds, with status 429"),
			"details": about(node{"type": "object"},
				"Conflicts and problems of a publication; the TaxQuestion about an address"),
		}, "field", "remaining", "retryAfter", "details"),
		"Address": question(node{
			"name": text(), "line1": text(), "line2": text(), "city": text(), "state": text(), "postalCode": text(),
			"country": about(text(), "Two letters, such as US"),
			"phone": about(text(),
				"For the carrier: 5 to 15 digits, and + - ( ) . / and spaces, at most 30 characters. Ignored in a billing address"),
		}),
		"Totals": answer(totalsFields()),
		"Line": answer(node{
			"kind": word("tier", "support", "custom", "campaign_add_on", "platform_add_on", "shipping", "tip"),
			"id":   text(), "variant": text(), "name": text(), "variantName": text(), "quantity": integer(),
			"unitPrice": cents("One unit"), "amount": cents("All units"), "category": word("physical", "digital"),
			"promisedDelivery": about(text(), "Month in which the reward was expected when it was chosen, as 2027-05"),
		}, "id", "variant", "variantName", "category", "promisedDelivery"),
		"Derivation": answer(node{
			"amount": about(text(), "The amount that is explained"), "cents": integer(), "rule": text(), "source": text(),
			"rate": text(), "base": cents("What the rate was applied to"), "rounding": text(), "asOf": text(),
		}, "source", "rate", "base", "rounding", "asOf"),
		"Document": node{"type": "object"},
	}
}

func checkoutSchemas() node {
	mode := word("custom", "hosted")
	return node{
		"CampaignTotal": answer(merged(totalsFields(), node{
			"orderId": about(text(), "Of the pledge"), "campaignSlug": text(), "campaignTitle": text(),
			"lines":       list(ref("Line")),
			"explanation": list(ref("Derivation")), "combined": ref("Combined"),
		}), "combined"),
		"Consent": answer(node{"version": text(), "text": text()}),
		"Started": answer(node{
			"checkoutUiMode": mode, "orderId": text(), "sessionId": text(),
			"clientSecret":   about(text(), "In mode custom"),
			"publishableKey": about(text(), "In mode custom"),
			"url":            about(text(), "In mode hosted: URL of the processor's page"),
			"checkoutToken":  about(text(), "For extend, resume, abandon and summary"),
			"heldUntil": about(instant(),
				"End of the reservations unless they are extended; before expiresAt only for scarce items"),
			"expiresAt": instant(), "amount": cents("Total of all campaigns"),
			"campaigns": list(ref("CampaignTotal")), "consent": ref("Consent"),
			"email": about(text(), "Where the pledge's link is sent"), "shippingAddress": ref("Address"),
			"billingAddress": ref("Address"),
			"tipPercent":     integer(), "shippingOption": text(),
		}, "clientSecret", "publishableKey", "url", "shippingAddress", "billingAddress", "shippingOption"),
		"Extended": answer(node{"orderId": text(), "heldUntil": instant()}),
		"Completed": answer(node{
			"success": boolean(), "recovered": about(boolean(), "This call created the pledges"),
			"persisted": boolean(), "orderId": text(),
		}),
		"Abandoned": answer(node{
			"success": boolean(), "released": about(integer(), "Released reservations"),
			"persisted": about(boolean(), "The card was already saved: the pledges remain"),
		}),
		"Summary": answer(node{
			"orderId": text(), "persisted": boolean(), "pledgeStatus": text(), "createdAt": instant(), "expiresAt": instant(),
			"shippingCollected": boolean(), "tipPercent": integer(), "amount": cents("Total of all campaigns"),
			"campaigns": list(ref("CampaignTotal")),
		}),
		"TaxPart": answer(node{"label": text(), "rate": text(), "taxableCents": integer(), "taxCents": integer()}),
		"TaxDetails": answer(node{
			"status":  word("quoted", "needs_input", "provider_unavailable", "fallback_used"),
			"missing": list(text()), "taxCents": integer(), "taxableCents": integer(), "shippingTaxed": boolean(),
			"jurisdiction": text(), "breakdown": list(ref("TaxPart")), "provider": text(), "source": text(),
			"asOf": text(), "notice": text(), "question": ref("TaxQuestion"),
		}, "missing", "jurisdiction", "asOf", "notice", "question"),
		"TaxQuestion": answer(node{
			"field":      about(text(), "Part of the address that is missing or wrong"),
			"reason":     word("missing", "other_state", "several_states", "short_zip", "unknown_postal_code"),
			"postalCode": text(), "states": about(list(text()), "Codes of the postal code's states"),
		}, "postalCode", "states"),
		"TaxQuote": answer(node{
			"subtotalCents": integer(), "shippingCents": integer(), "taxCents": integer(), "tipCents": integer(),
			"amountCents": about(integer(), "Amount that would be charged, without unknown tax"),
			"provisional": about(boolean(), "The tax is not final yet"),
			"missing":     about(list(text()), "Required parts of the address"),
			"campaigns": list(answer(node{
				"campaignSlug": text(), "subtotalCents": integer(), "shippingCents": integer(), "tipCents": integer(),
				"amountCents": about(integer(), "The campaign's part of the total"), "taxDetails": ref("TaxDetails"),
			}, "campaignSlug")),
		}),
		"Parcel": answer(node{
			"weightOz": text(), "lengthIn": text(), "widthIn": text(), "heightIn": text(),
			"media": boolean(), "bends": about(boolean(), "May travel as a letter or large envelope"),
		}, "media", "bends"),
		"ShippingQuote": answer(node{
			"quotes": list(answer(node{
				"campaignSlug": about(text(), "Empty for the platform's own parcel"), "shippingCents": integer(),
				"reason": word("nothing_to_send", "free", "campaign_flat_rate", "platform_flat_rate",
					"carrier_rate", "fallback_flat_rate"),
				"fallback": about(word("missing_package", "missing_destination", "not_carried", "carrier_busy", "carrier_down"),
					"Why there is no carrier rate"),
				"missing": about(list(text()), "Parts of the address that the carrier requires"),
				"source":  text(), "option": text(),
				"availableOptions": list(answer(node{"id": text(), "surchargeCents": integer()})),
				"parcel":           ref("Parcel"),
			}, "option", "fallback", "missing", "parcel")),
			"totalShippingCents": integer(), "shippingAddress": ref("Address"),
		}, "shippingAddress"),
		"WebhookResult": answer(node{
			"received": boolean(), "skipped": about(text(), "Why nothing was done"), "duplicate": boolean(),
		}, "skipped", "duplicate"),
	}
}

func supporterSchemas() node {
	status := word("active", "payment_failed", "cancelled", "charged")
	return node{
		"HistoryEntry": answer(merged(totalsFields(),
			node{"type": text(), "at": instant(), "reason": about(text(), "Why the supporter cancelled")}), "reason"),
		"Promise": answer(node{
			"campaignRevision": text(), "consentVersion": text(), "acceptedAt": instant(),
			"endsAt": about(instant(), "The deadline as it was shown"), "goal": cents("The goal as it was shown"),
		}, "endsAt", "goal"),
		"PledgeView": answer(merged(totalsFields(), node{
			"orderId": text(), "email": text(), "campaignSlug": text(), "campaignTitle": text(), "revision": integer(),
			"currency": text(), "pledgeStatus": status, "charged": boolean(), "lines": list(ref("Line")),
			"history": list(ref("HistoryEntry")), "explanation": list(ref("Derivation")), "promise": ref("Promise"),
			"shippingAddress": ref("Address"), "billingAddress": ref("Address"), "shippingOption": text(),
			"estimatedDeliveries": about(mapOf(text()),
				"Months in which the campaign now expects to deliver the pledge's rewards, by their IDs"),
			"campaignChanged": about(boolean(), "The campaign file changed something that supporters rely on"),
			"preferredLang":   text(), "createdAt": instant(), "chargedAt": instant(), "deadline": instant(),
			"now":            about(instant(), "The service's time"),
			"chargedAmount":  cents("Charged amount, if it differs from the amount"),
			"deadlinePassed": boolean(), "canModify": boolean(), "canCancel": boolean(), "canUpdatePaymentMethod": boolean(),
			"canApprovePayment": boolean(), "joined": boolean(), "canJoin": boolean(), "recovery": ref("Recovery"),
			"combined":        ref("Combined"),
			"declineReason":   about(word(reasons()...), "Why the last charge failed"),
			"dueNow":          cents("Amount charged at once when another card is saved; 0 for none"),
			"outcome":         about(word("funded", "missed"), "Once the deadline has passed"),
			"cardForgottenAt": about(instant(), "When the card was deleted"),
			"card":            ref("CardLabel"),
			"refunds":         list(ref("Refund")),
			"refunded":        cents("Refunded, without pending refunds and those that failed"),
			"parcels":         about(list(ref("Parcel")), "Packed or sent parcels"),
		}), "refunds", "refunded", "parcels", "shippingAddress", "billingAddress", "shippingOption", "chargedAt", "chargedAmount",
			"recovery", "declineReason", "outcome", "cardForgottenAt", "card", "combined", "estimatedDeliveries"),
		"Combined": answer(node{
			"others":       about(integer(), "Other pledges that are charged in the same payment"),
			"othersAmount": cents("Of them"), "total": cents("Of the payment"),
			"sameBrowser": about(boolean(), "All were made in one browser session and are not joined"),
		}),
		"CardLabel": answer(node{
			"brand": about(text(), "As the processor names it, such as visa"),
			"last4": about(text(), "The last four digits of its number"),
		}, "brand"),
		"Recovery": answer(node{
			"lane":    about(word("approve", "new_card", "wait", "dropped"), "How a failed charge can be recovered"),
			"retryAt": about(instant(), "Time of the next retry with the same card"),
			"until":   about(instant(), "When the pledge is dropped, or was"),
		}, "retryAt"),
		"Parcel": answer(node{
			"fulfiller": word("campaign", "platform"), "status": word("to_pack", "packed", "sent"), "packedAt": instant(),
			"sentOn": about(text(), "The day, as 2026-01-31"), "carrier": text(), "trackingNumber": text(),
			"trackingUrl": about(text(), "Tracking URL, if the carrier is known"),
		}, "packedAt", "sentOn", "carrier", "trackingNumber", "trackingUrl"),
		"PledgeViews": list(ref("PledgeView")),
		"Subscription": answer(node{
			"topic": about(word("update", "launch", "cart"),
				"Kind of mails: a campaign's news, its launch reminder, or reminders about checkouts"),
			"campaignSlug":  about(text(), "Missing for emails about all campaigns"),
			"campaignTitle": text(), "subscribed": boolean(),
		}, "campaignSlug", "campaignTitle"),
		"Draft": answer(node{
			"revision": about(text(), "Empty if there is no draft"), "subject": text(),
			"body": about(text(), "Markdown"), "ctaLabel": text(), "ctaUrl": text(),
			"audience": about(storedSegment(), "Whom the message is for; omitted for all supporters"), "savedAt": instant(),
		}, "audience", "savedAt"),
		"Cleared":       answer(node{"success": boolean()}),
		"EmbedFrame":    answer(node{"url": text(), "html": about(text(), "To be copied into a page")}),
		"CampaignLinks": answer(node{"en": about(text(), "The page in English"), "es": about(text(), "The page in Spanish")}),
		"ReminderRegistered": answer(node{
			"ok": boolean(), "status": word("registered"),
			"confirm": about(boolean(), "Whether the address must be confirmed first"),
		}),
		"ReminderConfirmed": answer(node{
			"campaignSlug": text(), "campaignTitle": text(),
			"state": about(word("upcoming", "live", "ended"), "State of the campaign: reminders are sent while it is upcoming"),
		}),
		"CartSnapshot": answer(node{
			"cart": about(text(),
				"Items by their IDs, with a quantity or whole dollars, such as film__seat*2,film__custom-support=25; empty if it was too large"),
			"campaigns": list(text()),
		}),
		"ReminderHealth": answer(node{
			"queued": about(integer(), "Checkouts whose supporter asked for a reminder"), "sent": integer(),
			"completed":   about(integer(), "Pledged after all"),
			"alreadySent": about(integer(), "Already reminded of the same campaigns"), "suppressed": integer(),
			"skipped": about(integer(), "Their campaigns no longer accept pledges"),
			"failed":  about(integer(), "Attempts to be retried"),
		}),
		"Elsewhere": answer(node{"location": text()}),
		"Broadcasting": answer(node{
			"dryRun": boolean(), "recipientCount": integer(), "hash": about(text(), "Hash of the message and its audience"),
			"milestone": text(), "broadcast": ref("BroadcastView"),
			"earlier": about(ref("EarlierNews"), "In a dry run, the last message with the same subject"),
		}, "hash", "milestone", "broadcast", "earlier"),
		"EarlierNews": answer(node{"id": text(), "subject": text(), "sentAt": instant(), "recipientCount": integer()}),
		"BroadcastView": answer(node{
			"id": text(), "category": text(), "campaignSlug": text(), "subject": text(),
			"phase":          word("drafting", "sending", "paused", "stopped", "done"),
			"reason":         about(text(), "Why it is paused or stopped"),
			"recipientCount": integer(), "launchedAt": instant(),
			"states": about(mapOf(integer()), "Recipients by the state of their emails"),
		}, "reason", "states"),
		"MailReports": answer(node{"applied": integer(), "repeated": integer(),
			"unknown": about(integer(), "Unknown mails")}),
		"LinksSent": answer(node{"success": boolean()}),
		"Cancelled": answer(node{"success": boolean(), "message": text(), "pledge": ref("PledgeView")}),
		"Joined": answer(node{"success": boolean(), "message": text(), "pledge": ref("PledgeView"),
			"joining": ref("Joining")}),
		"Joining": answer(node{
			"joined": boolean(), "canJoin": boolean(), "amount": cents("Of the token's pledge"),
			"others":   about(integer(), "Pledges to the campaign that are joined, or will be joined with this one"),
			"total":    cents("Total of these pledges and the token's"),
			"together": about(boolean(), "There is a card for all of them; until then each pledge is charged to its own card"),
			"leaves":   about(integer(), "Pledges of the same browser session that would no longer be charged together with it"),
			"ownCard":  about(boolean(), "The token's pledge"), "cardSavedAt": instant(),
		}, "cardSavedAt"),
		"Modified": answer(node{
			"success": boolean(), "message": text(), "dryRun": boolean(), "previous": ref("Totals"), "current": ref("Totals"),
			"amountDelta": cents("Negative for a reduction"), "lines": list(ref("Line")),
			"explanation": list(ref("Derivation")), "revision": integer(), "consent": ref("Consent"),
		}),
		"CardStarted": answer(node{
			"checkoutUiMode": word("custom", "hosted"), "sessionId": text(), "clientSecret": text(), "publishableKey": text(),
			"url": text(), "expiresAt": instant(), "dueNow": cents("Amount charged at once when the card is saved; 0 for none"),
		}, "clientSecret", "publishableKey", "url"),
		"ApprovalStarted": answer(node{
			"paymentIntentId": text(), "clientSecret": text(), "paymentMethodId": text(), "publishableKey": text(),
			"amount": cents("Of all the pledges that the payment is for"), "currency": text(), "until": instant(),
		}),
		"Voted": answer(node{
			"success": boolean(), "decisionId": text(), "userChoice": text(), "results": mapOf(integer()),
			"totalVotes": integer(),
		}),
		"Standings": answer(node{
			"campaignSlug": text(),
			"decisions": mapOf(answer(node{
				"hasVoted": boolean(), "userChoice": text(), "status": word("open", "closed"),
				"results": mapOf(integer()), "totalVotes": integer(),
			}, "userChoice")),
		}),
		"TestSetup": answer(node{"success": boolean(), "orderId": text(), "token": text()}),
	}
}

func reasons() []string {
	var all []string
	for _, r := range pledge.Reasons() {
		all = append(all, string(r))
	}
	return all
}

func publicSchemas() node {
	stats := answer(node{
		"campaignSlug": text(), "pledgedAmount": cents("Amount of all pledges that are not cancelled"),
		"pledgeCount":    integer(),
		"supporterCount": about(integer(), "Number of people; several pledges of one person count once"),
		"tierCounts":     mapOf(integer()), "supportItems": mapOf(integer()), "customAmount": cents("Custom support"),
		"version": integer(), "updatedAt": instant(), "goalAmount": cents("The goal"), "goalDeadline": instant(),
		"percentFunded": about(integer(), "Rounded down: 100 means funded"), "state": word("upcoming", "live", "ended"),
	})
	unit := answer(node{"name": text(), "limit": integer(), "claimed": integer(),
		"reserved": integer(), "remaining": integer()})
	return node{
		"PublicStats": stats,
		"Stock": answer(node{
			"campaignSlug": text(), "tiers": mapOf(ref("Unit")), "addOns": mapOf(ref("Unit")),
			"version": integer(), "updatedAt": instant(),
		}),
		"Unit": unit,
		"LiveCampaign": answer(node{
			"campaign": answer(node{
				"slug": text(), "title": text(), "creatorName": text(), "category": text(), "shortBlurb": text(),
				"startsAt": instant(), "endsAt": instant(), "state": word("upcoming", "live", "ended"),
				"isFunded": boolean(), "hasDecisions": boolean(),
			}),
			"stats": ref("PublicStats"), "inventory": ref("Stock"),
			"results": about(mapOf(answer(node{"version": integer(), "results": mapOf(integer()), "totalVotes": integer()})),
				"Of the decisions that are closed"),
			"now": about(instant(), "Time of the server, at most a few seconds old"),
		}),
		"AddOnStock": answer(node{"products": mapOf(ref("Unit")), "updatedAt": instant()}),
	}
}
