package sim

import (
	"context"
	"net/url"
	"strconv"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Refund implements psp.Processor.
func (p processor) Refund(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
	if n.Key == "" || n.ID == "" {
		return psp.RefundOutcome{Status: psp.NotStarted, Code: "key_or_id_missing"}
	}
	if status, code := p.unsendable(ctx, n.NotAfter); status != "" {
		return psp.RefundOutcome{Status: status, Code: code}
	}
	form := url.Values{"payment_intent": {n.PaymentID}, "amount": {strconv.FormatInt(int64(n.Amount), 10)}}
	setMetadata(form, "metadata", n.Metadata)
	form.Set("metadata["+psp.RefundKey+"]", n.ID)
	return refundOutcome(p.call(ctx, Call{Method: "POST", Path: "/v1/refunds", Form: form.Encode(), Key: n.Key}))
}

// Reversals implements psp.Processor.
func (p processor) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	refunds, err := readAll(ctx, p, "/v1/refunds", url.Values{"payment_intent": {paymentID}}, wireRefund.refund)
	if err != nil {
		return psp.Reversals{}, err
	}
	disputes, err := readAll(ctx, p, "/v1/disputes", url.Values{"payment_intent": {paymentID}}, wireDispute.dispute)
	if err != nil {
		return psp.Reversals{}, err
	}
	return psp.Reversals{Refunds: refunds, Disputes: disputes}, nil
}
