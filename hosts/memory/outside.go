package memory

import (
	"context"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// checkOutside calls Options.Outside if it is set. An error means that the effect must not happen.
func (o Options) checkOutside() error {
	if o.Outside == nil {
		return nil
	}
	return o.Outside()
}

// ifAllowed calls do unless Options.Outside returns an error.
func ifAllowed[T any](o Options, do func() (T, error)) (v T, err error) {
	if err := o.checkOutside(); err != nil {
		return v, err
	}
	return do()
}

// processor calls Options.Outside before each request with an effect.
type processor struct {
	psp.Processor
	o Options
}

func (p processor) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	return ifAllowed(p.o, func() (string, error) { return p.Processor.CreateCustomer(ctx, c) })
}

func (p processor) StartSetup(ctx context.Context, s psp.NewSetup) (psp.Session, error) {
	return ifAllowed(p.o, func() (psp.Session, error) { return p.Processor.StartSetup(ctx, s) })
}

func (p processor) ExpireSession(ctx context.Context, sessionID, key string) (psp.Session, error) {
	return ifAllowed(p.o, func() (psp.Session, error) { return p.Processor.ExpireSession(ctx, sessionID, key) })
}

func (p processor) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	if p.o.checkOutside() != nil {
		return psp.Outcome{Status: psp.Unknown}
	}
	return p.Processor.Charge(ctx, c)
}

func (p processor) DetachCard(ctx context.Context, paymentMethodID, key string) error {
	if err := p.o.checkOutside(); err != nil {
		return err
	}
	return p.Processor.DetachCard(ctx, paymentMethodID, key)
}

func (p processor) UpdateCustomer(ctx context.Context, customerID, key string, metadata map[string]string) error {
	if err := p.o.checkOutside(); err != nil {
		return err
	}
	return p.Processor.UpdateCustomer(ctx, customerID, key, metadata)
}

func (p processor) CancelPayment(ctx context.Context, paymentID, key string) (psp.Payment, error) {
	return ifAllowed(p.o, func() (psp.Payment, error) { return p.Processor.CancelPayment(ctx, paymentID, key) })
}

// committed is a repository that calls Options.Outside before each commit.
type committed struct {
	repository.Repository
	o Options
}

func (r committed) Commit(ctx context.Context, c repository.Change) (repository.Commit, error) {
	return ifAllowed(r.o, func() (repository.Commit, error) { return r.Repository.Commit(ctx, c) })
}
