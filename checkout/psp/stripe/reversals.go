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
	f, err := p.client.V1NewRefunds.Create(s.watch(sendBefore(ctx, n.NotAfter)), params)
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

// Disputes implements psp.Processor.
func (p *Processor) Disputes(ctx context.Context, q psp.DisputeQuery) (psp.DisputePage, error) {
	params := &stripego.DisputeListParams{CreatedRange: createdIn(q.From, q.To)}
	setPage(&params.ListParams, q.After, q.Limit)
	var out psp.DisputePage
	var err error
	out.Disputes, out.Next, err = readPage(p.client.V1Disputes.List(ctx, params), q.Limit,
		func(d *stripego.Dispute) (string, psp.Dispute) { return d.ID, disputeOf(d) })
	return out, err
}

func refundOf(f *stripego.Refund) psp.Refund {
	return psp.Refund{
		ID:                          f.ID,
		PaymentID:                   paymentID(f.PaymentIntent),
		ChargeID:                    chargeID(f.Charge),
		OurID:                       f.Metadata[psp.RefundKey],
		Parts:                       f.Metadata[psp.RefundPartsKey],
		Amount:                      money.Cents(f.Amount),
		Currency:                    string(f.Currency),
		Status:                      psp.RefundStatus(f.Status),
		Reason:                      string(f.Reason),
		FailureReason:               string(f.FailureReason),
		BalanceTransactionID:        transactionID(f.BalanceTransaction),
		FailureBalanceTransactionID: transactionID(f.FailureBalanceTransaction),
		CreatedAt:                   time.Unix(f.Created, 0).UTC(),
	}
}

func disputeOf(d *stripego.Dispute) psp.Dispute {
	out := psp.Dispute{
		ID:                d.ID,
		PaymentID:         paymentID(d.PaymentIntent),
		ChargeID:          chargeID(d.Charge),
		Amount:            money.Cents(d.Amount),
		Currency:          string(d.Currency),
		Status:            psp.DisputeStatus(d.Status),
		Reason:            string(d.Reason),
		NetworkReasonCode: d.NetworkReasonCode,
		Refundable:        d.IsChargeRefundable,
		CreatedAt:         time.Unix(d.Created, 0).UTC(),
	}
	if m := d.PaymentMethodDetails; m != nil && m.Card != nil && m.Card.NetworkReasonCode != "" {
		out.NetworkReasonCode = m.Card.NetworkReasonCode
	}
	if e := d.EvidenceDetails; e != nil && e.DueBy != 0 {
		out.EvidenceDueBy = time.Unix(e.DueBy, 0).UTC()
	}
	for _, b := range d.BalanceTransactions {
		out.Movements = append(out.Movements, balanceOf(b))
	}
	out.Movements = out.Of(out.Movements)
	return out
}
