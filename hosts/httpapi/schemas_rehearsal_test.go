package httpapi

func rehearsalSchemas() node {
	forecast := answer(node{
		"campaignSlug": text(), "at": about(instant(), "The moment that was rehearsed"),
		"funded": about(boolean(), "The goal is reached now; where it is not, the rest is what would be if it were"),
		"goal":   cents("The goal"), "counted": cents("Pledged toward it"),
		"supporters": about(integer(), "Who would be charged"), "charged": integer(), "failed": integer(),
		"passedOver": about(integer(), "Pledges that nothing is begun for"), "mails": about(integer(), "That the night would send"),
		"funds":            about(ref("Funds"), "As they would be afterwards, by the simulated processor's fees"),
		"countedCollected": cents("What of the goal would be collected"), "mayFail": cents("How much of that issuers may refuse before it falls below the goal"),
		"atLeast": about(integer(), "Nanoseconds that the charges take at the processor's rate"),
		"findings": list(answer(node{
			"kind":  word("card_expires", "card_missing", "card_detached", "card_unread", "promise_broken", "passed_over", "amount_differs", "sum_differs", "drifted", "book_differs"),
			"email": text(), "orderIds": list(text()), "amount": cents("Of the charge, or of the difference"), "message": text(),
		}, "email", "orderIds")),
	})
	return node{
		"Forecast": forecast,
		"Rehearsal": answer(node{
			"campaignSlug": text(), "status": about(word("unavailable", "none", "running", "done", "failed"), "Of the last one that this server has played since it began; unavailable on a host that can't"),
			"read": about(integer(), "Cards that have been read"), "cards": about(integer(), "All of them; 0 before the first"),
			"startedAt": instant(), "endedAt": instant(), "error": text(), "forecast": ref("Forecast"),
		}, "startedAt", "endedAt", "error", "forecast"),
	}
}
