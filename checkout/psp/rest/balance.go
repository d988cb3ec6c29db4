package rest

import (
	"context"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// balanceTransaction is an entry of the balance's list.
type balanceTransaction struct {
	object
	balance
	Category string             `json:"reporting_category"`
	Currency string             `json:"currency"`
	Created  int64              `json:"created"`
	Source   ref[balanceSource] `json:"source"`
}

// balanceSource is the charge, refund, dispute or other object that changed the balance. A charge has
// no charge field.
type balanceSource struct {
	Object  string        `json:"object"`
	Payment ref[struct{}] `json:"payment_intent"`
	Charge  ref[struct{}] `json:"charge"`
}

// BalanceTransactions implements psp.Processor.
func (p *Processor) BalanceTransactions(ctx context.Context, q psp.BalanceQuery) (psp.BalancePage, error) {
	form := createdIn(q.From, q.To)
	form.Set("expand[0]", "data.source")
	setIfNotEmpty(form, "payout", q.PayoutID)
	out, next, err := listPage(ctx, p, "/v1/balance_transactions", form, q.After, q.Limit, balanceTransaction.psp)
	return psp.BalancePage{Transactions: out, Next: next}, err
}

func (b balanceTransaction) psp() psp.BalanceTransaction {
	out := psp.BalanceTransaction{
		ID: b.ID, Category: psp.BalanceCategory(b.Category), Amount: money.Cents(b.Amount), Fee: money.Cents(b.Fee),
		Net: money.Cents(b.Net), Currency: b.Currency, SourceID: b.Source.ID,
		CreatedAt: time.Unix(b.Created, 0).UTC(), AvailableAt: time.Unix(b.AvailableOn, 0).UTC(),
	}
	s := b.Source.Value
	if s == nil {
		return out
	}
	switch s.Object {
	case "charge":
		out.PaymentID, out.ChargeID = s.Payment.ID, b.Source.ID
	case "refund":
		out.PaymentID, out.ChargeID, out.RefundID = s.Payment.ID, s.Charge.ID, b.Source.ID
	case "dispute":
		out.PaymentID, out.ChargeID, out.DisputeID = s.Payment.ID, s.Charge.ID, b.Source.ID
	case "payout":
		out.PayoutID = b.Source.ID
	}
	return out
}

// object is what every entry of a list has.
type object struct {
	ID string `json:"id"`
}

func (o object) id() string { return o.ID }

// createdIn returns the form that selects objects created in the interval [from, to). A zero time does
// not limit it.
func createdIn(from, to time.Time) url.Values {
	form := url.Values{}
	if !from.IsZero() {
		form.Set("created[gte]", formatInt(from.Unix()))
	}
	if !to.IsZero() {
		form.Set("created[lt]", formatInt(to.Unix()))
	}
	return form
}

// listPage reads a page of a list; next is "" on the last page.
func listPage[W interface{ id() string }, T any](ctx context.Context, p *Processor, path string, form url.Values,
	after string, limit int, read func(W) T) (page []T, next string, err error) {
	setIfNotEmpty(form, "starting_after", after)
	form.Set("limit", formatInt(int64(limit)))
	var list struct {
		Data    []W  `json:"data"`
		HasMore bool `json:"has_more"`
	}
	if _, err := p.do(ctx, call{method: "GET", path: path, form: form}, &list); err != nil {
		return nil, "", convertError(err)
	}
	page = []T{}
	for _, w := range list.Data {
		page, next = append(page, read(w)), w.id()
	}
	if !list.HasMore {
		next = ""
	}
	return page, next, nil
}
