package evidence

import (
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Watch returns the processor with every call recorded.
func (r *Recorder) Watch(p psp.Processor) psp.Processor { return watched{p, r} }

type watched struct {
	psp.Processor
	rec *Recorder
}

// begin begins the record of a call.
func (w watched) begin(ctx context.Context, op psp.Operation, object, key string) (context.Context, *psp.Trace, Request) {
	ctx, trace := psp.WithTrace(ctx)
	return ctx, trace, Request{Operation: op, ObjectID: object, Key: key, Mode: w.Mode(), At: w.rec.now().UTC()}
}

func (w watched) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	ctx, trace, q := w.begin(ctx, psp.OpCreateCustomer, "", c.Key)
	id, err := w.Processor.CreateCustomer(ctx, c)
	q.ObjectID = id
	w.rec.done(ctx, q, trace, err)
	return id, err
}

func (w watched) StartSetup(ctx context.Context, n psp.NewSetup) (psp.Session, error) {
	ctx, trace, q := w.begin(ctx, psp.OpStartSetup, "", n.Key)
	s, err := w.Processor.StartSetup(ctx, n)
	q.ObjectID = s.ID
	w.rec.done(ctx, q, trace, err)
	return s, err
}

func (w watched) Session(ctx context.Context, id string) (psp.Session, error) {
	ctx, trace, q := w.begin(ctx, psp.OpReadSession, id, "")
	s, err := w.Processor.Session(ctx, id)
	w.rec.done(ctx, q, trace, err)
	return s, err
}

func (w watched) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	ctx, trace, q := w.begin(ctx, psp.OpExpireSession, id, key)
	s, err := w.Processor.ExpireSession(ctx, id, key)
	w.rec.done(ctx, q, trace, err)
	return s, err
}

func (w watched) Sessions(ctx context.Context, query psp.SessionQuery) (psp.SessionPage, error) {
	ctx, trace, q := w.begin(ctx, psp.OpListSessions, query.After, "")
	page, err := w.Processor.Sessions(ctx, query)
	w.rec.done(ctx, q, trace, err)
	return page, err
}

func (w watched) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	ctx, trace, q := w.begin(ctx, psp.OpCharge, "", c.Key)
	o := w.Processor.Charge(ctx, c)
	q.Group, q.ObjectID, q.Outcome, q.Code, q.DeclineCode = c.Group, o.Payment.ID, string(o.Status), o.Code, o.DeclineCode
	w.rec.done(ctx, q, trace, nil)
	return o
}

func (w watched) FindCharge(ctx context.Context, customerID, group string) ([]psp.Payment, error) {
	ctx, trace, q := w.begin(ctx, psp.OpListPayments, customerID, "")
	found, err := w.Processor.FindCharge(ctx, customerID, group)
	q.Group = group
	w.rec.done(ctx, q, trace, err)
	return found, err
}

func (w watched) Account(ctx context.Context) (psp.Account, error) {
	ctx, trace, q := w.begin(ctx, psp.OpReadAccount, "", "")
	a, err := w.Processor.Account(ctx)
	q.ObjectID = a.ID
	w.rec.done(ctx, q, trace, err)
	return a, err
}

func (w watched) Payments(ctx context.Context, query psp.PaymentQuery) (psp.PaymentPage, error) {
	ctx, trace, q := w.begin(ctx, psp.OpListPayments, query.After, "")
	page, err := w.Processor.Payments(ctx, query)
	w.rec.done(ctx, q, trace, err)
	return page, err
}

func (w watched) Payment(ctx context.Context, id string) (psp.Payment, error) {
	ctx, trace, q := w.begin(ctx, psp.OpReadPayment, id, "")
	p, err := w.Processor.Payment(ctx, id)
	q.of(p)
	w.rec.done(ctx, q, trace, err)
	return p, err
}

func (w watched) Approval(ctx context.Context, id string) (psp.Approval, error) {
	ctx, trace, q := w.begin(ctx, psp.OpReadPayment, id, "")
	a, err := w.Processor.Approval(ctx, id)
	w.rec.done(ctx, q, trace, err)
	return a, err
}

func (w watched) Card(ctx context.Context, id string) (psp.Card, error) {
	ctx, trace, q := w.begin(ctx, psp.OpReadCard, id, "")
	c, err := w.Processor.Card(ctx, id)
	w.rec.done(ctx, q, trace, err)
	return c, err
}

func (w watched) DetachCard(ctx context.Context, id, key string) error {
	ctx, trace, q := w.begin(ctx, psp.OpDetachCard, id, key)
	err := w.Processor.DetachCard(ctx, id, key)
	w.rec.done(ctx, q, trace, err)
	return err
}

func (w watched) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	ctx, trace, q := w.begin(ctx, psp.OpUpdateCustomer, id, key)
	err := w.Processor.UpdateCustomer(ctx, id, key, metadata)
	w.rec.done(ctx, q, trace, err)
	return err
}

func (w watched) Customers(ctx context.Context, query psp.CustomerQuery) (psp.CustomerPage, error) {
	ctx, trace, q := w.begin(ctx, psp.OpListCustomers, query.After, "")
	page, err := w.Processor.Customers(ctx, query)
	w.rec.done(ctx, q, trace, err)
	return page, err
}

// Reversals writes one record, under the first of its two operations, for the lists of
// refunds and of disputes.
func (w watched) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	ctx, trace, q := w.begin(ctx, psp.OpListRefunds, paymentID, "")
	r, err := w.Processor.Reversals(ctx, paymentID)
	w.rec.done(ctx, q, trace, err)
	return r, err
}

func (w watched) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	ctx, trace, q := w.begin(ctx, psp.OpCancelPayment, id, key)
	p, err := w.Processor.CancelPayment(ctx, id, key)
	q.of(p)
	w.rec.done(ctx, q, trace, err)
	return p, err
}

// of takes over what a payment tells; nothing of one that is not known.
func (q *Request) of(p psp.Payment) {
	q.Group, q.Outcome, q.Code, q.DeclineCode = p.Group, string(p.Status), p.Code, p.DeclineCode
}
