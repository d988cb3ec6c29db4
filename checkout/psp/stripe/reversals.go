package stripe

import (
	"context"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Reversals implements psp.Processor.
func (p *Processor) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	refunds := &stripego.RefundListParams{PaymentIntent: stripego.String(paymentID)}
	disputes := &stripego.DisputeListParams{PaymentIntent: stripego.String(paymentID)}
	refunds.Limit, disputes.Limit = stripego.Int64(100), stripego.Int64(100)
	var out psp.Reversals
	for f, err := range p.client.V1Refunds.List(ctx, refunds) {
		if err != nil {
			return psp.Reversals{}, convertError(err)
		}
		out.Refunds = append(out.Refunds, refundOf(f))
	}
	for d, err := range p.client.V1Disputes.List(ctx, disputes) {
		if err != nil {
			return psp.Reversals{}, convertError(err)
		}
		out.Disputes = append(out.Disputes, disputeOf(d))
	}
	return out, nil
}

func refundOf(f *stripego.Refund) psp.Refund {
	return psp.Refund{
		ID:        f.ID,
		Amount:    money.Cents(f.Amount),
		Currency:  string(f.Currency),
		Status:    psp.RefundStatus(f.Status),
		Reason:    string(f.Reason),
		CreatedAt: time.Unix(f.Created, 0).UTC(),
	}
}

func disputeOf(d *stripego.Dispute) psp.Dispute {
	out := psp.Dispute{
		ID:        d.ID,
		Amount:    money.Cents(d.Amount),
		Currency:  string(d.Currency),
		Status:    psp.DisputeStatus(d.Status),
		Reason:    string(d.Reason),
		CreatedAt: time.Unix(d.Created, 0).UTC(),
	}
	if e := d.EvidenceDetails; e != nil && e.DueBy != 0 {
		out.EvidenceDueBy = time.Unix(e.DueBy, 0).UTC()
	}
	return out
}
