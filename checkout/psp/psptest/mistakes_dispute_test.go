package psptest

import (
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// withDisputes returns a processor that changes the disputes in lists.
func withDisputes(p psp.Processor, change func(d *psp.Dispute)) brokenProcessor {
	each := func(list []psp.Dispute) {
		for i := range list {
			change(&list[i])
		}
	}
	l := withReversals(p, func(r *psp.Reversals) { each(r.Disputes) })
	l.disputes = func(q psp.DisputeQuery) (psp.DisputePage, error) {
		page, err := p.Disputes(ctx, q)
		each(page.Disputes)
		return page, err
	}
	return l
}

// withPayouts returns a processor that changes the payouts.
func withPayouts(p psp.Processor, change func(po *psp.Payout)) brokenProcessor {
	return brokenProcessor{payouts: func(q psp.PayoutQuery) (psp.PayoutPage, error) {
		page, err := p.Payouts(ctx, q)
		for i := range page.Payouts {
			change(&page.Payouts[i])
		}
		return page, err
	}}
}

// withWarnings returns a processor that changes the early fraud warnings.
func withWarnings(p psp.Processor, change func(w *psp.FraudWarning)) brokenProcessor {
	return brokenProcessor{warnings: func(q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
		page, err := p.FraudWarnings(ctx, q)
		for i := range page.Warnings {
			change(&page.Warnings[i])
		}
		return page, err
	}}
}

// disputeMistakes are broken processors with wrong disputes, payouts or early fraud warnings.
var disputeMistakes = map[string]newBroken{
	"drops the dispute's payment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) { d.PaymentID = "" })
	},
	"drops what a dispute moved": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) { d.Movements = nil })
	},
	"drops the return after a win": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) { d.Movements = d.Movements[:min(1, len(d.Movements))] })
	},
	"drops the fee of what a dispute moved": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) {
			for i := range d.Movements {
				d.Movements[i].Fee = 0
			}
		})
	},
	"drops the dispute's charge": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) { d.ChargeID = "" })
	},
	"drops the network's reason": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) { d.NetworkReasonCode = "" })
	},
	"reports every disputed payment as refundable": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) { d.Refundable = true })
	},
	"reports no disputed payment as refundable": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) { d.Refundable = false })
	},
	"reports an inquiry as a chargeback": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) {
			if d.Status == psp.DisputeStatusWarningNeedsResponse {
				d.Status = psp.DisputeStatusNeedsResponse
			}
		})
	},
	"reports a reviewed dispute as open": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withDisputes(p, func(d *psp.Dispute) {
			if d.Status == psp.DisputeStatusUnderReview {
				d.Status = psp.DisputeStatusNeedsResponse
			}
		})
	},
	"lists open disputes only": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{disputes: func(q psp.DisputeQuery) (psp.DisputePage, error) {
			page, err := p.Disputes(ctx, q)
			page.Disputes = slices.DeleteFunc(page.Disputes,
				func(d psp.Dispute) bool { return d.Status == psp.DisputeStatusWon })
			return page, err
		}}
	},
	"ignores the range of disputes": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{disputes: func(q psp.DisputeQuery) (psp.DisputePage, error) {
			return p.Disputes(ctx, psp.DisputeQuery{After: q.After, Limit: q.Limit})
		}}
	},
	"lists one page of disputes": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{disputes: func(q psp.DisputeQuery) (psp.DisputePage, error) {
			page, err := p.Disputes(ctx, q)
			page.Next = ""
			return page, err
		}}
	},
	"ignores the range of payouts": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{payouts: func(q psp.PayoutQuery) (psp.PayoutPage, error) {
			return p.Payouts(ctx, psp.PayoutQuery{After: q.After, Limit: q.Limit})
		}}
	},
	"lists one page of payouts": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{payouts: func(q psp.PayoutQuery) (psp.PayoutPage, error) {
			page, err := p.Payouts(ctx, q)
			page.Next = ""
			return page, err
		}}
	},
	"reports a failed payout as paid": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayouts(p, func(po *psp.Payout) {
			if po.Status == psp.PayoutStatusFailed {
				po.Status = psp.PayoutStatusPaid
			}
		})
	},
	"reports every payout as automatic": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayouts(p, func(po *psp.Payout) { po.Automatic = true })
	},
	"reports every payout as reconciled": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayouts(p, func(po *psp.Payout) { po.ReconciliationStatus = psp.ReconciliationCompleted })
	},
	"drops the payout's transaction": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayouts(p, func(po *psp.Payout) { po.BalanceTransactionID = "" })
	},
	"drops the transaction of a failed payout": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayouts(p, func(po *psp.Payout) { po.FailureBalanceTransactionID = "" })
	},
	"drops the arrival date": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withPayouts(p, func(po *psp.Payout) { po.ArrivalDate = po.ArrivalDate.AddDate(-50, 0, 0) })
	},
	"ignores the range of warnings": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{warnings: func(q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
			return p.FraudWarnings(ctx, psp.FraudWarningQuery{After: q.After, Limit: q.Limit})
		}}
	},
	"lists one page of warnings": func(p psp.Processor, b *SimBench) brokenProcessor {
		return brokenProcessor{warnings: func(q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
			page, err := p.FraudWarnings(ctx, q)
			page.Next = ""
			return page, err
		}}
	},
	"reports every warning as actionable": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withWarnings(p, func(w *psp.FraudWarning) { w.Actionable = true })
	},
	"drops the warning's payment": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withWarnings(p, func(w *psp.FraudWarning) { w.PaymentID = "" })
	},
	"drops the warning's reason": func(p psp.Processor, b *SimBench) brokenProcessor {
		return withWarnings(p, func(w *psp.FraudWarning) { w.Reason = "" })
	},
}
