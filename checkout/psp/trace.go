package psp

import "context"

// Operation is a kind of request. Processors count and limit requests by
// operation.
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
	OpRefund         Operation = "refunds.create"
	OpListRefunds    Operation = "refunds.list"
	OpListDisputes   Operation = "disputes.list"
	OpListBalance    Operation = "balance_transactions.list"
	OpListPayouts    Operation = "payouts.list"
	OpListWarnings   Operation = "early_fraud_warnings.list"
)

// Operations returns all operations.
func Operations() []Operation {
	return []Operation{OpReadAccount, OpCreateCustomer, OpStartSetup, OpReadSession, OpExpireSession, OpListSessions,
		OpCharge, OpListPayments, OpReadPayment, OpReadCard, OpDetachCard, OpCancelPayment,
		OpUpdateCustomer, OpListCustomers, OpRefund, OpListRefunds, OpListDisputes,
		OpListBalance, OpListPayouts, OpListWarnings}
}

// Trace describes the requests of one adapter call. It is recorded as evidence and not used for
// decisions.
type Trace struct {
	Requests int // requests sent
	// HTTPStatus, RequestID and Replayed are those of the last response, if there was one.
	HTTPStatus int
	RequestID  string
	Replayed   bool // the response was replayed from an earlier request with the same key
}

type traceKey struct{}

// WithTrace returns a context whose call is traced.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{}
	return context.WithValue(ctx, traceKey{}, t), t
}

// TraceOf returns the trace of a call. Adapters write to it during the call. If the call is not
// traced, the returned trace is discarded.
func TraceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{}
}
