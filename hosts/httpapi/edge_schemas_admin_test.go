package httpapi

func adminSchemas() node {
	record := about(node{"type": []string{"object", "array", "null"}}, "null if the record is missing")
	drift := node{
		"campaignSlug": text(), "inSync": boolean(),
		"drift": list(answer(node{"key": text(), "expected": node{"type": []string{"object", "array"}}, "actual": record})),
	}
	timing := node{
		"route": text(), "count": integer(), "p50": about(integer(), "Milliseconds, at most"),
		"p95": integer(), "p99": integer(), "longest": integer(),
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
			"next": about(integer(),
				"Cursor of the next page, 0 on the last; a page may be short and still have a next page"),
			"actions": about(list(answer(node{"action": text(), "summary": about(text(), "In the requested language")})),
				"Actions that the filter accepts"),
			"events": list(answer(node{
				"number": integer(), "createdAt": instant(), "action": text(),
				"summary":       about(text(), "What the action did, in the requested language"),
				"campaignTitle": about(text(), "Missing without a campaign"),
				"adminEmail":    about(text(), "Missing for requests with a shared secret"),
				"adminRole":     text(), "source": text(), "campaignSlug": text(), "orderId": text(),
				"target": about(text(), "Affected user or session"), "reason": text(), "changedFields": list(text()),
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
			"version": integer(), "campaignSlug": text(), "status": jobStatus(), "currency": text(),
			"stage": text(), "cursor": text(),
			"settlementLockOwner": text(), "total": integer(), "processed": integer(), "totalCharged": integer(),
			"totalFailed": integer(), "totalDropped": integer(), "totalSkipped": integer(),
			"totalNeedsAttention": integer(), "amountCharged": cents("So far"),
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
			"slowest": about(list(answer(merged(timing, node{"date": about(text(), "In UTC, as 2026-01-31")}))),
				"Routes on the days on which they took longest, by p95, at most 20"),
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
			"endsAt": instant(), "goal": cents("Threshold that had to be reached"),
			"pledges": about(integer(), "Pledges that rely on it"),
		}),
		"Standing": answer(node{
			"campaignSlug": text(), "state": word("upcoming", "live", "ended"), "goal": cents("Threshold to be reached"),
			"counted": cents("Toward the goal"),
			"missed": about(boolean(),
				"Ended below the goal without a charge: nothing is collectable, and a settlement is refused"),
			"mayStart":   about(boolean(), "A settlement can be started or continued now"),
			"endsAt":     about(orNull(instant()), "Null without a deadline"),
			"beginsAt":   about(orNull(instant()), "Earliest start of the settlement"),
			"supporters": integer(), "pledges": about(mapOf(integer()), "By status"), "funds": ref("Funds"),
			"begun":   about(boolean(), "There are charges, finished or in progress"),
			"working": about(boolean(), "A settlement run is active"),
			"open":    about(boolean(), "There is a charge without a known result"), "job": orNull(ref("Job")),
			"completedAt": orNull(instant()),
			"closedAt":    about(orNull(instant()), "The campaign was closed because it missed its goal"),
			"detachingAt": about(orNull(instant()),
				"Start of the deletion of a closed campaign's cards, until which it can be reopened"),
			"reopening": about(orNull(ref("Reopening")), "Decisions of operators so far"),
			"unclosed": about(orNull(answer(node{"since": instant(), "reason": text()})),
				"Why it is not closed although it missed its goal"),
			"off":     about(text(), "Why the configuration disables charges"),
			"stopped": about(orNull(ref("Stop")), "All campaigns"), "held": about(orNull(ref("Held")), "This one"),
			"broken": about(list(ref("Promised")), "Promises to supporters that a charge would break"),
			"accepted": orNull(answer(node{
				"endsAt": instant(), "goal": cents("Broken promises that operators accepted"), "reason": text(), "at": instant(),
			})),
		}),
		"Failures": answer(node{
			"failures": list(answer(node{
				"email": text(), "orderIds": list(text()), "amount": cents("Of all its pledges"), "attempts": integer(),
				"code": about(text(), "The processor's"), "declineCode": about(text(), "Decline reason of the issuer"),
				"failedAt": about(instant(), "At first"), "recovery": ref("Recovery"),
				"paymentIntentId": about(text(), "Of the last attempt"),
				"remindable":      about(boolean(), "The supporter can be reminded now"),
				"remindedAt":      about(instant(), "Time of the reminder of the last attempt"),
				"paymentUrl":      about(text(), "Page of the payment at the payment processor"),
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
			"group": text(), "status": word("submitted", "succeeded", "failed", "needsAttention"),
			"reason": text(), "attempt": integer(),
			"amount":          cents("Of all its pledges"),
			"requestedAmount": cents("Requested amount, if operators accepted another one"),
			"receivedAmount":  cents("Amount that the processor received, if it differs from the requested one"),
			"orderIds":        list(text()), "pspCustomerId": text(), "paymentIntentId": text(),
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
				"revision": integer(), "amount": cents("Amount at the processor; 0 if the pledge was cancelled"),
				"cancelled": boolean(),
			}, "cancelled"),
			"foundAt": instant(), "seenAt": instant(), "statedBy": text(), "reason": text(),
			"confirmedBy": text(), "confirmedAt": instant(),
		}, "statedBy", "reason", "confirmedBy", "confirmedAt"),
		"Disagreements": answer(node{"pledges": list(ref("Disagreement"))}),
		"TermsAccepted": answer(node{
			"confirmed": about(boolean(), "Two operators decided the same: the pledge is charged"),
			"pledge":    ref("Disagreement"),
		}),
		"Reopening": answer(node{
			"statedBy": text(), "statedAt": instant(), "reason": text(), "confirmedBy": text(), "confirmedAt": instant(),
		}, "confirmedBy", "confirmedAt"),
		"Reopened": answer(node{
			"confirmed": about(boolean(), "Two operators decided the same: the campaign is open"), "reopening": ref("Reopening"),
		}),
		"Resolved": answer(node{
			"confirmed": about(boolean(), "Two operators made the same statement: the charge is resolved"),
			"charge":    ref("Charge"),
		}),
		"Filled": answer(node{
			"checked": about(integer(), "Payments looked up"), "filled": integer(),
			"pending": about(boolean(), "Some payments still have no fees"),
		}),
		"Backfilled": answer(node{
			"processed": integer(), "failed": integer(), "remaining": about(boolean(), "Start of the next call"),
			"errors": list(text()),
		}),
		"Funds": answer(node{
			"pledged":     cents("Amounts of all pledges that are not cancelled"),
			"collectable": cents("Charged or collectible amount"),
			"collected":   cents("Charged"), "available": cents("Charged amount less booked fees"),
		}),
		"Break": answer(node{
			"kind": word("charged_without_payment", "payment_not_succeeded", "payment_unavailable",
				"amount_differs", "currency_differs",
				"payment_of_another", "totals_differ", "payment_not_booked", "charged_twice",
				"ambiguous_charge", "stale_settlement_job", "order_lost", "ledger_differs",
				"dispute_differs", "disputed_differs", "dispute_not_returned", "movement_unexplained", "refund_differs",
				"payout_differs", "payout_row_unknown"),
			"subject": text(), "orderIds": list(text()), "paymentIntentId": text(), "bookedAmount": cents("On our side"),
			"processorAmount": cents("At the processor"), "message": text(), "version": integer(),
			"id": text(), "campaignSlug": text(),
			"severity": word("critical", "warning"), "status": word("open", "resolved"),
			"firstSeenAt": instant(), "lastSeenAt": instant(),
			"resolvedAt": instant(), "occurrences": about(integer(), "Passes that found it"), "lastPass": integer(),
		}, "orderIds", "paymentIntentId", "resolvedAt"),
		"Reconciliation": answer(node{
			"campaignSlug": text(), "currency": text(), "attempted": about(boolean(), "This call has run"),
			"truncated": about(boolean(), "The pass is not finished"), "pass": integer(), "checked": about(integer(), "Pledges"),
			"paymentIntentsChecked": integer(), "paymentsListed": integer(), "bookedGross": cents("Of charged pledges"),
			"processorGross": cents("Of payments that succeeded"), "funds": ref("Funds"),
			"difference": cents("Of the last whole pass"),
			"openBreaks": integer(), "criticalBreaks": integer(), "breaks": list(ref("Break")),
			"oldestBreak": instant(), "reconciledAt": instant(),
			"compared": about(answer(node{
				"at": about(instant(), "End of the pass"), "pledges": about(integer(), "Compared pledges"),
				"payments": about(integer(), "Payments on the processor's list"),
				"booked":   cents("Charged, by our records"), "processor": cents("Charged, by the processor's records"),
				"difference": cents("The processor's amount less ours"),
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
		"supportersCharged": integer(), "supportersFailed": integer(), "supportersDropped": integer(),
		"needsAttention": integer(), "pending": integer(),
		"pledgesCharged": integer(), "errors": list(ref("Detail")), "totalCharged": cents("By this run"),
		"completedAt": about(node{"type": []string{"string", "null"}, "format": "date-time"},
			"Set when nothing is left to settle"),
	}
	return node{"oneOf": []node{answer(merged(shared, preview)), answer(merged(shared, result))}}
}
