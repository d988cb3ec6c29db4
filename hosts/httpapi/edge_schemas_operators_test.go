package httpapi

import (
	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/admin/pledgehealth"
	"github.com/pledgeworks/pledgeworks/admin/report"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

func operatorSchemas() node {
	role := word(string(access.SuperAdmin), string(access.CampaignUser))
	permissions := list(word(words(access.Permissions)...))
	client := answer(node{"browser": text(), "system": text(), "device": word("computer", "phone", "tablet")})
	bytes := about(text(), "In base64url, without padding")
	user := answer(node{
		"email": text(), "name": text(), "role": role, "campaigns": about(list(text()), "Campaigns of a campaign user"),
		"permissions": about(permissions, "Permissions of a campaign user; none implies another"), "preferredLang": text(),
		"invited":   about(boolean(), "An invitation was sent"),
		"revision":  about(integer(), "Required with the next change"),
		"createdAt": instant(), "updatedAt": instant(),
	})
	figures := node{
		"name":    about(text(), "Empty for pledges without this value"),
		"pledges": about(integer(), "All pledges, whatever their status"),
		"pledged": cents("Toward the goal, of all pledges that are not cancelled"),
		"total":   cents("Of active and charged pledges, with tax, shipping, tip and platform add-ons"),
		"charged": cents("Collected"), "refunded": cents("Part of it that was refunded"),
		"fees": cents("Processor fees of the collected amount"),
		"net":  cents("Collected less refunds and fees; never more than collected. Disputes are only in ledger"),
		"basis": about(word("", "actual", "estimated", "mixed"),
			"Source of the fees: the processor's figures or its list prices; empty without charges"),
		"expectedFees": cents("Estimated fees of pledges that can still be charged"),
		"expectedNet":  cents("Net, and what it grows to if these pledges are charged"),
	}
	row := answer(figures)
	visits := list(answer(node{"name": about(text(), "Empty if there is none; * for all names after the first 200"),
		"visits": integer()}))
	referral := answer(node{
		"code": about(text(), "The link's ref"), "name": text(), "utmSource": text(), "utmMedium": text(),
		"utmCampaign": text(), "utmContent": text(),
		"links": answer(node{"en": text(), "es": text()}), "qr": about(text(), "Content of its QR code"),
		"revision": about(integer(), "Required with the next change"), "createdAt": instant(), "updatedAt": instant(),
	}, "utmSource", "utmMedium", "utmCampaign", "utmContent")
	suppressed := answer(node{"email": text(), "createdBy": about(text(), "Empty if created by a script"),
		"createdAt": instant()})
	reason := word(string(suppression.Bounced), string(suppression.Complained),
		string(suppression.Asked), string(suppression.Operator))
	trouble := word(string(pledgehealth.CardExpires), string(pledgehealth.CardGone),
		string(pledgehealth.CardUnread), string(pledgehealth.Unreachable))
	return node{
		"Suppression": suppressed,
		"Suppressions": answer(node{"suppressions": list(suppressed), "next": about(text(),
			"Cursor of the next page, empty on the last; a page may be empty and still have a next page")}),
		"SuppressionRequest": question(node{"campaignSlug": about(text(),
			"Optional for super admins: if omitted, applies to all reminders and news"), "email": text()}, "email"),
		"SuppressionClearance": question(node{"campaignSlug": text(), "email": text(),
			"why": about(word("operator", "bounced", "complained"), "Reason to clear; default operator")}, "email"),
		"SuppressionCleared": answer(node{"reasons": about(list(reason),
			"Reasons that still suppress emails to the address in the same scope")}),
		"Referral":     referral,
		"ReferralList": answer(node{"referrals": list(referral)}),
		"ReferralRequest": question(node{
			"campaignSlug": text(), "code": about(text(), "At most 64 letters, digits, and - _ . + or spaces"), "name": text(),
			"utmSource": text(), "utmMedium": text(), "utmCampaign": text(), "utmContent": text(),
			"revision": about(integer(), "Revision that was read; 0 creates a new code"),
		}, "campaignSlug", "code", "name"),
		"ReferralDeletion": question(node{"campaignSlug": text(), "code": text(), "revision": integer()},
			"campaignSlug", "code", "revision"),
		"Analytics": answer(node{
			"campaignSlug": text(), "total": row,
			"active": integer(), "paymentFailed": integer(), "cancelled": integer(), "dropped": integer(), "charged": integer(),
			"first": about(integer(), "Pledges that are their supporter's first one on the platform"),
			"before": about(answer(node{
				"from": text(), "to": text(), "pledges": integer(), "pledged": cents("Toward the goal"), "first": integer(),
			}), "The same number of days before the period; missing without one"),
			"ledger": about(ref("MoneySums"), "Totals with disputes, in the first part of a report on the whole campaign; "+
				"missing if no charge was refunded or disputed"),
			"categories": about(list(row), "Parts of pledges; they add up to the total"),
			"referrals":  list(row), "utmSources": list(row), "utmMediums": list(row),
			"utmCampaigns": list(row), "utmContents": list(row),
			"links":            about(list(row), "By the tracking parameters of the link, as its query"),
			"fulfillmentTypes": list(row), "languages": list(row),
			"tiers":     about(list(row), "Names of each pledge's most expensive reward"),
			"countries": about(list(row), "Two letters of the shipping or billing address"),
			"days":      about(list(row), "Days in the platform's time zone on which pledges were made"),
			"progress": about(list(answer(node{"day": text(),
				"counted":   cents("Amount pledged on the day, less cancellations since then"),
				"returning": cents("Of it from supporters who had pledged before, in any campaign")})),
				"Contribution of each day to the goal"),
			"next":         about(integer(), "Cursor of the next part, 0 on the last; add the figures of all parts"),
			"missingIndex": about(boolean(), "There are no pledges yet, or the index has to be rebuilt"),
		}, "before", "ledger"),
		"MoneySums": answer(node{
			"collected": cents("Charged"), "refunded": cents("Paid back to supporters"),
			"owed":        cents("Failed refunds, owed to supporters"),
			"disputed":    cents("Withdrawn for disputes that are not decided"),
			"lost":        cents("Lost in disputes"),
			"fees":        cents("Processor fees, with those for disputes"),
			"unexplained": cents("Changes of the processor's balance without a known reason"),
			"net":         cents("Collected less all others; never more than collected"),
		}),
		"Visits": answer(node{
			"campaignSlug": text(), "total": integer(),
			"days":      about(visits, "Last 400 days with visits, in the platform's time zone, in order"),
			"referrals": visits, "utmSources": visits, "utmMediums": visits, "utmCampaigns": visits, "utmContents": visits,
			"links": about(list(answer(node{"name": text(), "visits": integer()})),
				"By the tracking parameters of the link, as its query"),
		}),
		"SignInRequest": question(node{
			"email": about(text(), "At most 254 characters"), "preferredLang": about(text(), "en or es"),
			"challenge": about(text(), "Response of the challenge, if one is configured"),
		}, "email"),
		"SignInAsked": answer(node{
			"sent": about(boolean(), "True for every address"),
			"link": about(text(), "For local development"),
		}, "link"),
		"SignInProof": question(node{"token": about(text(), "Token from the link in the email"),
			"code": about(text(), "Eight-digit code from the same email")}),
		"SetupView": answer(node{"needed": about(boolean(), "The platform has no user yet")}),
		"SetupRequest": question(node{
			"token": about(text(), "Token from the setup link"), "email": about(text(), "Address for sign-in links"),
			"name":          about(text(), "Display name"),
			"preferredLang": about(text(), "Language of mails: en or es"),
		}, "token", "email", "name"),
		"SessionView": answer(node{
			"email": text(), "name": text(), "role": role, "campaigns": list(text()),
			"permissions": permissions, "sessionId": text(),
			"csrfToken":  about(text(), "Required as header x-svc-admin-csrf with each change"),
			"endsAt":     instant(),
			"freshUntil": about(instant(), "End of the time in which this sign-in counts as recent"),
			"lacks": about(word("", string(access.PasskeyNotUsed), string(access.NoPasskey)),
				"Missing step of the sign-in: to use a passkey, or to add one"),
			"now": about(instant(), "Time of the server"),
		}),
		"Passkeys": answer(node{
			"passkeys": list(answer(node{
				"id": bytes, "name": text(), "synced": about(boolean(), "The passkey is synced between devices, or can be"),
				"createdAt": instant(), "usedAt": about(instant(), "Missing if it was never used"),
			}, "usedAt")),
			"codesLeft": about(integer(), "Number of unused recovery codes"),
			"challenge": about(text(), "Its UTF-8 bytes are the challenge"),
			"rpId":      about(text(), "Domain that passkeys are bound to"), "userId": bytes,
		}),
		"PasskeyAnswer": question(node{"id": bytes, "clientDataJSON": bytes, "authenticatorData": bytes, "signature": bytes},
			"id", "clientDataJSON", "authenticatorData", "signature"),
		"NewPasskey": question(node{
			"name": text(), "id": bytes, "clientDataJSON": bytes, "authenticatorData": bytes,
			"publicKey":          about(text(), "As getPublicKey returns it, in base64url"),
			"publicKeyAlgorithm": about(integer(), "-7 or -257"),
		}, "name", "id", "clientDataJSON", "authenticatorData", "publicKey", "publicKeyAlgorithm"),
		"RecoveryCodes":  answer(node{"codes": about(list(text()), "Empty if the existing codes remain valid")}),
		"RecoveryCode":   question(node{"code": text()}, "code"),
		"PasskeyRemoval": question(node{"id": bytes}, "id"),
		"SignedOut":      answer(node{"signedOut": boolean()}),
		"SessionList": answer(node{"sessions": list(answer(node{
			"id": text(), "email": text(), "client": client,
			"network":   about(text(), "Keyed fingerprint of the network"),
			"createdAt": instant(), "confirmedAt": about(instant(), "Time of the last authentication"), "endsAt": instant(),
			"endedAt": instant(), "endedBy": about(text(), "Missing if ended by the host"),
			"active": boolean(), "current": about(boolean(), "The caller's session, which cannot be revoked"),
		}, "endedAt", "endedBy"))}),
		"RevokeRequest": question(node{"sessionId": about(text(), "Session to end"),
			"email": about(text(), "Or the user whose sessions to end")}),
		"Revoked":  answer(node{"ended": about(integer(), "Sessions")}),
		"UserList": answer(node{"users": list(user)}),
		"UserRequest": question(node{
			"email": about(text(), "At most 254 characters"), "name": text(), "role": role,
			"campaigns":   about(list(text()), "For a campaign user: at least one"),
			"permissions": about(permissions, "For a campaign user; default all"), "preferredLang": word("en", "es"),
			"revision": about(integer(), "Revision that was read; 0 creates a new user"),
		}, "email", "name", "role"),
		"User": user,
		"Report": answer(node{
			"columns": about(list(text()), "Keys, as in the CSV file"),
			"rows":    about(list(list(text())), "Rows of the page's pledges, with times in the timezone"),
			"headings": about(list(answer(node{
				"key": text(), "name": about(text(), "In the requested language"),
				"kind": about(word(words(report.CellKinds())...),
					"time: RFC 3339; day: such as 2026-11-30; money: dollars with two decimals; percent: a whole number; status: a pledge's, with dropped; parcel: to_pack, packed or sent"),
			})), "One for each column"),
			"currency": about(text(), "Of the amounts"), "timezone": about(text(), "Platform's time zone"),
			"next": about(integer(),
				"Cursor of the next page, 0 on the last; a page may be empty and still have a next page"),
			"missingIndex": about(boolean(), "There are no pledges yet, or the index has to be rebuilt"),
			"held": about(answer(node{"pledges": integer(), "disputed": about(integer(), "Parcels; the dispute is open"),
				"disputeLost": about(integer(), "Parcels; the dispute was lost")}),
				"Parcels of the page's pledges that a fulfillment report leaves out because of a dispute; missing if there are none"),
		}, "before", "held"),
		"Accounting": answer(node{
			"version": about(integer(), "Version of the format"), "campaignSlug": text(),
			"timezone": about(text(), "Time zone of the days"),
			"journals": list(answer(node{
				"number": text(), "day": about(text(), "Such as 2026-12-19"),
				"pledges":      about(integer(), "Number of charged pledges"),
				"unbookedFees": about(integer(), "Pledges whose fees the processor has not booked yet"),
				"movements":    about(mapOf(integer()), "Entries of the ledger by kind; missing in a journal of charges"),
				"bookedOn":     about(text(), "Day of the booking if it is in a later month than day, otherwise missing"),
				"lines": about(list(answer(node{
					"account": word(words(accounting.Accounts)...), "amount": cents("Debits are positive, credits negative"),
				})), "They add up to 0"),
			}, "movements", "bookedOn")),
			"xeroFiles": about(integer(), "Number of files with at most 300 lines each"),
		}),
		"Ledger": answer(node{
			"entries": list(answer(node{
				"number":   about(integer(), "From 1, without gaps"),
				"identity": about(text(), "Of the movement; the ledger has each movement once"),
				"kind": about(word(words(ledger.Kinds)...),
					"opening: a charge from before there was a ledger; refund_failed: the refund came back and is owed; repayment: it was paid in another way"),
				"valueAt": about(instant(), "When the money moved"), "bookedAt": about(instant(), "When the entry was added"),
				"paymentIntentId": text(), "chargeId": text(), "balanceTransactionId": text(),
				"refundId": about(text(), "As in the list of refunds"), "disputeId": text(), "payoutId": text(),
				"lines": about(list(answer(node{
					"account": word(words(accounting.Accounts)...),
					"pledge":  about(text(), "Pledge that the amount belongs to; missing for clearing and fees"),
					"amount":  cents("Debits are positive, credits negative"),
				}, "pledge")), "They add up to 0"),
				"before": about(text(), "Hash of the previous entry, empty for the first"), "hash": text(),
			}, "paymentIntentId", "chargeId", "balanceTransactionId", "refundId", "disputeId", "payoutId")),
			"next":     about(integer(), "Number to continue after, 0 on the last page"),
			"balances": mapOf(cents("Balance of the account; debits are positive")),
		}),
		"Disputes": answer(node{
			"disputes": list(answer(node{
				"disputeId": text(), "phase": word("inquiry", "chargeback", "won", "lost", "closed", "unknown"),
				"status":            about(text(), "As named by the processor; new names may appear"),
				"amount":            cents("Disputed"),
				"reason":            about(text(), "As named by the processor, such as product_not_received"),
				"networkReasonCode": about(text(), "Of the card network, such as 13.1"),
				"openedAt":          instant(), "answerBy": about(instant(), "Deadline for an answer; missing if none is awaited"),
				"decidedAt": instant(), "withdrawn": cents("Withdrawn and not returned"), "fees": cents("For the dispute"),
				"lost": cents("Lost"), "blocksRefunds": about(boolean(), "The payment cannot be refunded"),
				"paymentIntentId": text(), "paymentUrl": about(text(), "The payment's page at the processor"),
				"orderIds": about(list(text()), "Pledges of the payment"),
			}, "networkReasonCode", "answerBy", "decidedAt", "paymentUrl")),
			"next": about(text(), "Cursor of the next page, empty on the last"),
		}),
		"Payouts": answer(node{
			"payouts": list(answer(node{
				"payoutId":  text(),
				"status":    about(text(), "As named by the processor: pending, in_transit, paid, failed or canceled; new names may appear"),
				"automatic": about(boolean(), "Made by the processor's schedule and not by a person"),
				"createdAt": about(instant(), "When it left the processor's balance"),
				"arrivesAt": about(instant(), "When the bank is expected to have it"), "currency": text(),
				"explanation": about(word("waiting", "explained", "unexplained", "notExplainable"),
					"Whether the amount is explained by rows that the ledgers have"),
				"reason": about(word("manual", "otherCurrency"), "Why it is not explainable"),
				"shares": about(list(answer(node{
					"campaignSlug": text(), "amount": cents("Negative if other campaigns paid for it"),
					"rowCount":  about(integer(), "Number of the campaign's rows"),
					"unmatched": about(integer(), "Number of rows that the campaign's ledger does not have"),
					"examples":  about(list(text()), "Balance transactions of the first of these rows"),
				}, "unmatched", "examples")), "Of the campaigns"),
				"whole": about(answer(node{
					"amount": cents("Amount of the payout"), "other": cents("Rows that belong to no campaign"),
					"difference": cents("The amount without the sum of the rows"), "rowCount": integer(),
				}), "Missing in the list of a campaign"),
			}, "reason", "whole")),
			"next": about(text(), "Cursor of the next page, empty on the last"),
		}),
		"PledgeHealth": answer(node{
			"campaignSlug": text(), "chargeAt": about(instant(), "Earliest time of the charges"),
			"charges": about(integer(), "Number of charges checked, one per card"), "amount": cents("Amount of these charges"),
			"atRiskAmount": cents("Amount of charges with a finding"),
			"findings": list(answer(node{
				"email": text(), "orderIds": list(text()), "amount": cents("Of the charge"),
				"troubles":    list(trouble),
				"cardExpires": about(text(), "Expiry month of the card, such as 2027-03; missing if unknown"),
				"asked":       about(boolean(), "The supporter was asked for another card for this reason"),
			}, "cardExpires")),
			"next": about(text(), "Cursor of the next page, empty on the last"),
		}),
		"CardCheckRequest": question(node{
			"cursor": about(text(), "The next value of the previous page; omit it to begin a check"),
			"limit":  about(integer(), "About how many pledges, 1 to 50"),
		}),
		"CardsChecked": answer(node{
			"charges": about(integer(), "Charges checked so far"),
			"next":    about(text(), "Cursor of the next page, empty on the last"),
			"result":  about(ref("CardCheck"), "Present after the last page"),
		}, "result"),
		"CardCheck": answer(node{
			"checkedAt": about(instant(), "When the check ended"),
			"charges":   about(integer(), "Charges that were checked, one per card"), "amount": cents("Amount of these charges"),
			"atRiskCharges": about(integer(), "Charges with a trouble"),
			"atRiskAmount":  cents("Amount of charges with a problem"),
			"causes": about(list(answer(node{"trouble": trouble, "charges": integer(), "amount": cents("Of these charges")})),
				"One entry per kind of problem; a charge with two problems is in both"),
			"askable": about(integer(), "Supporters that had not been asked for another card and can be reached"),
		}),
		"AskForCards": question(node{
			"dryRun": boolean(), "cursor": about(text(), "The next value of the previous page"),
			"limit": about(integer(), "About how many pledges, 1 to 50"),
		}, "dryRun"),
		"CardsAsked": answer(node{
			"dryRun":       boolean(),
			"asked":        about(integer(), "Emails queued by this request or, in a dry run, emails that would be queued"),
			"alreadyAsked": about(integer(), "Emails queued earlier"),
			"unreachable":  about(integer(), "Emails not queued because the address is suppressed"),
			"next":         about(text(), "Cursor of the next page, empty on the last"),
		}),
		"PlanUsage": answer(node{
			"provider": text(), "plan": text(), "missing": about(list(text()), "Missing settings"),
			"from": about(text(), "The first day, in UTC"), "to": text(),
			"severity": word("ok", "warning", "critical"), "link": text(),
			"usage": list(answer(node{
				"id": text(), "name": text(), "used": integer(), "limit": integer(), "unit": word("requests", "keys", "bytes"),
				"period":   about(word("day", "month", ""), "Empty for stored amounts"),
				"severity": word("ok", "warning", "critical"),
				"link":     about(text(), "Where the limit is stated"),
			})),
		}, "from", "to"),
		"HealthReport": answer(node{
			"at": instant(), "version": text(),
			"severity": about(word(words(health.Severities())...), "Highest severity of the findings"),
			"findings": about(list(answer(node{
				"id":       about(text(), "Stable ID; for checks without findings the check's name"),
				"severity": word(words(health.Severities())...),
				"found":    text(), "remedy": about(text(), "What to do, in a sentence"),
				"action": answer(node{
					"kind": about(word(words(health.ActionKinds())...),
						"Where the dashboard leads to resolve it; none for findings with only a remedy"),
					"campaigns": about(list(text()), "Slugs of the campaigns; empty if the finding is about no campaign"),
				}),
			}, "remedy")), "The most severe first, then those with the most harm to supporters and money"),
		}, "version"),
		"AuditQuery": question(node{
			"action":       about(text(), "Action, such as settlement.stop"),
			"adminEmail":   about(text(), "Email address of the operator, exact match"),
			"campaignSlug": text(), "from": about(text(), "First day in the platform's time zone, such as 2026-01-31"),
			"to":    about(text(), "Last day in the platform's time zone"),
			"q":     about(text(), "Text contained in any field, at most 100 bytes"),
			"limit": about(integer(), "Events per page"), "cursor": about(integer(), "The next value of the previous page"),
			"lang": word("", "en", "es"),
		}),
		"SupporterQuery": question(node{
			"campaignSlug": about(text(),
				"If omitted, searches all campaigns for a complete address or order ID; super admins only"),
			"q": about(text(),
				"Start of an address, start of any word of a name, or an order ID, at most 254 bytes; default all of the campaign, newest first"),
			"cursor":   about(text(), "The next value of the previous page"),
			"status":   about(word(words(supporters.Filters())...), "Only pledges with this status; charged includes those with refunds and disputes, which require the money permission"),
			"rewardId": about(text(), "Only pledges with this reward, at most 200 bytes"),
			"country": about(text(),
				"Only pledges with this country in the address, such as US; requires the fulfilment permission"),
			"toShip": about(boolean(),
				"Only charged pledges with a parcel that is not sent yet; requires the fulfilment permission"),
		}),
		"SupportersFound": answer(node{
			"supporters": list(answer(node{
				"orderId": text(), "campaignSlug": text(), "email": text(),
				"name":         about(text(), "Of the parcel or the bill; empty if there is none"),
				"pledgeStatus": word("active", "payment_failed", "cancelled", "charged"), "createdAt": instant(),
				"status": detailedStatus(), "rewards": about(list(text()), "Names, such as 2 × Seat; empty without a reward"),
				"amount": cents("Charged or due amount; requires the money permission"),
			}, "amount")),
			"next": about(text(),
				"Cursor of the next page, empty on the last; a page may be short or empty and still have a next page"),
		}),
		"UserDeletion": question(node{"email": text()}, "email"),
		"Deleted":      answer(node{"deleted": boolean()}),
	}
}

func words[T ~string](all []T) []string {
	out := make([]string, 0, len(all))
	for _, w := range all {
		out = append(out, string(w))
	}
	return out
}
