// Package pace keeps a service below the limits of its processor: every call
// waits for its turn before it leaves.
package pace

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Limits are rates in requests a second.
type Limits struct{ Account, Operation float64 }

// used is what a service takes of its limits. The rest is for whoever else uses the
// account, and for a server that has no part of its own yet.
const used = 0.97

// LimitsOf returns what a service may use of a mode's published limits, or of a rate that
// its account was given instead, for every kind of request; 0 is none.
func LimitsOf(m psp.Mode, given int) Limits {
	switch {
	case given > 0:
		return Limits{Account: used * float64(given), Operation: used * float64(given)}
	case m == psp.Live:
		return Limits{Account: used * 100, Operation: used * 25}
	default:
		return Limits{Account: used * 25, Operation: used * 25}
	}
}

// Wait returns when a call of an operation may leave, or with the reason why it
// never will.
type Wait func(ctx context.Context, op psp.Operation) error

// New returns the processor with every call waiting for its turn. Verify, which
// calls nobody, does not.
func New(p psp.Processor, wait Wait) psp.Processor { return paced{p, wait} }

type paced struct {
	psp.Processor
	wait Wait
}

// turn waits, and turns a refusal into what the contract knows.
func (p paced) turn(ctx context.Context, op psp.Operation) error {
	if err := p.wait(ctx, op); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The call to the processor was given up before its turn")
	}
	return nil
}

func (p paced) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	if err := p.turn(ctx, psp.OpCreateCustomer); err != nil {
		return "", err
	}
	return p.Processor.CreateCustomer(ctx, c)
}

func (p paced) StartSetup(ctx context.Context, s psp.NewSetup) (psp.Session, error) {
	if err := p.turn(ctx, psp.OpStartSetup); err != nil {
		return psp.Session{}, err
	}
	return p.Processor.StartSetup(ctx, s)
}

func (p paced) Session(ctx context.Context, id string) (psp.Session, error) {
	if err := p.turn(ctx, psp.OpReadSession); err != nil {
		return psp.Session{}, err
	}
	return p.Processor.Session(ctx, id)
}

func (p paced) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	if err := p.turn(ctx, psp.OpExpireSession); err != nil {
		return psp.Session{}, err
	}
	return p.Processor.ExpireSession(ctx, id, key)
}

// Charge has not begun when its turn never came, so its key may be sent again.
func (p paced) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if err := p.wait(ctx, psp.OpCharge); err != nil {
		return psp.Outcome{Status: psp.NotStarted, Code: "no_turn", RetryAfter: time.Second}
	}
	return p.Processor.Charge(ctx, c)
}

func (p paced) Sessions(ctx context.Context, q psp.SessionQuery) (psp.SessionPage, error) {
	if err := p.turn(ctx, psp.OpListSessions); err != nil {
		return psp.SessionPage{}, err
	}
	return p.Processor.Sessions(ctx, q)
}

func (p paced) FindCharge(ctx context.Context, customerID, group string) ([]psp.Payment, error) {
	if err := p.turn(ctx, psp.OpListPayments); err != nil {
		return nil, err
	}
	return p.Processor.FindCharge(ctx, customerID, group)
}

func (p paced) Account(ctx context.Context) (psp.Account, error) {
	if err := p.turn(ctx, psp.OpReadAccount); err != nil {
		return psp.Account{}, err
	}
	return p.Processor.Account(ctx)
}

func (p paced) Payments(ctx context.Context, q psp.PaymentQuery) (psp.PaymentPage, error) {
	if err := p.turn(ctx, psp.OpListPayments); err != nil {
		return psp.PaymentPage{}, err
	}
	return p.Processor.Payments(ctx, q)
}

func (p paced) Payment(ctx context.Context, id string) (psp.Payment, error) {
	if err := p.turn(ctx, psp.OpReadPayment); err != nil {
		return psp.Payment{}, err
	}
	return p.Processor.Payment(ctx, id)
}

func (p paced) Approval(ctx context.Context, id string) (psp.Approval, error) {
	if err := p.turn(ctx, psp.OpReadPayment); err != nil {
		return psp.Approval{}, err
	}
	return p.Processor.Approval(ctx, id)
}

func (p paced) Card(ctx context.Context, id string) (psp.Card, error) {
	if err := p.turn(ctx, psp.OpReadCard); err != nil {
		return psp.Card{}, err
	}
	return p.Processor.Card(ctx, id)
}

func (p paced) DetachCard(ctx context.Context, id, key string) error {
	if err := p.turn(ctx, psp.OpDetachCard); err != nil {
		return err
	}
	return p.Processor.DetachCard(ctx, id, key)
}

func (p paced) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	if err := p.turn(ctx, psp.OpUpdateCustomer); err != nil {
		return err
	}
	return p.Processor.UpdateCustomer(ctx, id, key, metadata)
}

func (p paced) Customers(ctx context.Context, q psp.CustomerQuery) (psp.CustomerPage, error) {
	if err := p.turn(ctx, psp.OpListCustomers); err != nil {
		return psp.CustomerPage{}, err
	}
	return p.Processor.Customers(ctx, q)
}

// Reversals makes a request of each of two operations, so it waits for both.
func (p paced) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	for _, op := range []psp.Operation{psp.OpListRefunds, psp.OpListDisputes} {
		if err := p.turn(ctx, op); err != nil {
			return psp.Reversals{}, err
		}
	}
	return p.Processor.Reversals(ctx, paymentID)
}

func (p paced) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	if err := p.turn(ctx, psp.OpCancelPayment); err != nil {
		return psp.Payment{}, err
	}
	return p.Processor.CancelPayment(ctx, id, key)
}
