package psp

import "context"

// Operation names a kind of request, by which processors count and limit them.
type Operation string

// The operations.
const (
	OpReadAccount    Operation = "account.retrieve"
	OpCreateCustomer Operation = "customers.create"
	OpStartSetup     Operation = "sessions.create"
	OpReadSession    Operation = "sessions.retrieve"
	OpExpireSession  Operation = "sessions.expire"
	OpListSessions   Operation = "sessions.list"
	OpCharge         Operation = "payments.create"
	OpListPayments   Operation = "payments.list"
	OpReadPayment    Operation = "payments.retrieve"
	OpReadCard       Operation = "payment_methods.retrieve"
	OpDetachCard     Operation = "payment_methods.detach"
	OpCancelPayment  Operation = "payments.cancel"
	OpUpdateCustomer Operation = "customers.update"
	OpListCustomers  Operation = "customers.list"
	OpListRefunds    Operation = "refunds.list"
	OpListDisputes   Operation = "disputes.list"
)

// Operations are all of them.
func Operations() []Operation {
	return []Operation{OpReadAccount, OpCreateCustomer, OpStartSetup, OpReadSession, OpExpireSession, OpListSessions, OpCharge, OpListPayments, OpReadPayment, OpReadCard, OpDetachCard, OpCancelPayment,
		OpUpdateCustomer, OpListCustomers, OpListRefunds, OpListDisputes}
}

// Trace is what an adapter tells about the requests of one call, beside its
// answer. It is for evidence: nothing is decided by it.
type Trace struct {
	Requests int // that left the machine
	// Of the last request that was answered:
	HTTPStatus int
	RequestID  string
	Replayed   bool // the answer is that of an earlier request with the same key
}

type traceKey struct{}

// WithTrace returns a context whose call is traced.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{}
	return context.WithValue(ctx, traceKey{}, t), t
}

// TraceOf returns the trace of a call: one that nobody reads where it has none.
// An adapter writes into it while the call lasts.
func TraceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{}
}
