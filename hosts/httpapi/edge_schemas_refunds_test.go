package httpapi

import "github.com/pledgeworks/pledgeworks/settlement/refund"

func refundSchemas() node {
	statuses := word("waiting", "granted", "submitted", "pending", "succeeded", "refused", "failed", "needsAttention",
		"withdrawn", "repaid")
	reasons := []string{}
	for _, r := range refund.Reasons {
		reasons = append(reasons, string(r))
	}
	components := answer(node{
		"pledges": cents("Items that count toward the goal"), "addOns": cents("Platform add-ons"),
		"shipping": cents("Shipping"), "tips": cents("Tip"), "tax": cents("Tax"),
	}, "pledges", "addOns", "shipping", "tips", "tax")
	return node{
		"RefundRequest": question(node{
			"id": about(text(), "Chosen by the caller: 8 to 64 letters, digits, hyphens or underscores. A repeated request "+
				"with the same ID is the same refund. A quote needs none"),
			"orderId": about(text(), "Of the pledge"),
			"choice": about(question(node{
				"all":    about(boolean(), "Refund everything that remains"),
				"amount": cents("Refund an amount, divided in proportion"),
				"units": about(list(question(node{"line": about(integer(), "Index in the pledge's lines"),
					"quantity": integer()}, "line", "quantity")), "Refund units of lines, with their tax"),
				"shipping": about(boolean(), "Refund what remains of the shipping as well; with units"),
				"tip":      about(boolean(), "Include the tip"),
			}), "Exactly one of all, amount and units is set"),
			"reason":  word(reasons...),
			"message": about(text(), "To the supporter, at most 2,000 bytes"),
		}, "orderId", "choice", "reason"),
		"RefundQuote": answer(node{
			"parts": components, "amount": cents("Refunded"), "left": cents("What remains of the pledge after the refund"),
			"second": about(boolean(), "A second operator has to confirm it"),
		}),
		"Refund": answer(node{"id": text(), "amount": cents("Of the pledge"),
			"status": about(word("pending", "succeeded", "failed", "repaid", "ended"),
				"failed: it came back and is still owed; repaid: paid in another way; ended: nothing had moved"),
			"at":     about(instant(), "When the status became known"),
			"addOns": cents("Part for platform add-ons"), "shipping": cents("Part for shipping"),
			"tip": cents("Part of the tip"), "tax": cents("Part for tax"),
		}, "addOns", "shipping", "tip", "tax"),
		"RefundRef": question(node{"id": about(text(), "Of the refund")}, "id"),
		"RefundRecord": answer(node{
			"id": text(), "status": statuses, "amount": cents("Refunded"),
			"parts":  list(answer(node{"orderId": text(), "amount": cents("Of the pledge"), "components": components})),
			"reason": word(reasons...), "message": text(),
			"adopted":   about(boolean(), "It was found at the processor"),
			"grantedBy": about(text(), "Operator; empty if it was adopted"), "grantedAt": instant(),
			"confirmedBy":     about(text(), "Second operator"),
			"repaidBy":        about(text(), "Operator who stated first that it was paid in another way"),
			"paymentIntentId": text(), "paymentUrl": about(text(), "Page at the processor"),
			"refundId":      about(text(), "The processor's ID"),
			"refusal":       about(word("disputed", "refunded", "amount", "payment", "other"), "Why the processor refused it"),
			"errorCode":     about(text(), "The processor's code"),
			"failureReason": about(text(), "Why it came back, as named by the processor"),
			"settledAt":     about(instant(), "When the status became known"),
		}, "confirmedBy", "repaidBy", "paymentUrl", "refundId", "refusal", "errorCode", "failureReason", "settledAt"),
		"RefundRunRequest": question(node{
			"id":  about(text(), "Chosen by the caller: 8 to 48 letters, digits, hyphens or underscores. A repeated request with the same ID is the same run"),
			"tip": about(boolean(), "Include tips to the platform"), "reason": word(reasons...),
			"message": about(text(), "To the supporters, at most 2,000 bytes"),
		}, "id", "reason"),
		"RefundRunChange": question(node{"id": about(text(), "Of the run"),
			"change": about(word("confirm", "continue", "pause", "end"),
				"confirm is for a run that another operator started; an ended run cannot be continued")}, "id", "change"),
		"RefundRunState": answer(node{"run": orNull(ref("RefundRunRecord"))}),
		"RefundRunRecord": answer(node{
			"id": text(), "status": word("waiting", "active", "paused", "done", "ended"), "tip": boolean(),
			"reason": word(reasons...), "message": text(), "startedBy": about(text(), "Operator"), "startedAt": instant(),
			"confirmedBy": about(text(), "Second operator"), "refunded": about(integer(), "Payments with a refund of the run"),
			"amount": cents("Of these refunds"), "skipped": about(integer(), "Payments of which nothing remained, or that are disputed"),
			"failures": about(integer(), "Last refunds in a row that the processor did not accept; after 5 the run pauses"),
		}, "confirmedBy"),
		"RefundRunPreview": answer(node{"payments": integer(), "pledges": integer(), "amount": cents("Refunded, with disputed payments"),
			"refunded": about(integer(), "Payments of which nothing remains")}),
		"Refunds": answer(node{"refunds": list(ref("RefundRecord")), "next": about(text(), "Empty on the last page")}),
	}
}
