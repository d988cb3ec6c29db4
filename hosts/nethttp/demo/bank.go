package demo

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// bankData is the part of the front page with the controls of what banks do: payouts, disputes, and refunds
// that fail. The newest of each are shown.
type bankData struct {
	Available money.Cents
	Payouts   []psp.Payout
	Disputes  []psp.Dispute // not decided
	Refunds   []psp.Refund  // that can still fail
}

const bankRows = 10

func (d *Demo) bank(ctx context.Context, charges []sim.Entry) (b bankData, err error) {
	processor := d.App.Sim.Processor()
	payouts, err := processor.Payouts(ctx, psp.PayoutQuery{Limit: bankRows})
	if err != nil {
		return b, err
	}
	disputes, err := processor.Disputes(ctx, psp.DisputeQuery{Limit: bankRows})
	if err != nil {
		return b, err
	}
	for _, dispute := range disputes.Disputes {
		if dispute.Status == psp.DisputeStatusNeedsResponse || dispute.Status == psp.DisputeStatusUnderReview {
			b.Disputes = append(b.Disputes, dispute)
		}
	}
	_, b.Available = d.App.Sim.Balance()
	b.Payouts = payouts.Payouts
	b.Refunds, err = d.refundsThatCanFail(ctx, charges)
	return b, err
}

func (d *Demo) refundsThatCanFail(ctx context.Context, charges []sim.Entry) (all []psp.Refund, err error) {
	for _, c := range charges {
		if c.Refunded == 0 {
			continue
		}
		of, err := d.App.Sim.Processor().Reversals(ctx, c.PaymentID)
		if err != nil {
			return nil, err
		}
		for _, f := range of.Refunds {
			if f.Status == psp.RefundStatusPending || f.Status == psp.RefundStatusSucceeded {
				all = append(all, f)
			}
		}
	}
	return all, nil
}
