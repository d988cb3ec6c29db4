package sim

import (
	"context"
	"encoding/json"
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

// Reversals returns the refunds and disputes of a payment in any order, as the processor's dashboard
// shows them: without a request, which could fail.
func (s *Sim) Reversals(paymentID string) (psp.Reversals, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runDueTasks()
	var all psp.Reversals
	for _, f := range s.st.Refunds {
		var w wireRefund
		if f.Intent != paymentID {
			continue
		}
		if err := json.Unmarshal(encode(f.render()), &w); err != nil {
			return all, err
		}
		all.Refunds = append(all.Refunds, w.refund())
	}
	for _, d := range s.st.Disputes {
		var w wireDispute
		if d.Intent != paymentID {
			continue
		}
		if err := json.Unmarshal(encode(s.renderDispute(d)), &w); err != nil {
			return all, err
		}
		all.Disputes = append(all.Disputes, w.dispute())
	}
	return all, nil
}
