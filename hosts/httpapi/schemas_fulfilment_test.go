package httpapi

func fulfilmentSchemas() node {
	id := about(text(), "The change's identity, at most 64 bytes: what is sent again with it is done once")
	result := answer(node{
		"orderId": text(), "line": about(integer(), "Of the file, from 1"), "outcome": about(word("marked", "unchanged", "refused"), "Of a dry run what it would be"),
		"problem": about(answer(node{"error": text(), "code": text(), "field": text()}, "field"), "Why it was refused"),
		"parcel":  about(ref("Parcel"), "As it stands"), "recipient": about(text(), "To whom it goes"),
		"items": list(answer(node{"name": text(), "variantName": text(), "quantity": integer()}, "variantName")),
	}, "line", "problem", "parcel", "recipient", "items")
	return node{
		"MarkRequest": question(node{
			"campaignSlug": text(), "changeId": id, "notify": about(boolean(), "Mail those whose parcel is sent, once a parcel"),
			"marks": list(question(node{
				"orderId": about(text(), "The order's number, in any case"), "fulfiller": about(word("campaign", "platform"), "Left out, the campaign's parcel, or the only one"),
				"status": word("to_pack", "packed", "sent"), "carrier": text(), "trackingNumber": text(),
				"sentOn": about(text(), "The day, as 2026-01-31; today where it is left out"),
			}, "orderId", "status")),
		}, "campaignSlug", "changeId", "marks"),
		"Marked": answer(node{"results": about(list(result), "In the order of the marks")}),
		"ImportRequest": question(node{
			"campaignSlug": text(), "changeId": id, "notify": boolean(), "dryRun": boolean(),
			"csv": about(text(), "With the names of its columns on the first line: order, and carrier, tracking, date"),
		}, "campaignSlug", "csv"),
		"Imported": answer(node{
			"dryRun": boolean(), "columns": node{"type": "object", "additionalProperties": text(), "description": "Those that were found, with their names in the file"},
			"results": list(result), "marked": integer(), "unchanged": integer(), "refused": integer(),
		}),
		"NoteRequest": question(node{"campaignSlug": text(), "orderId": text(), "text": about(text(), "At most 2,000 bytes"), "changeId": id}, "campaignSlug", "orderId", "text", "changeId"),
		"Noted":       answer(node{"noted": boolean()}),
		"Readdressing": question(node{
			"campaignSlug": text(), "orderId": text(), "shippingAddress": ref("Address"), "reason": about(text(), "At most 500 bytes"), "changeId": id,
			"expectedRevision": about(integer(), "That the operator saw; another one is refused"),
		}, "campaignSlug", "orderId", "shippingAddress", "reason", "changeId"),
		"Readdressed":       answer(node{"orderId": text(), "revision": integer(), "shippingAddress": ref("Address")}),
		"LinksAgainRequest": question(node{"campaignSlug": text(), "orderId": text()}, "campaignSlug", "orderId"),
	}
}
