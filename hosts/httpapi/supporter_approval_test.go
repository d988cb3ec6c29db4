package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// awaitingApproval returns an edge whose only charge requires the supporter's approval.
func awaitingApproval(t *testing.T) (e *edge, token string) {
	e = newEdge(t, memory.Options{})
	_, token = e.pledge("a@example.com", gameCart(20), sim.CardAuthAlways)
	r := e.post("/pledge/payment/approve", checkout.ApprovalRequest{Token: token})
	e.wantFailure(r, 409, "No payment is awaiting approval. Save another card instead.")
	e.Advance(48 * time.Hour)
	e.cron()
	return e, token
}

// cron runs the hourly work and the settlements that it starts.
func (e *edge) cron() {
	e.t.Helper()
	if _, err := e.Services.Cron(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
	if err := e.Settle(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
}

func (e *edge) view(token string) checkout.PledgeView {
	e.t.Helper()
	return decode[checkout.PledgeView](e.t, e.get("/pledge", "token="+token))
}

// The bank requires the supporter's approval, and the pledge's page says so. After the supporter
// has approved the payment there, the payment succeeds.
func TestApproval(t *testing.T) {
	for _, heard := range []string{"by her page", "by webhook", "by the schedule"} {
		t.Run(heard, func(t *testing.T) {
			e, token := awaitingApproval(t)
			v := e.view(token)
			if v.Status != pledge.PaymentFailed || !v.CanApprove || !v.CanUpdateCard || v.Recovery == nil ||
				v.Recovery.Lane != pledge.Approve {
				t.Fatalf("pledge is %s, %+v", v.Status, v.Recovery)
			}
			a := decode[checkout.ApprovalStarted](t, e.post("/pledge/payment/approve", checkout.ApprovalRequest{Token: token}))
			if a.ClientSecret == "" || a.PublishableKey == "" || a.PaymentMethodID == "" ||
				a.Amount != v.Amount || !a.Until.Equal(v.Recovery.Until) {
				t.Errorf("approval = %+v", a)
			}
			if err := e.Sim.Authenticate(a.PaymentID); err != nil {
				t.Fatal(err)
			}
			switch heard {
			case "by her page":
				v = decode[checkout.PledgeView](t, e.post("/pledge/payment/approved", checkout.ApprovalRequest{Token: token}))
			case "by webhook":
				e.Deliver(t.Context())
				v = e.view(token)
			case "by the schedule":
				e.Advance(7 * time.Hour)
				e.cron()
				v = e.view(token)
			}
			if v.Status != pledge.Charged || v.CanApprove || v.Recovery != nil {
				t.Errorf("after the approval the pledge is %s, %+v", v.Status, v.Recovery)
			}
			if books := e.Sim.Entries(); len(books) != 1 || books[0].PaymentID != a.PaymentID {
				t.Errorf("books = %+v", books)
			}
			again := decode[checkout.PledgeView](t, e.post("/pledge/payment/approved", checkout.ApprovalRequest{Token: token}))
			if diff := cmp.Diff(v, again); diff != "" {
				t.Errorf("approved again: %s", diff)
			}
			e.wantStatus(e.post("/pledge/payment/approve", checkout.ApprovalRequest{Token: token}), 409)
		})
	}
}

// After a decline, a new card is charged as soon as the processor reports it, without waiting for
// the next scheduled run.
//
// Proves SET-33 and PLG-54.
func TestRecovery_NewCardIsChargedAtOnce(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, token := e.pledge("a@example.com", gameCart(20), sim.CardChargeDeclined)
	e.Advance(48 * time.Hour)
	e.cron()
	if v := e.view(token); v.Status != pledge.PaymentFailed || !v.CanUpdateCard || len(e.Sim.Entries()) != 0 {
		t.Fatalf("pledge is %s, %+v", v.Status, v.Recovery)
	}
	started := decode[checkout.CardStarted](t, e.post("/pledge/payment-method/start", checkout.CardRequest{Token: token}))
	if err := e.Sim.Complete(started.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	e.Deliver(t.Context())
	v, books := e.view(token), e.Sim.Entries()
	if v.Status != pledge.Charged || len(books) != 1 || books[0].Amount != v.Amount {
		t.Errorf("with another card the pledge is %s, books = %+v", v.Status, books)
	}
}

// The client secret is returned to the supporter only and not stored.
func TestApproval_ClientSecretNotStored(t *testing.T) {
	e, token := awaitingApproval(t)
	other, _ := e.pledge("b@example.com", filmCart(), cardOK)
	before := e.kept()
	for path, in := range map[string]checkout.ApprovalRequest{
		"/pledge/payment/approve":  {Token: token, OrderID: other.OrderID},
		"/pledge/payment/approved": {Token: token, OrderID: other.OrderID},
	} {
		e.wantStatus(e.post(path, in), 403)
		e.wantStatus(e.post(path, checkout.ApprovalRequest{Token: token + "x"}), 401)
		e.wantStatus(e.post(path, in, "Origin", "https://elsewhere.example"), 403)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Error(diff)
	}
	a := decode[checkout.ApprovalStarted](t, e.post("/pledge/payment/approve", checkout.ApprovalRequest{Token: token}))
	for key, value := range e.kept() {
		if strings.Contains(value, a.ClientSecret) {
			t.Errorf("the client secret is stored under %s", key)
		}
	}
}

// When the grace period ends, the pledge is dropped: it can no longer be approved or paid, and the
// supporter gets an email.
func TestRecovery_GracePeriodEnds(t *testing.T) {
	e, token := awaitingApproval(t)
	e.Advance(14*24*time.Hour + time.Hour)
	e.cron()
	v := e.view(token)
	if v.Status != pledge.PaymentFailed || v.CanApprove || v.CanUpdateCard || v.Recovery == nil ||
		v.Recovery.Lane != pledge.Dropped {
		t.Errorf("pledge is %s, %+v", v.Status, v)
	}
	e.wantStatus(e.post("/pledge/payment/approve", checkout.ApprovalRequest{Token: token}), 409)
	e.wantStatus(e.post("/pledge/payment-method/start", checkout.CardRequest{Token: token}), 409)
	mails, err := e.Mails(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last := mails[len(mails)-1]; last.Kind != "dropped" || !strings.Contains(last.Text, "No money was taken") {
		t.Errorf("last mail = %+v", last)
	}
}
