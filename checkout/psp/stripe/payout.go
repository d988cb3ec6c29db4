package stripe

import (
	"context"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Payouts implements psp.Processor.
func (p *Processor) Payouts(ctx context.Context, q psp.PayoutQuery) (psp.PayoutPage, error) {
	params := &stripego.PayoutListParams{CreatedRange: createdIn(q.From, q.To)}
	setPage(&params.ListParams, q.After, q.Limit)
	var out psp.PayoutPage
	var err error
	out.Payouts, out.Next, err = readPage(p.client.V1Payouts.List(ctx, params), q.Limit,
		func(po *stripego.Payout) (string, psp.Payout) { return po.ID, payoutOf(po) })
	return out, err
}

func payoutOf(po *stripego.Payout) psp.Payout {
	return psp.Payout{
		ID:                          po.ID,
		Amount:                      money.Cents(po.Amount),
		Currency:                    string(po.Currency),
		Status:                      psp.PayoutStatus(po.Status),
		Automatic:                   po.Automatic,
		ReconciliationStatus:        psp.ReconciliationStatus(po.ReconciliationStatus),
		ArrivalDate:                 time.Unix(po.ArrivalDate, 0).UTC(),
		CreatedAt:                   time.Unix(po.Created, 0).UTC(),
		BalanceTransactionID:        transactionID(po.BalanceTransaction),
		FailureBalanceTransactionID: transactionID(po.FailureBalanceTransaction),
	}
}

// transactionID returns a balance transaction's ID, or "" for none.
func transactionID(b *stripego.BalanceTransaction) string {
	if b == nil {
		return ""
	}
	return b.ID
}

// FraudWarnings implements psp.Processor.
func (p *Processor) FraudWarnings(ctx context.Context, q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
	params := &stripego.RadarEarlyFraudWarningListParams{CreatedRange: createdIn(q.From, q.To)}
	setPage(&params.ListParams, q.After, q.Limit)
	var out psp.FraudWarningPage
	var err error
	out.Warnings, out.Next, err = readPage(p.client.V1RadarEarlyFraudWarnings.List(ctx, params), q.Limit,
		func(w *stripego.RadarEarlyFraudWarning) (string, psp.FraudWarning) { return w.ID, warningOf(w) })
	return out, err
}

func warningOf(w *stripego.RadarEarlyFraudWarning) psp.FraudWarning {
	return psp.FraudWarning{ID: w.ID, PaymentID: paymentID(w.PaymentIntent), ChargeID: chargeID(w.Charge),
		Actionable: w.Actionable, Reason: string(w.FraudType), CreatedAt: time.Unix(w.Created, 0).UTC()}
}
