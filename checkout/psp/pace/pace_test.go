package pace_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A rate-limited processor passes the contract test.
func TestContract(t *testing.T) {
	psptest.Run(t, psptest.Harness{New: func(t testing.TB) (psp.Processor, psptest.Bench) {
		b := psptest.NewSimBench(nil)
		return pace.New(b.Sim.Processor(), func(context.Context, psp.Operation) error { return nil }), b
	}})
}

// Every call waits with its operation, and a rejected call does not reach the
// processor.
func TestWait(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true, Now: func() time.Time { return time.Unix(1, 0) }})
	var waited []psp.Operation
	over := errors.New("the host is shutting down")
	var refuse error
	p := pace.New(s.Processor(), func(_ context.Context, op psp.Operation) error {
		waited = append(waited, op)
		return refuse
	})
	ctx := context.Background()
	calls := func() []error {
		var errs []error
		note := func(err error) { errs = append(errs, err) }
		_, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "k"})
		note(err)
		_, err = p.StartSetup(ctx, psp.NewSetup{Key: "k"})
		note(err)
		_, err = p.Session(ctx, "cs")
		note(err)
		_, err = p.ExpireSession(ctx, "cs", "k")
		note(err)
		_, err = p.FindCharge(ctx, "cus", "g")
		note(err)
		_, err = p.Account(ctx)
		note(err)
		_, err = p.Payments(ctx, psp.PaymentQuery{Limit: 1})
		note(err)
		_, err = p.Payment(ctx, "pi")
		note(err)
		_, err = p.Approval(ctx, "pi")
		note(err)
		_, err = p.Card(ctx, "pm")
		note(err)
		note(p.DetachCard(ctx, "pm", "k"))
		_, err = p.CancelPayment(ctx, "pi", "k")
		note(err)
		_, err = p.Sessions(ctx, psp.SessionQuery{Limit: 1})
		note(err)
		note(p.UpdateCustomer(ctx, "cus", "k", nil))
		_, err = p.Customers(ctx, psp.CustomerQuery{Limit: 1})
		note(err)
		_, err = p.Reversals(ctx, "pi")
		note(err)
		_, err = p.BalanceTransactions(ctx, psp.BalanceQuery{Limit: 1})
		note(err)
		_, err = p.Disputes(ctx, psp.DisputeQuery{Limit: 1})
		note(err)
		_, err = p.Payouts(ctx, psp.PayoutQuery{Limit: 1})
		note(err)
		_, err = p.FraudWarnings(ctx, psp.FraudWarningQuery{Limit: 1})
		note(err)
		return errs
	}
	calls()
	p.Charge(ctx, psp.NewCharge{Key: "k", Group: "g"})
	p.Refund(ctx, psp.NewRefund{Key: "k", ID: "rf_1"})
	want := []psp.Operation{psp.OpCreateCustomer, psp.OpStartSetup, psp.OpReadSession, psp.OpExpireSession,
		psp.OpListPayments, psp.OpReadAccount, psp.OpListPayments,
		psp.OpReadPayment, psp.OpReadPayment, psp.OpReadCard, psp.OpDetachCard, psp.OpCancelPayment, psp.OpListSessions,
		psp.OpUpdateCustomer, psp.OpListCustomers, psp.OpListRefunds, psp.OpListDisputes, psp.OpListBalance,
		psp.OpListDisputes, psp.OpListPayouts, psp.OpListWarnings, psp.OpCharge, psp.OpRefund}
	if diff := cmp.Diff(want, waited); diff != "" {
		t.Errorf("operations that waited (-want +got):\n%s", diff)
	}
	refuse = over
	before := s.Received("")
	for i, err := range calls() {
		if !fault.Is(err, fault.Unavailable) || !errors.Is(err, over) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if o := p.Charge(ctx, psp.NewCharge{Key: "k", Group: "g"}); o.Status != psp.NotStarted {
		t.Errorf("status of a charge rejected by the limiter: %s", o.Status)
	}
	if o := p.Refund(ctx, psp.NewRefund{Key: "k", ID: "rf_1"}); o.Status != psp.NotStarted || o.RetryAfter <= 0 {
		t.Errorf("outcome of a refund rejected by the limiter: %+v", o)
	}
	if s.Received("") != before {
		t.Error("a rejected call was sent")
	}
}
