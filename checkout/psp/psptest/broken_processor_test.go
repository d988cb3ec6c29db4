package psptest

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// brokenProcessor is a processor that breaks one guarantee of the interface.
type brokenProcessor struct {
	psp.Processor
	charge func(context.Context, psp.NewCharge) psp.Outcome
	find   func(customer, group string) ([]psp.Payment, error)
	expire func(id, key string) (psp.Session, error)
	verify func(body []byte, signature, secret string, now time.Time) (psp.Hint, error)
	start  func(psp.NewSetup) (psp.Session, error)
	create func(psp.NewCustomer) (string, error)
	read   func(id string) (psp.Session, error)
	pay    func(id string) (psp.Payment, error)
	cancel func(id, key string) (psp.Payment, error)
	show   func(id string) (psp.Approval, error)
	card   func(id string) (psp.Card, error)
	forget func(id, key string) error
	list   func(psp.PaymentQuery) (psp.PaymentPage, error)

	refund    func(context.Context, psp.NewRefund) psp.RefundOutcome
	reversals func(id string) (psp.Reversals, error)
	balance   func(psp.BalanceQuery) (psp.BalancePage, error)
	disputes  func(psp.DisputeQuery) (psp.DisputePage, error)
	payouts   func(psp.PayoutQuery) (psp.PayoutPage, error)
	warnings  func(psp.FraudWarningQuery) (psp.FraudWarningPage, error)
	update    func(id, key string, metadata map[string]string) error
	customers func(psp.CustomerQuery) (psp.CustomerPage, error)
}

func (l brokenProcessor) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if l.list != nil {
		return l.list(q)
	}
	return l.Processor.Payments(ctx, q)
}

func (l brokenProcessor) Refund(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
	if l.refund != nil {
		return l.refund(ctx, n)
	}
	return l.Processor.Refund(ctx, n)
}

func (l brokenProcessor) BalanceTransactions(ctx context.Context, q psp.BalanceQuery) (psp.BalancePage, error) {
	if l.balance != nil {
		return l.balance(q)
	}
	return l.Processor.BalanceTransactions(ctx, q)
}

func (l brokenProcessor) Disputes(ctx context.Context, q psp.DisputeQuery) (psp.DisputePage, error) {
	if l.disputes != nil {
		return l.disputes(q)
	}
	return l.Processor.Disputes(ctx, q)
}

func (l brokenProcessor) Payouts(ctx context.Context, q psp.PayoutQuery) (psp.PayoutPage, error) {
	if l.payouts != nil {
		return l.payouts(q)
	}
	return l.Processor.Payouts(ctx, q)
}

func (l brokenProcessor) FraudWarnings(ctx context.Context, q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
	if l.warnings != nil {
		return l.warnings(q)
	}
	return l.Processor.FraudWarnings(ctx, q)
}

func (l brokenProcessor) Reversals(ctx context.Context, id string) (psp.Reversals, error) {
	if l.reversals != nil {
		return l.reversals(id)
	}
	return l.Processor.Reversals(ctx, id)
}

func (l brokenProcessor) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	if l.update != nil {
		return l.update(id, key, metadata)
	}
	return l.Processor.UpdateCustomer(ctx, id, key, metadata)
}

func (l brokenProcessor) Customers(ctx context.Context, q psp.CustomerQuery) (psp.CustomerPage, error) {
	if l.customers != nil {
		return l.customers(q)
	}
	return l.Processor.Customers(ctx, q)
}

func (l brokenProcessor) DetachCard(ctx context.Context, id, key string) error {
	if l.forget != nil {
		return l.forget(id, key)
	}
	return l.Processor.DetachCard(ctx, id, key)
}

func (l brokenProcessor) Card(ctx context.Context, id string) (psp.Card, error) {
	if l.card != nil {
		return l.card(id)
	}
	return l.Processor.Card(ctx, id)
}

func (l brokenProcessor) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	if l.cancel != nil {
		return l.cancel(id, key)
	}
	return l.Processor.CancelPayment(ctx, id, key)
}

func (l brokenProcessor) Approval(ctx context.Context, id string) (psp.Approval, error) {
	if l.show != nil {
		return l.show(id)
	}
	return l.Processor.Approval(ctx, id)
}

func (l brokenProcessor) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if l.charge != nil {
		return l.charge(ctx, c)
	}
	return l.Processor.Charge(ctx, c)
}

func (l brokenProcessor) FindCharge(ctx context.Context, customer, group string) ([]psp.Payment, error) {
	if l.find != nil {
		return l.find(customer, group)
	}
	return l.Processor.FindCharge(ctx, customer, group)
}

func (l brokenProcessor) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	if l.expire != nil {
		return l.expire(id, key)
	}
	return l.Processor.ExpireSession(ctx, id, key)
}

func (l brokenProcessor) Verify(body []byte, signature, secret string, now time.Time) (psp.Hint, error) {
	if l.verify != nil {
		return l.verify(body, signature, secret, now)
	}
	return l.Processor.Verify(body, signature, secret, now)
}

func (l brokenProcessor) StartSetup(ctx context.Context, s psp.NewSetup) (psp.Session, error) {
	if l.start != nil {
		return l.start(s)
	}
	return l.Processor.StartSetup(ctx, s)
}

func (l brokenProcessor) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	if l.create != nil {
		return l.create(c)
	}
	return l.Processor.CreateCustomer(ctx, c)
}

func (l brokenProcessor) Session(ctx context.Context, id string) (psp.Session, error) {
	if l.read != nil {
		return l.read(id)
	}
	return l.Processor.Session(ctx, id)
}

func (l brokenProcessor) Payment(ctx context.Context, id string) (psp.Payment, error) {
	if l.pay != nil {
		return l.pay(id)
	}
	return l.Processor.Payment(ctx, id)
}
