package httpapi

import (
	"github.com/pledgeworks/pledgeworks/admin/overview"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
)

func overviewSchemas() node {
	day := answer(node{
		"day":           about(text(), "In the platform's time zone, such as 2026-11-30"),
		"pledgeCount":   about(integer(), "Pledges made on the day, without those cancelled later"),
		"pledgedAmount": cents("Toward the goal"),
	})
	archiving := answer(node{
		"possible": boolean(),
		"reason": about(word("", "archived", "live", "unsettled"),
			"Why it cannot be archived now; empty if it can"),
		"unsettledPledges": about(integer(), "Pledges that may still be charged"),
	})
	return node{
		"CampaignSummaries": answer(node{
			"now": instant(),
			"campaigns": list(answer(node{
				"campaignSlug": text(), "campaignTitle": text(),
				"status": about(word(words(overview.Statuses())...),
					"The state to show: draft is not public and has no pledges; scheduled is public before its start; funded is live and past its goal; charging has ended funded, with an incomplete settlement; settled has charged or declined every pledge, see repairable; missed has ended below its goal"),
				"state":     about(word("upcoming", "live", "ended"), "State by time only"),
				"published": boolean(), "archived": boolean(),
				"category": text(), "shortBlurb": text(), "heroImage": about(text(), "Path on the site"), "heroImageAlt": text(),
				"startsAt":   about(instant(), "Missing without a start"),
				"endsAt":     about(instant(), "First instant at which no pledge is accepted; missing without a deadline"),
				"lastMoment": about(instant(), "The second before endsAt, which public pages and emails name as the deadline"),
				"chargesAt":  about(instant(), "Earliest start of the charges"),
				"daysLeft": about(integer(),
					"Whole days until endsAt while the campaign is live, as on the public page, which counts hours and minutes on the last day"),
				"goalAmount": cents("The goal"), "pledgedAmount": cents("Toward the goal, of all pledges that are not cancelled"),
				"pledgeCount": integer(), "supporterCount": integer(),
				"days":          about(list(day), "The last 14 days, today last"),
				"reminderCount": about(integer(), "Addresses that wait for the launch; 1000 means at least as many"),
				"archiving":     about(archiving, "Missing on a host without editing"),
				"settlement": about(answer(node{"status": jobStatus(), "needsAttention": about(integer(),
					"Pledges that need a decision")}), "Requires the money permission; missing before the settlement"),
				"collectedAmount": cents("Charged amount with tax, shipping and tip. Requires the money permission; missing before the end"),
				"ledger":          about(ref("MoneySums"), "Requires the money permission; missing if no charge was refunded or disputed"),
				"parcels": about(answer(node{
					"toPack": integer(), "packed": integer(), "sent": integer(),
					"tracked":       about(integer(), "Sent parcels with a tracking number"),
					"held":          about(integer(), "Not sent, because a dispute is open"),
					"heldAfterLoss": about(integer(), "Not sent, because a dispute was lost"),
					"pledges":       about(integer(), "Charged pledges"),
				}, "toPack", "packed", "sent", "tracked", "held", "heldAfterLoss", "pledges"),
					"Parcels of charged pledges, as in the fulfillment report; only with the fulfilment permission, and if all are counted"),
				"disputes": about(answer(node{
					"open": integer(), "amount": cents("Disputed"), "awaiting": about(integer(), "Disputes that await an answer"),
					"answerBy": about(instant(), "Earliest deadline for an answer"),
					"orderId":  about(text(), "A pledge of the most urgent dispute"),
				}, "answerBy", "orderId"),
					"Disputes that are not decided. Requires the money permission; missing if there are none"),
				"fraudWarnings": about(answer(node{
					"open": integer(), "amount": cents("Of these payments"), "orderId": about(text(), "A pledge of the oldest"),
				}, "orderId"), "Payments whose bank suspects fraud, and that are neither refunded, disputed nor left by an "+
					"operator. Requires the money permission; missing if there are none"),
				"repairable": about(answer(node{
					"pledges": integer(), "amount": cents("Of these pledges"),
					"until": about(instant(), "When the last of them is dropped"),
				}, "until"),
					"Pledges whose charge was declined and can still be made. Requires the money permission; missing if there are none"),
				"cardCheck": about(ref("CardCheck"),
					"Last check of the cards. Requires the money permission; missing without a check and after the end"),
			}, "category", "shortBlurb", "heroImage", "heroImageAlt", "startsAt", "endsAt", "lastMoment", "chargesAt",
				"archiving", "settlement", "collectedAmount", "ledger", "disputes", "fraudWarnings", "repairable", "cardCheck", "parcels")),
		}),
		"LatestPledges": answer(node{
			"pledges": about(list(answer(node{
				"orderId": text(), "campaignSlug": text(), "campaignTitle": text(), "createdAt": instant(),
				"pledgedAmount": cents("Toward the goal"),
				"pledgeStatus":  displayStatus(), "rewards": about(list(text()), "Names, such as 2 × Seat; empty without a reward"),
				"addOns": about(integer(), "Number of add-ons"), "name": about(text(), "Requires the supporters permission"),
				"email": about(text(), "Requires the supporters permission"),
			}, "name", "email")), "At most ten, newest first"),
		}),
	}
}

// displayStatus is a pledge's status as people are shown it.
func displayStatus() node {
	return about(word("active", "payment_failed", "dropped", "cancelled", "charged"),
		"dropped: not paid in time after a declined charge; nothing is owed")
}

// detailedStatus is displayStatus with refunds and disputes.
func detailedStatus() node {
	return about(word(words(supporters.Filters())...), "dropped: not paid in time after a declined charge; nothing is owed. "+
		"For callers without the money permission, refunded and disputed pledges are charged")
}
