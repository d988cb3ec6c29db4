package stripe

import (
	"context"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// BalanceTransactions implements psp.Processor.
func (p *Processor) BalanceTransactions(ctx context.Context, q psp.BalanceQuery) (psp.BalancePage, error) {
	params := &stripego.BalanceTransactionListParams{CreatedRange: createdIn(q.From, q.To)}
	setPage(&params.ListParams, q.After, q.Limit)
	params.AddExpand("data.source")
	if q.PayoutID != "" {
		params.Payout = stripego.String(q.PayoutID)
	}
	var out psp.BalancePage
	var err error
	out.Transactions, out.Next, err = readPage(p.client.V1BalanceTransactions.List(ctx, params), q.Limit,
		func(b *stripego.BalanceTransaction) (string, psp.BalanceTransaction) { return b.ID, balanceOf(b) })
	return out, err
}

func balanceOf(b *stripego.BalanceTransaction) psp.BalanceTransaction {
	out := psp.BalanceTransaction{
		ID:          b.ID,
		Category:    psp.BalanceCategory(b.ReportingCategory),
		Amount:      money.Cents(b.Amount),
		Fee:         money.Cents(b.Fee),
		Net:         money.Cents(b.Net),
		Currency:    string(b.Currency),
		CreatedAt:   time.Unix(b.Created, 0).UTC(),
		AvailableAt: time.Unix(b.AvailableOn, 0).UTC(),
	}
	s := b.Source
	if s == nil {
		return out
	}
	out.SourceID = s.ID
	switch {
	case s.Charge != nil:
		out.PaymentID, out.ChargeID = paymentID(s.Charge.PaymentIntent), s.ID
	case s.Refund != nil:
		out.PaymentID, out.ChargeID, out.RefundID = paymentID(s.Refund.PaymentIntent), chargeID(s.Refund.Charge), s.ID
	case s.Dispute != nil:
		out.PaymentID, out.ChargeID, out.DisputeID = paymentID(s.Dispute.PaymentIntent), chargeID(s.Dispute.Charge), s.ID
	case s.Payout != nil:
		out.PayoutID = s.ID
	}
	return out
}

// paymentID returns a payment's ID, or "" for no payment.
func paymentID(in *stripego.PaymentIntent) string {
	if in == nil {
		return ""
	}
	return in.ID
}

// chargeID returns a charge's ID, or "" for no charge.
func chargeID(c *stripego.Charge) string {
	if c == nil {
		return ""
	}
	return c.ID
}

// createdIn returns the range of objects created in the interval [from, to). A zero time does not limit
// it.
func createdIn(from, to time.Time) *stripego.RangeQueryParams {
	if from.IsZero() && to.IsZero() {
		return nil
	}
	r := &stripego.RangeQueryParams{}
	if !from.IsZero() {
		r.GreaterThanOrEqual = from.Unix()
	}
	if !to.IsZero() {
		r.LesserThan = to.Unix()
	}
	return r
}

// setPage sets the cursor and the length of a page.
func setPage(params *stripego.ListParams, after string, limit int) {
	params.Limit = new(int64(limit))
	if after != "" {
		params.StartingAfter = stripego.String(after)
	}
}

// readPage reads the first limit objects of a list; next is "" if the list ends before.
func readPage[S, T any](list stripego.Seq2[S, error], limit int, read func(S) (string, T)) (page []T, next string,
	err error) {
	page = []T{}
	for s, err := range list {
		if err != nil {
			return nil, "", convertError(err)
		}
		id, v := read(s)
		if page = append(page, v); len(page) == limit {
			return page, id, nil
		}
	}
	return page, "", nil
}
