package checkout_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

// createFailedPledge creates a pledge whose charge requires authentication and records its failure
// as f. It returns the IDs of the pledge and the payment.
func (w *fixture) createFailedPledge(f pledge.Failure, lane pledge.Lane) (id, payment string) {
	w.t.Helper()
	s := w.start(request("a@example.org", seats(1)))
	if err := w.sim.Complete(s.SessionID, sim.CardAuthAlways); err != nil {
		w.t.Fatal(err)
	}
	if err := w.deliver(); err != nil {
		w.t.Fatal(err)
	}
	id = s.OrderID
	p := must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, "g", 1))
	out := w.svc.Processor.Charge(w.ctx, psp.NewCharge{Key: "k", Group: "g", Amount: p.Amount, CustomerID: p.CustomerID,
		PaymentMethodID: p.PaymentMethodID, NotAfter: w.clock().Add(time.Hour)})
	if out.Status != psp.NeedsAction {
		w.t.Fatalf("charge: %+v", out)
	}
	if f.PaymentIntentID != "" {
		f.PaymentIntentID = out.Payment.ID
	}
	f.Generation, f.At = 1, w.clock()
	must[*pledge.Pledge](w.t)(w.svc.Orders.MarkFailed(w.ctx, id, "g", 1, f,
		pledge.Recovery{Lane: lane, Until: w.clock().Add(24 * time.Hour)}))
	return id, out.Payment.ID
}

var approvable = pledge.Failure{Kind: "needs_action", PaymentIntentID: "the payment"}

// A payment can be authenticated on our page only while its bank requires it.
func TestApproval_Eligibility(t *testing.T) {
	unnamed := approvable
	unnamed.PaymentIntentID = ""
	for name, tt := range map[string]struct {
		failure pledge.Failure
		lane    pledge.Lane
		then    func(w *fixture, id string)
		want    bool
	}{
		"approval required": {approvable, pledge.Approve, nil, true},
		"new card needed":   {approvable, pledge.NewCard, nil, false},
		"no payment":        {unnamed, pledge.Approve, nil, false},
		"no publishable key": {approvable, pledge.Approve,
			func(w *fixture, _ string) { w.svc.Settings.PublishableKey = "" }, false},
		"charged":          {approvable, pledge.Approve, (*fixture).charge, false},
		"payment canceled": {approvable, pledge.Approve, (*fixture).cancelPayment, true}, // known only to the processor
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			id, payment := w.createFailedPledge(tt.failure, tt.lane)
			if tt.then != nil {
				tt.then(w, id)
			}
			tok := w.link(id)
			if v := must[checkout.PledgeView](t)(w.svc.View(w.ctx, tok)); v.CanApprove != tt.want {
				t.Errorf("CanApprove is %v", v.CanApprove)
			}
			got, err := w.svc.StartApproval(w.ctx, checkout.ApprovalRequest{Token: tok})
			if !tt.want || name == "payment canceled" {
				if !fault.Is(err, fault.Conflict) || got.ClientSecret != "" {
					t.Errorf("approved: %+v, %v", got, err)
				}
				return
			}
			p := w.read(id)
			want := checkout.ApprovalStarted{PaymentID: payment, ClientSecret: got.ClientSecret,
				PaymentMethodID: p.PaymentMethodID, PublishableKey: "pk_test_1",
				Amount: p.Amount, Currency: "usd", Until: p.Recovery.Until}
			if diff := cmp.Diff(want, got); err != nil || diff != "" || got.ClientSecret == "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func (w *fixture) claim(id string) { w.claimFor("g", id) }

func (w *fixture) claimFor(group, id string) {
	must[*pledge.Pledge](w.t)(w.svc.Orders.Claim(w.ctx, id, group, 2))
}

func (w *fixture) charge(id string) {
	w.claim(id)
	must[*pledge.Pledge](w.t)(w.svc.Orders.MarkCharged(w.ctx, id, "g", 2,
		order.Charged{PaymentIntentID: "pi_1", At: w.clock()}))
}

func (w *fixture) cancelPayment(id string) {
	must[psp.Payment](w.t)(w.svc.Processor.CancelPayment(w.ctx, w.read(id).LastFailure.PaymentIntentID, "end"))
}

// Settlement is notified of a payment that its supporter completed, or that the
// processor reports as succeeded, and of no other.
func TestApproval_NotifiesSettlement(t *testing.T) {
	w := newFixture(t)
	id, payment := w.createFailedPledge(approvable, pledge.Approve)
	callbacks := 0
	approved := func(_ context.Context, p *pledge.Pledge) error {
		if callbacks++; p.OrderID != id {
			t.Errorf("callback for %s", p.OrderID)
		}
		return nil
	}
	r := checkout.ApprovalRequest{Token: w.link(id)}
	must[checkout.PledgeView](t)(w.svc.CompleteApproval(w.ctx, r)) // no callback set
	w.svc.Approved = approved
	if v := must[checkout.PledgeView](t)(w.svc.CompleteApproval(w.ctx, r)); callbacks != 1 || v.OrderID != id {
		t.Errorf("%d callbacks for the supporter's request", callbacks)
	}
	w.deliverEvent(psp.PaymentSucceeded, payment)
	if callbacks != 1 {
		t.Error("callback for a payment without an approval request")
	}
	must[checkout.ApprovalStarted](t)(w.svc.StartApproval(w.ctx, r))
	w.deliverEvent(psp.PaymentSucceeded, payment)
	if callbacks != 2 {
		t.Errorf("%d callbacks, want a second one for the webhook", callbacks)
	}
	w.svc.Approved = nil
	w.deliverEvent(psp.PaymentSucceeded, payment)
	w.svc.Approved = func(context.Context, *pledge.Pledge) error { return fault.New(fault.Unavailable, "not now") }
	if _, err := w.svc.CompleteApproval(w.ctx, r); !fault.Is(err, fault.Unavailable) {
		t.Errorf("settlement unavailable: %v", err)
	}
	w.svc.Approved = approved
	w.charge(id)
	if v := must[checkout.PledgeView](t)(w.svc.CompleteApproval(w.ctx, r)); callbacks != 2 ||
		v.Status != pledge.Charged {
		t.Errorf("callback for a %s pledge", v.Status)
	}
}
