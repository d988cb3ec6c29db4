package httpapi

import "github.com/pledgeworks/pledgeworks/pledge"

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
			"details":    about(node{"type": "object"}, "Conflicts and problems of a publication; the TaxQuestion about an address"),
		}, "field", "remaining", "retryAfter", "details"),
		"Address": question(node{
			"name": text(), "line1": text(), "line2": text(), "city": text(), "state": text(), "postalCode": text(),
			"country": about(text(), "Two letters, such as US"),
		}),
		"Totals": answer(totalsFields()),
		"Line": answer(node{
			"kind": word("tier", "support", "custom", "campaign_add_on", "platform_add_on", "shipping", "tip"),
			"id":   text(), "variant": text(), "name": text(), "variantName": text(), "quantity": integer(),
			"unitPrice": cents("One unit"), "amount": cents("All units"), "category": word("physical", "digital"),
		}, "id", "variant", "variantName", "category"),
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
			"orderId": about(text(), "Of the pledge"), "campaignSlug": text(), "campaignTitle": text(), "lines": list(ref("Line")),
			"explanation": list(ref("Derivation")), "combined": ref("Combined"),
		}), "combined"),
		"Consent": answer(node{"version": text(), "text": text()}),
		"Started": answer(node{
			"checkoutUiMode": mode, "orderId": text(), "sessionId": text(),
			"clientSecret":   about(text(), "In mode custom"),
			"publishableKey": about(text(), "In mode custom"),
			"url":            about(text(), "In mode hosted: URL of the processor's page"),
			"checkoutToken":  about(text(), "For extend, resume, abandon and summary"),
			"heldUntil":      about(instant(), "End of the reservations unless they are extended; before expiresAt only for scarce items"),
			"expiresAt":      instant(), "amount": cents("Total of all campaigns"),
			"campaigns": list(ref("CampaignTotal")), "consent": ref("Consent"),
			"email": about(text(), "Where the pledge's link is sent"), "shippingAddress": ref("Address"), "billingAddress": ref("Address"),
			"tipPercent": integer(), "shippingOption": text(),
		}, "clientSecret", "publishableKey", "url", "shippingAddress", "billingAddress", "shippingOption"),
		"Extended": answer(node{"orderId": text(), "heldUntil": instant()}),
		"Completed": answer(node{
			"success": boolean(), "recovered": about(boolean(), "This call created the pledges"), "persisted": boolean(), "orderId": text(),
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
				"reason": word("nothing_to_send", "free", "campaign_flat_rate", "platform_flat_rate", "carrier_rate", "fallback_flat_rate"),
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
		"HistoryEntry": answer(merged(totalsFields(), node{"type": text(), "at": instant(), "reason": about(text(), "Why the supporter cancelled")}), "reason"),
		"Promise": answer(node{
			"campaignRevision": text(), "consentVersion": text(), "acceptedAt": instant(),
			"endsAt": about(instant(), "The deadline as it was shown"), "goal": cents("The goal as it was shown"),
		}, "endsAt", "goal"),
		"PledgeView": answer(merged(totalsFields(), node{
			"orderId": text(), "email": text(), "campaignSlug": text(), "campaignTitle": text(), "revision": integer(),
			"currency": text(), "pledgeStatus": status, "charged": boolean(), "lines": list(ref("Line")),
			"history": list(ref("HistoryEntry")), "explanation": list(ref("Derivation")), "promise": ref("Promise"),
			"shippingAddress": ref("Address"), "billingAddress": ref("Address"), "shippingOption": text(), "campaignChanged": about(boolean(), "The campaign file changed something that supporters rely on"),
			"preferredLang": text(), "createdAt": instant(), "chargedAt": instant(), "deadline": instant(), "now": about(instant(), "The service's time"),
			"chargedAmount":  cents("Charged amount, if it differs from the amount"),
			"deadlinePassed": boolean(), "canModify": boolean(), "canCancel": boolean(), "canUpdatePaymentMethod": boolean(),
			"canApprovePayment": boolean(), "joined": boolean(), "canJoin": boolean(), "recovery": ref("Recovery"),
			"combined":      ref("Combined"),
			"declineReason": about(word(reasons()...), "Why the last charge failed"),
			"dueNow":        cents("Amount charged at once when another card is saved; 0 for none"),
			"outcome":       about(word("funded", "missed"), "Once the deadline has passed"), "cardForgottenAt": about(instant(), "When the card was deleted"),
			"card":    ref("CardLabel"),
			"parcels": about(list(ref("Parcel")), "Packed or sent parcels"),
		}), "parcels", "shippingAddress", "billingAddress", "shippingOption", "chargedAt", "chargedAmount", "recovery", "declineReason", "outcome", "cardForgottenAt", "card", "combined"),
		"Combined": answer(node{
			"others": about(integer(), "Other pledges that are charged in the same payment"), "othersAmount": cents("Of them"), "total": cents("Of the payment"),
			"sameBrowser": about(boolean(), "All were made in one browser session and are not joined"),
		}),
		"CardLabel": answer(node{
			"brand": about(text(), "As the processor names it, such as visa"), "last4": about(text(), "The last four digits of its number"),
		}, "brand"),
		"Recovery": answer(node{
			"lane":    about(word("approve", "new_card", "wait", "dropped"), "How a failed charge can be recovered"),
			"retryAt": about(instant(), "Time of the next retry with the same card"), "until": about(instant(), "When the pledge is dropped, or was"),
		}, "retryAt"),
		"Parcel": answer(node{
			"fulfiller": word("campaign", "platform"), "status": word("to_pack", "packed", "sent"), "packedAt": instant(),
			"sentOn": about(text(), "The day, as 2026-01-31"), "carrier": text(), "trackingNumber": text(),
			"trackingUrl": about(text(), "Tracking URL, if the carrier is known"),
		}, "packedAt", "sentOn", "carrier", "trackingNumber", "trackingUrl"),
		"PledgeViews": list(ref("PledgeView")),
		"Subscription": answer(node{
			"topic":        about(word("update", "launch", "cart"), "Kind of mails: a campaign's news, its launch reminder, or reminders about checkouts"),
			"campaignSlug": about(text(), "Missing for mails about all campaigns"), "campaignTitle": text(), "subscribed": boolean(),
		}, "campaignSlug", "campaignTitle"),
		"Draft": answer(node{
			"revision": about(text(), "Empty if there is no draft"), "subject": text(), "body": about(text(), "Markdown"), "ctaLabel": text(), "ctaUrl": text(),
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
			"campaignSlug": text(), "campaignTitle": text(), "state": about(word("upcoming", "live", "ended"), "State of the campaign: reminders are sent while it is upcoming"),
		}),
		"CartSnapshot": answer(node{
			"cart": about(text(), "Items by their IDs, with a quantity or whole dollars, such as film__seat*2,film__custom-support=25; empty if it was too large"), "campaigns": list(text()),
		}),
		"ReminderHealth": answer(node{
			"queued": about(integer(), "Checkouts whose supporter asked for a reminder"), "sent": integer(), "completed": about(integer(), "Pledged after all"),
			"alreadySent": about(integer(), "Already reminded of the same campaigns"), "suppressed": integer(), "skipped": about(integer(), "Their campaigns no longer accept pledges"),
			"failed": about(integer(), "Attempts to be retried"),
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
			"phase": word("drafting", "sending", "paused", "stopped", "done"), "reason": about(text(), "Why it is paused or stopped"),
			"recipientCount": integer(), "launchedAt": instant(), "states": about(mapOf(integer()), "Recipients by the state of their mails"),
		}, "reason", "states"),
		"MailReports": answer(node{"applied": integer(), "repeated": integer(), "unknown": about(integer(), "Unknown mails")}),
		"LinksSent":   answer(node{"success": boolean()}),
		"Cancelled":   answer(node{"success": boolean(), "message": text(), "pledge": ref("PledgeView")}),
		"Joined":      answer(node{"success": boolean(), "message": text(), "pledge": ref("PledgeView"), "joining": ref("Joining")}),
		"Joining": answer(node{
			"joined": boolean(), "canJoin": boolean(), "amount": cents("Of the token's pledge"),
			"others": about(integer(), "Pledges to the campaign that are joined, or will be joined with this one"), "total": cents("Total of these pledges and the token's"),
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
			"success": boolean(), "decisionId": text(), "userChoice": text(), "results": mapOf(integer()), "totalVotes": integer(),
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
		"campaignSlug": text(), "pledgedAmount": cents("Amount of all pledges that are not cancelled"), "pledgeCount": integer(),
		"supporterCount": about(integer(), "Number of people; several pledges of one person count once"),
		"tierCounts":     mapOf(integer()), "supportItems": mapOf(integer()), "customAmount": cents("Custom support"),
		"version": integer(), "updatedAt": instant(), "goalAmount": cents("The goal"), "goalDeadline": instant(),
		"percentFunded": about(integer(), "Rounded down: 100 means funded"), "state": word("upcoming", "live", "ended"),
	})
	unit := answer(node{"name": text(), "limit": integer(), "claimed": integer(), "reserved": integer(), "remaining": integer()})
	return node{
		"PublicStats": stats,
		"Stock": answer(node{
			"campaignSlug": text(), "tiers": mapOf(ref("Unit")), "addOns": mapOf(ref("Unit")), "version": integer(), "updatedAt": instant(),
		}),
		"Unit": unit,
		"LiveCampaign": answer(node{
			"campaign": answer(node{
				"slug": text(), "title": text(), "creatorName": text(), "category": text(), "shortBlurb": text(),
				"startsAt": instant(), "endsAt": instant(), "state": word("upcoming", "live", "ended"),
				"isFunded": boolean(), "hasDecisions": boolean(),
			}),
			"stats": ref("PublicStats"), "inventory": ref("Stock"),
			"results": about(mapOf(answer(node{"version": integer(), "results": mapOf(integer()), "totalVotes": integer()})), "Of the decisions that are closed"),
			"now":     about(instant(), "Time of the server, at most a few seconds old"),
		}),
		"AddOnStock": answer(node{"products": mapOf(ref("Unit")), "updatedAt": instant()}),
	}
}

func adminSchemas() node {
	record := about(node{"type": []string{"object", "array", "null"}}, "null if the record is missing")
	drift := node{
		"campaignSlug": text(), "inSync": boolean(),
		"drift": list(answer(node{"key": text(), "expected": node{"type": []string{"object", "array"}}, "actual": record})),
	}
	timing := node{
		"route": text(), "count": integer(), "p50": about(integer(), "Milliseconds, at most"), "p95": integer(), "p99": integer(), "longest": integer(),
	}
	return node{
		"Drift":           answer(drift),
		"CheckedCampaign": answer(merged(drift, node{"success": boolean()})),
		"CheckedAll": answer(node{
			"inSync": boolean(), "checkedCampaigns": integer(), "driftedCampaigns": list(text()), "results": list(ref("Drift")),
		}),
		"RebuiltAll": answer(node{
			"success": boolean(),
			"results": list(answer(node{
				"campaignSlug": text(), "pledges": integer(), "records": integer(),
				"takenUp": about(integer(), "Pledges that were missing in the campaign's object"),
			})),
		}),
		"AuditPage": answer(node{
			"next":    about(integer(), "Cursor of the next page, 0 on the last; a page may be short and still have a next page"),
			"actions": about(list(answer(node{"action": text(), "summary": about(text(), "In the requested language")})), "Actions that the filter accepts"),
			"events": list(answer(node{
				"number": integer(), "createdAt": instant(), "action": text(), "summary": about(text(), "What the action did, in the requested language"),
				"campaignTitle": about(text(), "Missing without a campaign"), "adminEmail": about(text(), "Missing for requests with a shared secret"),
				"adminRole": text(), "source": text(), "campaignSlug": text(), "orderId": text(), "target": about(text(), "Affected user or session"), "reason": text(), "changedFields": list(text()),
				"status": word("done", "failed", "unknown"), "code": text(),
				"before": about(text(), "Hash of the previous event"), "hash": text(),
			}, "campaignTitle", "adminEmail", "campaignSlug", "orderId", "target", "reason", "changedFields", "code")),
		}),
		"CronStatus": answer(node{"lastRun": instant(), "now": instant()}, "lastRun"),
		"Health":     answer(node{"status": word("ok"), "version": text()}, "version"),
		"Detail": answer(node{
			"email": text(), "orderIds": list(text()), "amount": cents("Amount to be charged"),
			"status": word("charged", "failed", "dropped", "skipped", "pending", "needs_attention", "error"), "reason": text(),
		}, "email", "reason"),
		"Job": answer(node{
			"version": integer(), "campaignSlug": text(), "status": jobStatus(), "currency": text(), "stage": text(), "cursor": text(),
			"settlementLockOwner": text(), "total": integer(), "processed": integer(), "totalCharged": integer(),
			"totalFailed": integer(), "totalDropped": integer(), "totalSkipped": integer(), "totalNeedsAttention": integer(), "amountCharged": cents("So far"),
			"startedAt": instant(), "lastBatchAt": instant(), "endedAt": instant(), "currentBatch": integer(),
			"batchesCompleted": integer(), "staleResumeCount": about(integer(), "How often a broken chain was restarted"),
		}, "endedAt"),
		"Progress": answer(node{
			"campaignSlug": text(), "batchProcessed": about(integer(), "Pledges looked at"),
			"batchResult": answer(node{
				"charged": integer(), "failed": integer(), "dropped": integer(), "skipped": integer(), "pending": integer(),
				"needsAttention": integer(), "errors": integer(), "details": list(ref("Detail")),
			}),
			"progress": ref("Job"), "status": jobStatus(),
		}),
		"SettleReport": settleReport(),
		"WebhookSummary": answer(node{
			"days": integer(), "received": integer(), "applied": integer(), "skipped": integer(), "duplicates": integer(),
			"postponed": integer(), "signatureFailures": integer(), "invalid": integer(), "modeMismatches": integer(),
			"types": mapOf(integer()), "recent": list(answer(node{
				"at": instant(), "eventId": text(), "eventType": text(), "outcome": text(), "reason": text(),
			}, "reason")),
		}),
		"PerformanceSummary": answer(node{
			"days": integer(), "routes": list(answer(timing)),
			"slowest": about(list(answer(merged(timing, node{"date": about(text(), "In UTC, as 2026-01-31")}))), "Routes on the days on which they took longest, by p95, at most 20"),
		}),
		"Paused": answer(node{"success": boolean(), "held": ref("Held")}),
		"Released": answer(node{
			"success": boolean(),
			"held":    orNull(ref("Held")),
		}),
		"Held": answer(node{
			"since": instant(), "failed": about(integer(), "Of the last charges"), "of": integer(), "codes": mapOf(integer()),
			"barred":     about(boolean(), "The processor rejects the service's key or account"),
			"refused":    about(boolean(), "The processor rejects all requests as invalid"),
			"unanswered": about(integer(), "Consecutive charges without an answer"),
			"probeAt":    about(instant(), "Time of the next retry if requests get no answer"),
			"paused":     about(text(), "Reason of an operator's pause"),
		}, "barred", "refused", "unanswered", "probeAt", "paused"),
		"Stop": answer(node{"since": instant(), "reason": text(), "restored": boolean()}, "restored"),
		"Promised": answer(node{
			"endsAt": instant(), "goal": cents("Threshold that had to be reached"), "pledges": about(integer(), "Pledges that rely on it"),
		}),
		"Standing": answer(node{
			"campaignSlug": text(), "state": word("upcoming", "live", "ended"), "goal": cents("Threshold to be reached"), "counted": cents("Toward the goal"),
			"missed":   about(boolean(), "Ended below the goal without a charge: nothing is collectable, and a settlement is refused"),
			"mayStart": about(boolean(), "A settlement can be started or continued now"),
			"endsAt":   about(orNull(instant()), "Null without a deadline"), "beginsAt": about(orNull(instant()), "Earliest start of the settlement"),
			"supporters": integer(), "pledges": about(mapOf(integer()), "By status"), "funds": ref("Funds"),
			"begun": about(boolean(), "There are charges, finished or in progress"), "working": about(boolean(), "A settlement run is active"),
			"open": about(boolean(), "There is a charge without a known result"), "job": orNull(ref("Job")),
			"completedAt": orNull(instant()), "closedAt": about(orNull(instant()), "The campaign was closed because it missed its goal"),
			"detachingAt": about(orNull(instant()), "Start of the deletion of a closed campaign's cards, until which it can be reopened"), "reopening": about(orNull(ref("Reopening")), "Decisions of operators so far"),
			"unclosed": about(orNull(answer(node{"since": instant(), "reason": text()})), "Why it is not closed although it missed its goal"),
			"off":      about(text(), "Why the configuration disables charges"),
			"stopped":  about(orNull(ref("Stop")), "All campaigns"), "held": about(orNull(ref("Held")), "This one"),
			"broken": about(list(ref("Promised")), "Promises to supporters that a charge would break"),
			"accepted": orNull(answer(node{
				"endsAt": instant(), "goal": cents("Broken promises that operators accepted"), "reason": text(), "at": instant(),
			})),
		}),
		"Failures": answer(node{
			"failures": list(answer(node{
				"email": text(), "orderIds": list(text()), "amount": cents("Of all its pledges"), "attempts": integer(),
				"code": about(text(), "The processor's"), "declineCode": about(text(), "Decline reason of the issuer"),
				"failedAt": about(instant(), "At first"), "recovery": ref("Recovery"), "paymentIntentId": about(text(), "Of the last attempt"),
				"remindable": about(boolean(), "The supporter can be reminded now"),
				"remindedAt": about(instant(), "Time of the reminder of the last attempt"),
				"paymentUrl": about(text(), "Page of the payment at the payment processor"),
			}, "paymentIntentId", "remindedAt", "paymentUrl")),
			"next": about(text(), "Empty on the last page"),
		}),
		"Reminded": answer(node{
			"dryRun": boolean(), "reminded": about(integer(), "Reminders queued now or, in a dry run, that would be queued"),
			"skipped": about(integer(), "Failures without a reminder: reminded before, not emailed yet, or undeliverable"),
			"next":    about(text(), "Cursor of the next page; empty after the last"),
		}),
		"LostOrders": answer(node{"orders": list(answer(node{
			"sessionId": text(), "orderId": text(), "campaignSlug": text(),
			"amountCents": about(text(), "Of the cart, in cents, as it was shown"),
			"known":       about(boolean(), "The order exists without its pledges"),
		}))}),
		"Asked":   answer(node{"success": boolean()}),
		"GivenUp": answer(node{"success": boolean(), "orderId": text()}),
		"Accepted": answer(node{
			"success": boolean(),
			"broken":  list(ref("Promised")),
		}),
		"Stopped": answer(node{
			"success": boolean(),
			"stopped": orNull(ref("Stop")),
		}),
		"Charge": answer(node{
			"group": text(), "status": word("submitted", "succeeded", "failed", "needsAttention"), "reason": text(), "attempt": integer(),
			"amount": cents("Of all its pledges"), "requestedAmount": cents("Requested amount, if operators accepted another one"),
			"receivedAmount": cents("Amount that the processor received, if it differs from the requested one"),
			"orderIds":       list(text()), "pspCustomerId": text(), "paymentIntentId": text(),
			"paymentUrl": about(text(), "Page of the payment at the payment processor"),
			"differences": about(list(answer(node{
				"at": instant(), "paymentIntentId": text(), "field": about(text(), "First difference, such as customer"),
			}, "paymentIntentId")), "Latest responses of the processor for another charge, newest last"),
			"resolutions": list(answer(node{
				"generation": integer(), "paymentIntentId": about(text(), "Missing if nothing was charged"),
				"acceptAmount": about(boolean(), "Amount of the payment that differs from the requested one"),
				"statedBy":     text(), "statedAt": instant(), "confirmedBy": text(), "confirmedAt": instant(),
			}, "paymentIntentId", "acceptAmount", "confirmedBy", "confirmedAt")),
		}, "reason", "requestedAmount", "receivedAmount", "paymentIntentId", "paymentUrl"),
		"Attention": answer(node{"charges": list(ref("Charge"))}),
		"Disagreement": answer(node{
			"orderId": about(text(), "Of the pledge"), "amount": cents("Of the pledge in our records"),
			"recorded": answer(node{
				"revision": integer(), "amount": cents("Amount at the processor; 0 if the pledge was cancelled"), "cancelled": boolean(),
			}, "cancelled"),
			"foundAt": instant(), "seenAt": instant(), "statedBy": text(), "reason": text(), "confirmedBy": text(), "confirmedAt": instant(),
		}, "statedBy", "reason", "confirmedBy", "confirmedAt"),
		"Disagreements": answer(node{"pledges": list(ref("Disagreement"))}),
		"TermsAccepted": answer(node{
			"confirmed": about(boolean(), "Two operators decided the same: the pledge is charged"), "pledge": ref("Disagreement"),
		}),
		"Reopening": answer(node{
			"statedBy": text(), "statedAt": instant(), "reason": text(), "confirmedBy": text(), "confirmedAt": instant(),
		}, "confirmedBy", "confirmedAt"),
		"Reopened": answer(node{
			"confirmed": about(boolean(), "Two operators decided the same: the campaign is open"), "reopening": ref("Reopening"),
		}),
		"Resolved": answer(node{
			"confirmed": about(boolean(), "Two operators made the same statement: the charge is resolved"), "charge": ref("Charge"),
		}),
		"Filled": answer(node{
			"checked": about(integer(), "Payments looked up"), "filled": integer(),
			"pending": about(boolean(), "Some payments still have no fees"),
		}),
		"Backfilled": answer(node{
			"processed": integer(), "failed": integer(), "remaining": about(boolean(), "Start of the next call"), "errors": list(text()),
		}),
		"Funds": answer(node{
			"pledged": cents("Amounts of all pledges that are not cancelled"), "collectable": cents("Charged or collectible amount"),
			"collected": cents("Charged"), "available": cents("Charged amount less booked fees"),
		}),
		"Break": answer(node{
			"kind": word("charged_without_payment", "payment_not_succeeded", "payment_unavailable", "amount_differs", "currency_differs",
				"payment_of_another", "totals_differ", "payment_not_booked", "charged_twice", "ambiguous_charge", "stale_settlement_job", "order_lost"),
			"subject": text(), "orderIds": list(text()), "paymentIntentId": text(), "bookedAmount": cents("On our side"),
			"processorAmount": cents("At the processor"), "message": text(), "version": integer(), "id": text(), "campaignSlug": text(),
			"severity": word("critical", "warning"), "status": word("open", "resolved"), "firstSeenAt": instant(), "lastSeenAt": instant(),
			"resolvedAt": instant(), "occurrences": about(integer(), "Passes that found it"), "lastPass": integer(),
		}, "orderIds", "paymentIntentId", "resolvedAt"),
		"Reconciliation": answer(node{
			"campaignSlug": text(), "currency": text(), "attempted": about(boolean(), "This call has run"),
			"truncated": about(boolean(), "The pass is not finished"), "pass": integer(), "checked": about(integer(), "Pledges"),
			"paymentIntentsChecked": integer(), "paymentsListed": integer(), "bookedGross": cents("Of charged pledges"),
			"processorGross": cents("Of payments that succeeded"), "funds": ref("Funds"), "difference": cents("Of the last whole pass"),
			"openBreaks": integer(), "criticalBreaks": integer(), "breaks": list(ref("Break")), "oldestBreak": instant(), "reconciledAt": instant(),
			"compared": about(answer(node{
				"at": about(instant(), "End of the pass"), "pledges": about(integer(), "Compared pledges"), "payments": about(integer(), "Payments on the processor's list"),
				"booked": cents("Charged, by our records"), "processor": cents("Charged, by the processor's records"), "difference": cents("The processor's amount less ours"),
			}), "Result of the last complete pass; missing if there was none, and then nothing is known about differences"),
		}, "oldestBreak", "reconciledAt", "compared"),
	}
}

func jobStatus() node { return word("running", "done", "needs_attention") }

// settleReport is a preview after a dry run and otherwise a result.
func settleReport() node {
	shared := node{
		"dryRun": boolean(), "campaignSlug": text(), "funds": ref("Funds"),
		"skippedNoCustomer": about(integer(), "Pledges without a card that can be charged"), "skipped": list(ref("Detail")),
	}
	preview := node{
		"supporterCount": integer(), "pledgeCount": integer(), "totalAmount": cents("Amount that would be charged"),
		"supporters": list(answer(node{
			"email": text(), "totalAmount": cents("One charge"), "pledgeCount": integer(), "orderIds": list(text()),
			"cardOrderId": about(text(), "The pledge whose card pays"),
		})),
	}
	result := node{
		"success":           about(boolean(), "No errors occurred; declined cards are not errors"),
		"supportersCharged": integer(), "supportersFailed": integer(), "supportersDropped": integer(), "needsAttention": integer(), "pending": integer(),
		"pledgesCharged": integer(), "errors": list(ref("Detail")), "totalCharged": cents("By this run"),
		"completedAt": about(node{"type": []string{"string", "null"}, "format": "date-time"}, "Set when nothing is left to settle"),
	}
	return node{"oneOf": []node{answer(merged(shared, preview)), answer(merged(shared, result))}}
}
