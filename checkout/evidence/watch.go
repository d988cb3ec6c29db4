package evidence

import (
	"cmp"
	"context"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Wrap returns a processor that records every call.
func (r *Recorder) Wrap(p psp.Processor) psp.Processor { return recordingProcessor{p, r} }

type recordingProcessor struct {
	psp.Processor
	rec *Recorder
}

// start returns the record of a call that starts now, and the context and trace for the call.
func (w recordingProcessor) start(ctx context.Context, op psp.Operation, object,
	key string) (context.Context, *psp.Trace, Request) {
	ctx, trace := psp.WithTrace(ctx)
	return ctx, trace, Request{Operation: op, ObjectID: object, Key: key, Mode: w.Mode(), At: w.rec.now().UTC()}
}

func (w recordingProcessor) CreateCustomer(ctx context.Context, c psp.NewCustomer) (string, error) {
	ctx, trace, q := w.start(ctx, psp.OpCreateCustomer, "", c.Key)
	id, err := w.Processor.CreateCustomer(ctx, c)
	q.ObjectID = id
	w.rec.recordCall(ctx, q, trace, err)
	return id, err
}

func (w recordingProcessor) StartSetup(ctx context.Context, n psp.NewSetup) (psp.Session, error) {
	ctx, trace, q := w.start(ctx, psp.OpStartSetup, "", n.Key)
	s, err := w.Processor.StartSetup(ctx, n)
	q.ObjectID = s.ID
	w.rec.recordCall(ctx, q, trace, err)
	return s, err
}

func (w recordingProcessor) Session(ctx context.Context, id string) (psp.Session, error) {
	ctx, trace, q := w.start(ctx, psp.OpReadSession, id, "")
	s, err := w.Processor.Session(ctx, id)
	w.rec.recordCall(ctx, q, trace, err)
	return s, err
}

func (w recordingProcessor) ExpireSession(ctx context.Context, id, key string) (psp.Session, error) {
	ctx, trace, q := w.start(ctx, psp.OpExpireSession, id, key)
	s, err := w.Processor.ExpireSession(ctx, id, key)
	w.rec.recordCall(ctx, q, trace, err)
	return s, err
}

func (w recordingProcessor) Sessions(ctx context.Context, query psp.SessionQuery) (psp.SessionPage, error) {
	ctx, trace, q := w.start(ctx, psp.OpListSessions, query.After, "")
	page, err := w.Processor.Sessions(ctx, query)
	w.rec.recordCall(ctx, q, trace, err)
	return page, err
}

func (w recordingProcessor) Charge(ctx context.Context, c psp.NewCharge) psp.Outcome {
	ctx, trace, q := w.start(ctx, psp.OpCharge, "", c.Key)
	o := w.Processor.Charge(ctx, c)
	q.Group, q.ObjectID, q.Outcome = c.Group, o.Payment.ID, string(o.Status)
	q.Code, q.DeclineCode = o.Code, o.DeclineCode
	w.rec.recordCall(ctx, q, trace, nil)
	return o
}

func (w recordingProcessor) FindCharge(ctx context.Context, customerID, group string) ([]psp.Payment, error) {
	ctx, trace, q := w.start(ctx, psp.OpListPayments, customerID, "")
	found, err := w.Processor.FindCharge(ctx, customerID, group)
	q.Group = group
	w.rec.recordCall(ctx, q, trace, err)
	return found, err
}

func (w recordingProcessor) Account(ctx context.Context) (psp.Account, error) {
	ctx, trace, q := w.start(ctx, psp.OpReadAccount, "", "")
	a, err := w.Processor.Account(ctx)
	q.ObjectID = a.ID
	w.rec.recordCall(ctx, q, trace, err)
	return a, err
}

func (w recordingProcessor) Payments(ctx context.Context, query psp.PaymentQuery) (psp.PaymentPage, error) {
	ctx, trace, q := w.start(ctx, psp.OpListPayments, query.After, "")
	page, err := w.Processor.Payments(ctx, query)
	w.rec.recordCall(ctx, q, trace, err)
	return page, err
}

func (w recordingProcessor) Payment(ctx context.Context, id string) (psp.Payment, error) {
	ctx, trace, q := w.start(ctx, psp.OpReadPayment, id, "")
	p, err := w.Processor.Payment(ctx, id)
	q.setPayment(p)
	w.rec.recordCall(ctx, q, trace, err)
	return p, err
}

func (w recordingProcessor) Approval(ctx context.Context, id string) (psp.Approval, error) {
	ctx, trace, q := w.start(ctx, psp.OpReadPayment, id, "")
	a, err := w.Processor.Approval(ctx, id)
	w.rec.recordCall(ctx, q, trace, err)
	return a, err
}

func (w recordingProcessor) Card(ctx context.Context, id string) (psp.Card, error) {
	ctx, trace, q := w.start(ctx, psp.OpReadCard, id, "")
	c, err := w.Processor.Card(ctx, id)
	w.rec.recordCall(ctx, q, trace, err)
	return c, err
}

func (w recordingProcessor) DetachCard(ctx context.Context, id, key string) error {
	ctx, trace, q := w.start(ctx, psp.OpDetachCard, id, key)
	err := w.Processor.DetachCard(ctx, id, key)
	w.rec.recordCall(ctx, q, trace, err)
	return err
}

func (w recordingProcessor) UpdateCustomer(ctx context.Context, id, key string, metadata map[string]string) error {
	ctx, trace, q := w.start(ctx, psp.OpUpdateCustomer, id, key)
	err := w.Processor.UpdateCustomer(ctx, id, key, metadata)
	w.rec.recordCall(ctx, q, trace, err)
	return err
}

func (w recordingProcessor) Customers(ctx context.Context, query psp.CustomerQuery) (psp.CustomerPage, error) {
	ctx, trace, q := w.start(ctx, psp.OpListCustomers, query.After, "")
	page, err := w.Processor.Customers(ctx, query)
	w.rec.recordCall(ctx, q, trace, err)
	return page, err
}

// Reversals writes one record for the lists of refunds and disputes, under the
// refunds operation.
func (w recordingProcessor) Reversals(ctx context.Context, paymentID string) (psp.Reversals, error) {
	ctx, trace, q := w.start(ctx, psp.OpListRefunds, paymentID, "")
	r, err := w.Processor.Reversals(ctx, paymentID)
	w.rec.recordCall(ctx, q, trace, err)
	return r, err
}

func (w recordingProcessor) Refund(ctx context.Context, n psp.NewRefund) psp.RefundOutcome {
	ctx, trace, q := w.start(ctx, psp.OpRefund, "", n.Key)
	o := w.Processor.Refund(ctx, n)
	q.ObjectID, q.Outcome, q.Code = cmp.Or(o.Refund.ID, n.PaymentID), string(o.Status), o.Code
	w.rec.recordCall(ctx, q, trace, nil)
	return o
}

func (w recordingProcessor) BalanceTransactions(ctx context.Context, query psp.BalanceQuery) (psp.BalancePage, error) {
	ctx, trace, q := w.start(ctx, psp.OpListBalance, cmp.Or(query.After, query.PayoutID), "")
	page, err := w.Processor.BalanceTransactions(ctx, query)
	w.rec.recordCall(ctx, q, trace, err)
	return page, err
}

func (w recordingProcessor) Disputes(ctx context.Context, query psp.DisputeQuery) (psp.DisputePage, error) {
	ctx, trace, q := w.start(ctx, psp.OpListDisputes, query.After, "")
	page, err := w.Processor.Disputes(ctx, query)
	w.rec.recordCall(ctx, q, trace, err)
	return page, err
}

func (w recordingProcessor) Payouts(ctx context.Context, query psp.PayoutQuery) (psp.PayoutPage, error) {
	ctx, trace, q := w.start(ctx, psp.OpListPayouts, query.After, "")
	page, err := w.Processor.Payouts(ctx, query)
	w.rec.recordCall(ctx, q, trace, err)
	return page, err
}

func (w recordingProcessor) FraudWarnings(ctx context.Context, query psp.FraudWarningQuery) (psp.FraudWarningPage, error) {
	ctx, trace, q := w.start(ctx, psp.OpListWarnings, query.After, "")
	page, err := w.Processor.FraudWarnings(ctx, query)
	w.rec.recordCall(ctx, q, trace, err)
	return page, err
}

func (w recordingProcessor) CancelPayment(ctx context.Context, id, key string) (psp.Payment, error) {
	ctx, trace, q := w.start(ctx, psp.OpCancelPayment, id, key)
	p, err := w.Processor.CancelPayment(ctx, id, key)
	q.setPayment(p)
	w.rec.recordCall(ctx, q, trace, err)
	return p, err
}

// setPayment copies a payment's group and outcome to the record. For the zero payment they stay
// empty.
func (q *Request) setPayment(p psp.Payment) {
	q.Group, q.Outcome, q.Code, q.DeclineCode = p.Group, string(p.Status), p.Code, p.DeclineCode
}
