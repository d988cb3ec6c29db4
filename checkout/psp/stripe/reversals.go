package stripe

import (
	"context"
	"maps"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Refund implements psp.Processor. It sends no reason: "fraudulent" would block the card.
func (p *Processor) Refund(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
	if n.Key == "" || n.ID == "" {
		return psp.RefundOutcome{Status: psp.NotStarted, Code: "key_or_id_missing"}
	}
	if ctx.Err() != nil {
		return psp.RefundOutcome{Status: psp.NotStarted, Code: "canceled"}
	}
	metadata := map[string]string{}
	maps.Copy(metadata, n.Metadata)
	metadata[psp.RefundKey] = n.ID
	params := &stripego.RefundCreateParams{PaymentIntent: stripego.String(n.PaymentID),
		Amount: new(int64(n.Amount)), Metadata: metadata}
	params.SetIdempotencyKey(n.Key)
	s := &sendTracker{}
	f, err := p.client.V1Refunds.Create(s.watch(sendBefore(ctx, n.NotAfter)), params)
	if err != nil && s.unsent() {
		return psp.RefundOutcome{Status: psp.NotStarted, Code: "not_sent"}
	}
	if err != nil {
		return refundOutcome(err)
	}
	return psp.RefundOutcome{Status: psp.Accepted, Refund: refundOf(f), RequestID: requestID(f.LastResponse)}
}

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
	out := psp.Refund{
		ID:            f.ID,
		PaymentID:     paymentID(f.PaymentIntent),
		ChargeID:      chargeID(f.Charge),
		OurID:         f.Metadata[psp.RefundKey],
		Amount:        money.Cents(f.Amount),
		Currency:      string(f.Currency),
		Status:        psp.RefundStatus(f.Status),
		Reason:        string(f.Reason),
		FailureReason: string(f.FailureReason),
		CreatedAt:     time.Unix(f.Created, 0).UTC(),
	}
	if b := f.BalanceTransaction; b != nil {
		out.BalanceTransactionID = b.ID
	}
	if b := f.FailureBalanceTransaction; b != nil {
		out.FailureBalanceTransactionID = b.ID
	}
	return out
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
