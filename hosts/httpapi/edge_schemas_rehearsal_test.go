package httpapi

func rehearsalSchemas() node {
	forecast := answer(node{
		"campaignSlug": text(), "at": about(instant(), "Simulated time of the settlement"),
		"funded": about(boolean(), "The goal is reached; if not, the forecast assumes that it is"),
		"goal":   cents("The goal"), "counted": cents("Pledged toward it"),
		"supporters": about(integer(), "Number of supporters charged"), "charged": integer(), "failed": integer(),
		"passedOver": about(integer(), "Pledges without a charge attempt"), "mails": about(integer(), "Number of emails"),
		"funds":            about(ref("Funds"), "Books after the settlement, with the simulated processor's fees"),
		"countedCollected": cents("Share of the goal that would be collected"),
		"mayFail":          cents("Amount that may be declined before the total falls below the goal"),
		"atLeast":          about(integer(), "Duration of the charges in nanoseconds at the processor's rate limit"),
		"findings": list(answer(node{
			"kind": word("card_expires", "card_missing", "card_detached", "card_unread", "promise_broken",
				"passed_over", "amount_differs", "sum_differs", "drifted", "book_differs"),
			"email": text(), "orderIds": list(text()), "amount": cents("Of the charge, or of the difference"), "message": text(),
		}, "email", "orderIds")),
	})
	return node{
		"Forecast": forecast,
		"Rehearsal": answer(node{
			"campaignSlug": text(), "status": about(word("unavailable", "none", "running", "done", "failed"),
				"Status of the last rehearsal on this server since its start; unavailable if the host does not support rehearsals"),
			"read": about(integer(), "Cards looked up"), "cards": about(integer(), "Number of cards; 0 before the first lookup"),
			"startedAt": instant(), "endedAt": instant(), "error": text(), "forecast": ref("Forecast"),
		}, "startedAt", "endedAt", "error", "forecast"),
	}
}
