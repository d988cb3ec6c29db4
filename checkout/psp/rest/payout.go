package rest

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

type payout struct {
	object
	Amount         int64         `json:"amount"`
	Currency       string        `json:"currency"`
	Status         string        `json:"status"`
	Automatic      bool          `json:"automatic"`
	Reconciliation string        `json:"reconciliation_status"`
	Arrival        int64         `json:"arrival_date"`
	Created        int64         `json:"created"`
	Balance        ref[struct{}] `json:"balance_transaction"`
	FailureBalance ref[struct{}] `json:"failure_balance_transaction"`
}

// Payouts implements psp.Processor.
func (p *Processor) Payouts(ctx context.Context, q psp.PayoutQuery) (psp.PayoutPage, error) {
	out, next, err := listPage(ctx, p, "/v1/payouts", createdIn(q.From, q.To), q.After, q.Limit, payout.psp)
	return psp.PayoutPage{Payouts: out, Next: next}, err
}

func (po payout) psp() psp.Payout {
	return psp.Payout{
		ID: po.ID, Amount: money.Cents(po.Amount), Currency: po.Currency, Status: psp.PayoutStatus(po.Status),
		Automatic: po.Automatic, ReconciliationStatus: psp.ReconciliationStatus(po.Reconciliation),
		ArrivalDate: time.Unix(po.Arrival, 0).UTC(), CreatedAt: time.Unix(po.Created, 0).UTC(),
		BalanceTransactionID: po.Balance.ID, FailureBalanceTransactionID: po.FailureBalance.ID,
	}
}

type fraudWarning struct {
	object
	Payment    ref[struct{}] `json:"payment_intent"`
	Charge     ref[struct{}] `json:"charge"`
	Actionable bool          `json:"actionable"`
	Reason     string        `json:"fraud_type"`
	Created    int64         `json:"created"`
}

// FraudWarnings implements psp.Processor.
func (p *Processor) FraudWarnings(ctx context.Context, q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
	out, next, err := listPage(ctx, p, "/v1/radar/early_fraud_warnings", createdIn(q.From, q.To), q.After, q.Limit,
		fraudWarning.psp)
	return psp.FraudWarningPage{Warnings: out, Next: next}, err
}

func (w fraudWarning) psp() psp.FraudWarning {
	return psp.FraudWarning{ID: w.ID, PaymentID: w.Payment.ID, ChargeID: w.Charge.ID, Actionable: w.Actionable,
		Reason: w.Reason, CreatedAt: time.Unix(w.Created, 0).UTC()}
}
