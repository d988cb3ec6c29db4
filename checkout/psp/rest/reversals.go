package rest

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const (
	refunds  = "/v1/refunds"
	disputes = "/v1/disputes"
)

// reversal is a refund or a dispute, whose objects share these fields.
type reversal struct {
	object
	Amount   int64         `json:"amount"`
	Currency string        `json:"currency"`
	Status   string        `json:"status"`
	Reason   string        `json:"reason"`
	Created  int64         `json:"created"`
	Charge   ref[struct{}] `json:"charge"`
	Payment  ref[struct{}] `json:"payment_intent"`

	// Only refunds have these fields.
	Metadata       map[string]string `json:"metadata"`
	FailureReason  string            `json:"failure_reason"`
	Balance        ref[struct{}]     `json:"balance_transaction"`
	FailureBalance ref[struct{}]     `json:"failure_balance_transaction"`

	// Only disputes have these fields.
	Refundable  bool   `json:"is_charge_refundable"`
	NetworkCode string `json:"network_reason_code"`
	Method      struct {
		Card struct {
			NetworkCode string `json:"network_reason_code"`
		} `json:"card"`
	} `json:"payment_method_details"`
	Evidence struct {
		DueBy int64 `json:"due_by"`
	} `json:"evidence_details"`
	Movements []balanceTransaction `json:"balance_transactions"`
}

// Refund implements psp.Processor. It sends no reason: "fraudulent" would block the card.
func (p *Processor) Refund(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
	if n.Key == "" || n.ID == "" {
		return psp.RefundOutcome{Status: psp.NotStarted, Code: "key_or_id_missing"}
	}
	if ctx.Err() != nil {
		return psp.RefundOutcome{Status: psp.NotStarted, Code: "canceled"}
	}
	form := url.Values{"payment_intent": {n.PaymentID}, "amount": {formatInt(int64(n.Amount))}}
	setMap(form, "metadata", n.Metadata)
	form.Set("metadata["+psp.RefundKey+"]", n.ID)
	var r reversal
	requestID, err := p.do(ctx, call{method: "POST", path: refunds, key: n.Key, form: form, notAfter: &n.NotAfter, refunds: true}, &r)
	if err != nil {
		return refundOutcome(err, requestID)
	}
	return psp.RefundOutcome{Status: psp.Accepted, Refund: r.refund(), RequestID: requestID}
}

// Reversals implements psp.Processor.
func (p *Processor) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	refunded, err := p.reversals(ctx, refunds, paymentID)
	if err != nil {
		return psp.Reversals{}, err
	}
	disputed, err := p.reversals(ctx, disputes, paymentID)
	if err != nil {
		return psp.Reversals{}, err
	}
	var out psp.Reversals
	for _, r := range refunded {
		out.Refunds = append(out.Refunds, r.refund())
	}
	for _, r := range disputed {
		out.Disputes = append(out.Disputes, r.dispute())
	}
	return out, nil
}

// Disputes implements psp.Processor.
func (p *Processor) Disputes(ctx context.Context, q psp.DisputeQuery) (psp.DisputePage, error) {
	out, next, err := listPage(ctx, p, disputes, createdIn(q.From, q.To), q.After, q.Limit, reversal.dispute)
	return psp.DisputePage{Disputes: out, Next: next}, err
}

// reversals reads all pages of a payment's refunds or disputes.
func (p *Processor) reversals(ctx context.Context, path, paymentID string) ([]reversal, error) {
	form := url.Values{"payment_intent": {paymentID}, "limit": {formatInt(pageLimit)}}
	var all []reversal
	for {
		var list struct {
			Data    []reversal `json:"data"`
			HasMore bool       `json:"has_more"`
		}
		if _, err := p.do(ctx, call{method: "GET", path: path, form: form}, &list); err != nil {
			return nil, convertError(err)
		}
		all = append(all, list.Data...)
		if !list.HasMore || len(list.Data) == 0 {
			return all, nil
		}
		form.Set("starting_after", all[len(all)-1].ID)
	}
}

func (r reversal) refund() psp.Refund {
	return psp.Refund{
		ID: r.ID, PaymentID: r.Payment.ID, ChargeID: r.Charge.ID, OurID: r.Metadata[psp.RefundKey],
		Parts:  r.Metadata[psp.RefundPartsKey],
		Amount: money.Cents(r.Amount), Currency: r.Currency, Status: psp.RefundStatus(r.Status),
		Reason: r.Reason, FailureReason: r.FailureReason, BalanceTransactionID: r.Balance.ID,
		FailureBalanceTransactionID: r.FailureBalance.ID, CreatedAt: time.Unix(r.Created, 0).UTC(),
	}
}

func (r reversal) dispute() psp.Dispute {
	out := psp.Dispute{
		ID: r.ID, PaymentID: r.Payment.ID, ChargeID: r.Charge.ID, Amount: money.Cents(r.Amount),
		Currency: r.Currency, Status: psp.DisputeStatus(r.Status), Reason: r.Reason,
		NetworkReasonCode: cmp.Or(r.Method.Card.NetworkCode, r.NetworkCode), Refundable: r.Refundable,
		CreatedAt: time.Unix(r.Created, 0).UTC(),
	}
	if r.Evidence.DueBy != 0 {
		out.EvidenceDueBy = time.Unix(r.Evidence.DueBy, 0).UTC()
	}
	for _, b := range r.Movements {
		out.Movements = append(out.Movements, b.psp())
	}
	out.Movements = out.Of(out.Movements)
	return out
}
