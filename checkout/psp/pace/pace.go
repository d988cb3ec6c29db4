// Package pace keeps a service below its processor's rate limits: every call waits until the rate
// limiter admits it. Package pace also divides the limits among servers, with [Share].
package pace

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Limits are rates in requests per second.
type Limits struct{ Account, Operation float64 }

// utilization is the fraction of the limits that the service uses. The rest remains for other users
// of the account and for a server that has no share yet.
const utilization = 0.97

// LimitsOf returns the usable part of a mode's published limits or, if given is positive, of given
// requests per second for the account and for each operation.
func LimitsOf(m psp.Mode, given int) Limits {
	switch {
	case given > 0:
		return Limits{Account: utilization * float64(given), Operation: utilization * float64(given)}
	case m == psp.Live:
		return Limits{Account: utilization * 100, Operation: utilization * 25}
	default:
		return Limits{Account: utilization * 25, Operation: utilization * 25}
	}
}

// Wait waits until a call of an operation may be sent. It returns an error if the call must not
// be sent.
type Wait func(ctx context.Context, op psp.Operation) error

// New returns a processor whose calls wait for the rate limiter. Verify, which
// makes no request, does not wait.
func New(p psp.Processor, wait Wait) psp.Processor { return paced{p, wait} }

type paced struct {
	psp.Processor
	wait Wait
}

// waitTurn waits for the rate limiter. It fails with code Unavailable if the limiter returns an
// error.
func (p paced) waitTurn(ctx context.Context, op psp.Operation) error {
	if err := p.wait(ctx, op); err != nil {
		return fault.Wrap(err, fault.Unavailable,
			"The call to the processor was canceled while waiting for the rate limit")
	}
	return nil
}

func (p paced) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	if err := p.waitTurn(ctx, psp.OpCreateCustomer); err != nil {
		return "", err
	}
	return p.Processor.CreateCustomer(ctx, c)
}

func (p paced) StartSetup(ctx context.Context, s psp.NewSetup) (psp.Session, error) {
	if err := p.waitTurn(ctx, psp.OpStartSetup); err != nil {
		return psp.Session{}, err
	}
	return p.Processor.StartSetup(ctx, s)
}

func (p paced) Session(ctx context.Context, id string) (psp.Session, error) {
	if err := p.waitTurn(ctx, psp.OpReadSession); err != nil {
		return psp.Session{}, err
	}
	return p.Processor.Session(ctx, id)
}

func (p paced) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	if err := p.waitTurn(ctx, psp.OpExpireSession); err != nil {
		return psp.Session{}, err
	}
	return p.Processor.ExpireSession(ctx, id, key)
}

// Charge returns NotStarted if the rate limiter rejects it, so its key may be
// sent again.
func (p paced) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if err := p.wait(ctx, psp.OpCharge); err != nil {
		return psp.Outcome{Status: psp.NotStarted, Code: "no_turn", RetryAfter: time.Second}
	}
	return p.Processor.Charge(ctx, c)
}

func (p paced) Sessions(ctx context.Context, q psp.SessionQuery) (psp.SessionPage, error) {
	if err := p.waitTurn(ctx, psp.OpListSessions); err != nil {
		return psp.SessionPage{}, err
	}
	return p.Processor.Sessions(ctx, q)
}

func (p paced) FindCharge(ctx context.Context, customerID, group string) ([]psp.Payment, error) {
	if err := p.waitTurn(ctx, psp.OpListPayments); err != nil {
		return nil, err
	}
	return p.Processor.FindCharge(ctx, customerID, group)
}

func (p paced) Account(ctx context.Context) (psp.Account, error) {
	if err := p.waitTurn(ctx, psp.OpReadAccount); err != nil {
		return psp.Account{}, err
	}
	return p.Processor.Account(ctx)
}

func (p paced) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if err := p.waitTurn(ctx, psp.OpListPayments); err != nil {
		return psp.PaymentPage{}, err
	}
	return p.Processor.Payments(ctx, q)
}

func (p paced) Payment(ctx context.Context, id string) (psp.Payment, error) {
	if err := p.waitTurn(ctx, psp.OpReadPayment); err != nil {
		return psp.Payment{}, err
	}
	return p.Processor.Payment(ctx, id)
}

func (p paced) Approval(ctx context.Context, id string) (psp.Approval, error) {
	if err := p.waitTurn(ctx, psp.OpReadPayment); err != nil {
		return psp.Approval{}, err
	}
	return p.Processor.Approval(ctx, id)
}

func (p paced) Card(ctx context.Context, id string) (psp.Card, error) {
	if err := p.waitTurn(ctx, psp.OpReadCard); err != nil {
		return psp.Card{}, err
	}
	return p.Processor.Card(ctx, id)
}

func (p paced) DetachCard(ctx context.Context, id, key string) error {
	if err := p.waitTurn(ctx, psp.OpDetachCard); err != nil {
		return err
	}
	return p.Processor.DetachCard(ctx, id, key)
}

func (p paced) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	if err := p.waitTurn(ctx, psp.OpUpdateCustomer); err != nil {
		return err
	}
	return p.Processor.UpdateCustomer(ctx, id, key, metadata)
}

func (p paced) Customers(ctx context.Context, q psp.CustomerQuery) (psp.CustomerPage, error) {
	if err := p.waitTurn(ctx, psp.OpListCustomers); err != nil {
		return psp.CustomerPage{}, err
	}
	return p.Processor.Customers(ctx, q)
}

// Reversals makes one request of each of two operations, so it waits for both.
func (p paced) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	for _, op := range []psp.Operation{psp.OpListRefunds, psp.OpListDisputes} {
		if err := p.waitTurn(ctx, op); err != nil {
			return psp.Reversals{}, err
		}
	}
	return p.Processor.Reversals(ctx, paymentID)
}

// Refund returns NotStarted if the rate limiter rejects it, so its key may be sent again.
func (p paced) Refund(ctx context.Context, r psp.NewRefund) psp.RefundOutcome {
	if err := p.wait(ctx, psp.OpRefund); err != nil {
		return psp.RefundOutcome{Status: psp.NotStarted, Code: "no_turn", RetryAfter: time.Second}
	}
	return p.Processor.Refund(ctx, r)
}

func (p paced) BalanceTransactions(ctx context.Context, q psp.BalanceQuery) (psp.BalancePage, error) {
	if err := p.waitTurn(ctx, psp.OpListBalance); err != nil {
		return psp.BalancePage{}, err
	}
	return p.Processor.BalanceTransactions(ctx, q)
}

func (p paced) Disputes(ctx context.Context, q psp.DisputeQuery) (psp.DisputePage, error) {
	if err := p.waitTurn(ctx, psp.OpListDisputes); err != nil {
		return psp.DisputePage{}, err
	}
	return p.Processor.Disputes(ctx, q)
}

func (p paced) Payouts(ctx context.Context, q psp.PayoutQuery) (psp.PayoutPage, error) {
	if err := p.waitTurn(ctx, psp.OpListPayouts); err != nil {
		return psp.PayoutPage{}, err
	}
	return p.Processor.Payouts(ctx, q)
}

func (p paced) FraudWarnings(ctx context.Context, q psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
	if err := p.waitTurn(ctx, psp.OpListWarnings); err != nil {
		return psp.FraudWarningPage{}, err
	}
	return p.Processor.FraudWarnings(ctx, q)
}

func (p paced) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	if err := p.waitTurn(ctx, psp.OpCancelPayment); err != nil {
		return psp.Payment{}, err
	}
	return p.Processor.CancelPayment(ctx, id, key)
}
