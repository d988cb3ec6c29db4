package httpapi

import (
	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/accounting"
	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/admin/pledgehealth"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

func operatorSchemas() node {
	role := word(string(access.SuperAdmin), string(access.CampaignUser))
	permissions := list(word(words(access.Permissions)...))
	client := answer(node{"browser": text(), "system": text(), "device": word("computer", "phone", "tablet")})
	bytes := about(text(), "In base64url, without padding")
	user := answer(node{
		"email": text(), "name": text(), "role": role, "campaigns": about(list(text()), "Of a campaign user"),
		"permissions": about(permissions, "Of a campaign user, none of which implies another"), "preferredLang": text(),
		"invited":   about(boolean(), "They were mailed how to sign in"),
		"revision":  about(integer(), "To be shown with the next change"),
		"createdAt": instant(), "updatedAt": instant(),
	})
	figures := node{
		"name":    about(text(), "Empty where the pledges have none"),
		"pledges": about(integer(), "All, whatever became of them"),
		"pledged": about(integer(), "Of those that stand, in cents"), "charged": about(integer(), "Of those that were charged, in cents"),
		"fees": about(integer(), "The processor's, of what stands, in cents"), "net": about(integer(), "What is left of pledged, in cents"),
		"basis": about(word("", "actual", "estimated", "mixed"), "Where the fees are from: the processor's own figures, or its list price"),
	}
	row := answer(figures)
	visits := list(answer(node{"name": about(text(), "Empty for none; * for names beyond the first 200"), "visits": integer()}))
	referral := answer(node{
		"code": about(text(), "The link's ref"), "name": text(), "utmSource": text(), "utmMedium": text(), "utmCampaign": text(), "utmContent": text(),
		"links": answer(node{"en": text(), "es": text()}), "qr": about(text(), "What its QR code says"),
		"revision": about(integer(), "To be shown with the next change"), "createdAt": instant(), "updatedAt": instant(),
	}, "utmSource", "utmMedium", "utmCampaign", "utmContent")
	suppressed := answer(node{"email": text(), "createdBy": about(text(), "Empty for a script"), "createdAt": instant()})
	reason := word(string(suppression.Bounced), string(suppression.Complained), string(suppression.Asked), string(suppression.Operator))
	return node{
		"Suppression":          suppressed,
		"Suppressions":         answer(node{"suppressions": list(suppressed), "next": about(text(), "The cursor of the next page, empty on the last; a page may be empty and have a next one")}),
		"SuppressionRequest":   question(node{"campaignSlug": about(text(), "Super admins may leave it out: for all reminders and news"), "email": text()}, "email"),
		"SuppressionClearance": question(node{"campaignSlug": text(), "email": text(), "why": about(word("operator", "bounced", "complained"), "What is taken back; operator if nothing is said")}, "email"),
		"SuppressionCleared":   answer(node{"reasons": about(list(reason), "What still stops mails to the address, within the same scope")}),
		"Referral":             referral,
		"ReferralList":         answer(node{"referrals": list(referral)}),
		"ReferralRequest": question(node{
			"campaignSlug": text(), "code": about(text(), "At most 64 letters, digits, and - _ . + or spaces"), "name": text(),
			"utmSource": text(), "utmMedium": text(), "utmCampaign": text(), "utmContent": text(),
			"revision": about(integer(), "Of the one that was read; 0 creates one"),
		}, "campaignSlug", "code", "name"),
		"ReferralDeletion": question(node{"campaignSlug": text(), "code": text(), "revision": integer()}, "campaignSlug", "code", "revision"),
		"Analytics": answer(node{
			"campaignSlug": text(), "total": row,
			"active": integer(), "paymentFailed": integer(), "cancelled": integer(), "dropped": integer(), "charged": integer(),
			"categories": about(list(row), "Parts of each pledge; they add up to the total"),
			"referrals":  list(row), "utmSources": list(row), "utmMediums": list(row), "utmCampaigns": list(row), "utmContents": list(row),
			"fulfillmentTypes": list(row), "languages": list(row), "days": about(list(row), "On which pledges were made, in the platform's time zone"),
			"progress":     about(list(answer(node{"day": text(), "counted": cents("Pledged on the day, less what was cancelled since")})), "What each of the days brought toward the goal"),
			"next":         about(integer(), "The cursor of the next part, 0 on the last; the figures of parts are added"),
			"missingIndex": about(boolean(), "Nobody has pledged yet, or the index has to be rebuilt"),
		}),
		"Visits": answer(node{
			"campaignSlug": text(), "total": integer(), "days": about(visits, "In the platform's time zone, in their order, the last 400 on which anybody came"),
			"referrals": visits, "utmSources": visits, "utmMediums": visits, "utmCampaigns": visits, "utmContents": visits,
		}),
		"SignInRequest": question(node{
			"email": about(text(), "At most 254 characters"), "preferredLang": about(text(), "en or es"),
			"challenge": about(text(), "What the challenge gave the page, where there is one"),
		}, "email"),
		"SignInAsked": answer(node{
			"sent": about(boolean(), "True for every address"),
			"link": about(text(), "For developers on their own machine"),
		}, "link"),
		"SignInProof": question(node{"token": about(text(), "Of the mail's link"), "code": about(text(), "Eight digits of the same mail")}),
		"SessionView": answer(node{
			"email": text(), "name": text(), "role": role, "campaigns": list(text()), "permissions": permissions, "sessionId": text(),
			"csrfToken":  about(text(), "To be shown as x-svc-admin-csrf with each change"),
			"endsAt":     instant(),
			"freshUntil": about(instant(), "Until when this sign-in is good for what takes a fresh one"),
			"lacks":      about(word("", string(access.NoPasskeyShown), string(access.NoPasskey)), "What has to come before anything else: to show a passkey, or to add one"),
			"now":        about(instant(), "By the service's clock"),
		}),
		"Passkeys": answer(node{
			"passkeys": list(answer(node{
				"id": bytes, "name": text(), "synced": about(boolean(), "It is on several devices, or may be"),
				"createdAt": instant(), "usedAt": about(instant(), "Missing before its first use"),
			}, "usedAt")),
			"codesLeft": about(integer(), "Recovery codes"),
			"challenge": about(text(), "Its UTF-8 bytes are the challenge"),
			"rpId":      about(text(), "The host that passkeys are bound to"), "userId": bytes,
		}),
		"PasskeyAnswer": question(node{"id": bytes, "clientDataJSON": bytes, "authenticatorData": bytes, "signature": bytes},
			"id", "clientDataJSON", "authenticatorData", "signature"),
		"NewPasskey": question(node{
			"name": text(), "id": bytes, "clientDataJSON": bytes, "authenticatorData": bytes,
			"publicKey":          about(text(), "As getPublicKey returns it, in base64url"),
			"publicKeyAlgorithm": about(integer(), "-7 or -257"),
		}, "name", "id", "clientDataJSON", "authenticatorData", "publicKey", "publicKeyAlgorithm"),
		"RecoveryCodes":  answer(node{"codes": about(list(text()), "Empty where the old ones stay")}),
		"RecoveryCode":   question(node{"code": text()}, "code"),
		"PasskeyRemoval": question(node{"id": bytes}, "id"),
		"SignedOut":      answer(node{"signedOut": boolean()}),
		"SessionList": answer(node{"sessions": list(answer(node{
			"id": text(), "email": text(), "client": client,
			"network":   about(text(), "A keyed fingerprint: the same for the same network"),
			"createdAt": instant(), "confirmedAt": about(instant(), "When they last showed who they are"), "endsAt": instant(),
			"endedAt": instant(), "endedBy": about(text(), "Missing where the host did"),
			"active": boolean(), "current": about(boolean(), "The one that asks, which can't be revoked"),
		}, "endedAt", "endedBy"))}),
		"RevokeRequest": question(node{"sessionId": about(text(), "One session"), "email": about(text(), "Or all of a user")}),
		"Revoked":       answer(node{"ended": about(integer(), "Sessions")}),
		"UserList":      answer(node{"users": list(user)}),
		"UserRequest": question(node{
			"email": about(text(), "At most 254 characters"), "name": text(), "role": role,
			"campaigns":   about(list(text()), "Of a campaign user: at least one"),
			"permissions": about(permissions, "Of a campaign user; all where it is left out"), "preferredLang": word("en", "es"),
			"revision": about(integer(), "Of the user that was read; 0 creates one"),
		}, "email", "name", "role"),
		"User": user,
		"Report": answer(node{
			"columns": list(text()), "rows": about(list(list(text())), "Of the pledges of a page, in the order of the columns"),
			"next":         about(integer(), "The cursor of the next page, 0 on the last; a page may have no rows and have a next one"),
			"missingIndex": about(boolean(), "Nobody has pledged yet, or the index has to be rebuilt"),
		}),
		"Accounting": answer(node{
			"version": about(integer(), "Of what lines mean"), "campaignSlug": text(), "timezone": about(text(), "In which days begin"),
			"journals": list(answer(node{
				"number": text(), "day": about(text(), "Such as 2026-12-19"), "pledges": about(integer(), "That were charged"),
				"unbookedFees": about(integer(), "Pledges whose fees the processor has not booked yet"),
				"lines": about(list(answer(node{
					"account": word(words(accounting.Accounts)...), "amount": cents("What is debited is positive, what is credited negative"),
				})), "They add up to 0"),
			})),
			"xeroFiles": about(integer(), "How many files of at most 300 lines there are"),
		}),
		"PledgeHealth": answer(node{
			"campaignSlug": text(), "chargeAt": about(instant(), "When cards are charged at the earliest"),
			"charges": about(integer(), "That were looked at, one for each card"), "amount": cents("Of those charges"),
			"atRiskAmount": cents("Of those with a finding"),
			"findings": list(answer(node{
				"email": text(), "orderIds": list(text()), "amount": cents("Of the charge"),
				"troubles":    list(word(string(pledgehealth.CardExpires), string(pledgehealth.CardGone), string(pledgehealth.CardUnread), string(pledgehealth.Unreachable))),
				"cardExpires": about(text(), "The card's last month, such as 2027-03; missing where it was not read"),
				"asked":       about(boolean(), "The supporter was asked for another card for this reason"),
			}, "cardExpires")),
			"next": about(text(), "The cursor of the next page, empty on the last"),
		}),
		"AskForCards": question(node{
			"dryRun": boolean(), "cursor": about(text(), "The next of the page before"), "limit": about(integer(), "About how many pledges, 1 to 50"),
		}, "dryRun"),
		"CardsAsked": answer(node{
			"dryRun": boolean(), "asked": about(integer(), "Mails that are queued now; in a dry run, that would be"),
			"alreadyAsked": about(integer(), "Mails that were queued before"), "unreachable": about(integer(), "Mails to addresses that take none, which are not queued"),
			"next": about(text(), "The cursor of the next page, empty on the last"),
		}),
		"PlanUsage": answer(node{
			"provider": text(), "plan": text(), "missing": about(list(text()), "Settings without which nobody is asked"),
			"from": about(text(), "The first day, in UTC"), "to": text(), "severity": word("ok", "warning", "critical"), "link": text(),
			"usage": list(answer(node{
				"id": text(), "name": text(), "used": integer(), "limit": integer(), "unit": word("requests", "keys", "bytes"),
				"period": about(word("day", "month", ""), "Empty of what is stored"), "severity": word("ok", "warning", "critical"),
				"link": about(text(), "Where the limit is stated"),
			})),
		}, "from", "to"),
		"HealthReport": answer(node{
			"at": instant(), "version": text(), "severity": about(word(words(health.Severities())...), "The worst of the findings"),
			"findings": list(answer(node{
				"id": about(text(), "Never renamed; of what is fine, the check's name"), "severity": word(words(health.Severities())...),
				"found": text(), "remedy": about(text(), "What to do, in a sentence"),
			}, "remedy")),
		}, "version"),
		"SupporterQuery": question(node{
			"campaignSlug": about(text(), "Left out, a whole address or order ID is looked for in all campaigns; only a super admin may"),
			"q":            about(text(), "How an address begins, or a name from any of its words on, or an order ID: at most 254 bytes; left out it is everybody"),
			"cursor":       about(text(), "The next of the page before"),
		}),
		"SupportersFound": answer(node{
			"supporters": list(answer(node{
				"orderId": text(), "campaignSlug": text(), "email": text(), "name": about(text(), "Of the parcel or the bill; empty where there is none"),
				"pledgeStatus": word("active", "payment_failed", "cancelled", "charged"), "createdAt": instant(),
				"amount": cents("What is charged; missing for who sees no sums"),
			}, "amount")),
			"next": about(text(), "The cursor of the next page, empty on the last; a page may be short or empty and have a next one"),
		}),
		"SupporterTimeline": answer(node{
			"campaignSlug": text(), "email": text(), "name": text(),
			"pledges": about(list(answer(node{
				"orderId": text(), "revision": integer(), "pledgeStatus": word("active", "payment_failed", "cancelled", "charged"), "createdAt": instant(),
				"parcels": about(list(ref("Parcel")), "Of a charged pledge, by who sends them"),
				"items": list(answer(node{
					"kind": word("tier", "support", "custom", "campaign_add_on", "platform_add_on", "shipping", "tip"), "name": text(), "variantName": text(), "quantity": integer(),
				}, "variantName")),
				"preferredLang": text(), "fulfillmentType": text(), "shippingOption": text(), "joined": about(boolean(), "Charged together with others of the address"),
				"card": ref("CardLabel"), "cardForgottenAt": instant(), "shippingAddress": ref("Address"), "totals": ref("Totals"),
				"chargedAmount": cents("What was charged, if that is not the total"),
			}, "shippingOption", "card", "cardForgottenAt", "shippingAddress", "totals", "chargedAmount")), "The newest first. The address is for who sees fulfilment, totals and the card for who sees money"),
			"more": about(boolean(), "The address has further pledges, which are not shown"),
			"events": about(list(answer(node{
				"at": instant(), "about": word("pledge", "mail", "charge", "operator"), "type": about(text(), "Of a pledge's history, a mail's category, attempt, or note"),
				"by": about(text(), "The operator who did it"), "parcel": about(ref("Parcel"), "As they left it"), "text": about(text(), "A note, or why an address was changed"),
				"addressBefore": about(ref("Address"), "For who sees fulfilment"),
				"orderId":       text(), "status": about(text(), "Of a mail or an attempt"), "reported": about(text(), "By the mail provider"),
				"amount": cents("For who sees money"), "paymentIntentId": text(), "errorCode": text(),
			}, "orderId", "by", "parcel", "text", "addressBefore", "status", "reported", "amount", "paymentIntentId", "errorCode")), "The oldest first"),
			"votes":      about(integer(), "Decisions that they have answered"),
			"suppressed": list(answer(node{"topic": about(text(), "update, launch or cart; empty for all mails"), "reasons": list(text())})),
		}),
		"CampaignSummaries": answer(node{
			"now": instant(),
			"campaigns": list(answer(node{
				"campaignSlug": text(), "campaignTitle": text(), "state": word("upcoming", "live", "ended"), "published": boolean(), "archived": boolean(),
				"goalAmount": cents("The goal"), "pledgedAmount": cents("All that is not cancelled"), "pledgeCount": integer(), "supporterCount": integer(),
				"endsAt": instant(), "daysLeft": about(integer(), "While it is live; the last one counts whole"),
				"settlement": answer(node{"status": jobStatus(), "needsAttention": about(integer(), "Pledges about which a person has to say something")}),
			}, "endsAt", "settlement")),
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
