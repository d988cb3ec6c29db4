package httpapi

func fulfilmentSchemas() node {
	id := about(text(), "ID of the change, at most 64 bytes; repeated requests with the same ID are applied once")
	result := answer(node{
		"orderId": text(), "line": about(integer(), "Of the file, from 1"),
		"outcome": about(word("marked", "unchanged", "refused"), "Outcome; in a dry run the expected outcome"),
		"problem": about(answer(node{"error": text(), "code": text(), "field": text()}, "field"), "Reason if it was refused"),
		"parcel":  about(ref("Parcel"), "Current state of the parcel"), "recipient": about(text(), "Name of the recipient"),
		"items": list(answer(node{"name": text(), "variantName": text(), "quantity": integer()}, "variantName")),
	}, "line", "problem", "parcel", "recipient", "items")
	return node{
		"MarkRequest": question(node{
			"campaignSlug": text(), "changeId": id,
			"notify": about(boolean(), "Email the supporters whose parcels were sent, once per parcel"),
			"marks": list(question(node{
				"orderId":   about(text(), "The order's number, in any case"),
				"fulfiller": about(word("campaign", "platform"), "Default: the campaign's parcel, or the only one"),
				"status":    word("to_pack", "packed", "sent"), "carrier": text(), "trackingNumber": text(),
				"sentOn": about(text(), "Day such as 2026-01-31; default today"),
			}, "orderId", "status")),
		}, "campaignSlug", "changeId", "marks"),
		"Marked": answer(node{"results": about(list(result), "In the order of the marks")}),
		"ImportRequest": question(node{
			"campaignSlug": text(), "changeId": id, "notify": boolean(), "dryRun": boolean(),
			"csv": about(text(), "CSV with a header line: order, and optionally carrier, tracking, date"),
		}, "campaignSlug", "csv"),
		"Imported": answer(node{
			"dryRun": boolean(), "columns": node{"type": "object", "additionalProperties": text(),
				"description": "Those that were found, with their names in the file"},
			"results": list(result), "marked": integer(), "unchanged": integer(), "refused": integer(),
		}),
		"NoteRequest": question(node{"campaignSlug": text(), "orderId": text(), "text": about(text(), "At most 2,000 bytes"),
			"changeId": id}, "campaignSlug", "orderId", "text", "changeId"),
		"WarningLeft": answer(node{"acknowledgedAt": instant()}),
		"ParcelHold": answer(node{"orderId": text(),
			"heldReason": about(word("disputed", "dispute_lost", ""), "Why the parcels are held, empty if they are not")}),
		"Noted": answer(node{"noted": boolean()}),
		"Readdressing": question(node{
			"campaignSlug": text(), "orderId": text(), "shippingAddress": ref("Address"),
			"reason": about(text(), "At most 500 bytes"), "changeId": id,
			"expectedRevision": about(integer(), "Revision that the operator saw; others are rejected"),
		}, "campaignSlug", "orderId", "shippingAddress", "reason", "changeId"),
		"Readdressed":       answer(node{"orderId": text(), "revision": integer(), "shippingAddress": ref("Address")}),
		"LinksAgainRequest": question(node{"campaignSlug": text(), "orderId": text()}, "campaignSlug", "orderId"),
	}
}
