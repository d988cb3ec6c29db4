package rest

import (
	"context"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// reversal is a refund or a dispute, whose objects share these fields.
type reversal struct {
	ID       string `json:"id"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Status   string `json:"status"`
	Reason   string `json:"reason"`
	Created  int64  `json:"created"`
	Evidence struct {
		DueBy int64 `json:"due_by"`
	} `json:"evidence_details"` // for disputes
}

// Reversals implements psp.Processor.
func (p *Processor) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	refunds, err := p.reversals(ctx, "/v1/refunds", paymentID)
	if err != nil {
		return psp.Reversals{}, err
	}
	disputes, err := p.reversals(ctx, "/v1/disputes", paymentID)
	if err != nil {
		return psp.Reversals{}, err
	}
	var out psp.Reversals
	for _, r := range refunds {
		out.Refunds = append(out.Refunds, r.refund())
	}
	for _, r := range disputes {
		out.Disputes = append(out.Disputes, r.dispute())
	}
	return out, nil
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
		ID: r.ID, Amount: money.Cents(r.Amount), Currency: r.Currency, Status: psp.RefundStatus(r.Status),
		Reason: r.Reason, CreatedAt: time.Unix(r.Created, 0).UTC(),
	}
}

func (r reversal) dispute() psp.Dispute {
	out := psp.Dispute{
		ID: r.ID, Amount: money.Cents(r.Amount), Currency: r.Currency, Status: psp.DisputeStatus(r.Status),
		Reason: r.Reason, CreatedAt: time.Unix(r.Created, 0).UTC(),
	}
	if r.Evidence.DueBy != 0 {
		out.EvidenceDueBy = time.Unix(r.Evidence.DueBy, 0).UTC()
	}
	return out
}
