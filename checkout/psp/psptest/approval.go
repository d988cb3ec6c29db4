package psptest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func chargeTemporaryDecline(t testing.TB, p psp.Processor, b Bench) {
	for card, want := range map[Card]bool{Poor: true, Refused: false} {
		ses := saveCard(t, p, b, string(card), card)
		o := p.Charge(ctx, newCharge(b, ses, string(card)))
		wantStatus(t, o, psp.Declined)
		if o.MayPass != want {
			t.Errorf("%s card: MayPass is %v", card, o.MayPass)
		}
		read, err := p.Payment(ctx, o.Payment.ID)
		if err != nil || read.PaymentMethodID == "" || read.MayPass != want || read.Code != o.Code ||
			read.DeclineCode != o.DeclineCode {
			t.Errorf("%s card: Payment: %+v, %v, want %+v", card, read, err, o)
		}
	}
}

// createPaymentNeedingAction charges a card that requires authentication.
func createPaymentNeedingAction(t testing.TB, p psp.Processor, b Bench) (psp.Session, psp.Payment) {
	ses := saveCard(t, p, b, "a", Authenticated)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.NeedsAction)
	return ses, o.Payment
}

func approvalConfirmed(t testing.TB, p psp.Processor, b Bench) {
	ses, payment := createPaymentNeedingAction(t, p, b)
	a, err := p.Approval(ctx, payment.ID)
	if err != nil || a.ClientSecret == "" {
		t.Fatalf("Approval: %+v, %v", a, err)
	}
	want := psp.Approval{PaymentID: payment.ID, ClientSecret: a.ClientSecret,
		PaymentMethodID: ses.PaymentMethodID, Amount: 12345, Currency: "usd"}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Errorf("approval (-want +got):\n%s", diff)
	}
	read, err := p.Payment(ctx, payment.ID)
	if err != nil || read.Status != psp.NeedsAction || read.PaymentMethodID != ses.PaymentMethodID {
		t.Errorf("payment that needs action: %+v, %v, want card %s", read, err, ses.PaymentMethodID)
	}
	b.Authenticate(t, payment.ID)
	read, err = p.Payment(ctx, payment.ID)
	if err != nil || read.Status != psp.Succeeded {
		t.Errorf("authenticated payment: %+v, %v", read, err)
	}
	wantCharges(t, b, 1)
	if _, err := p.Approval(ctx, payment.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("second approval: %v, want a conflict", err)
	}
}

func approvalOfOtherPayments(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Refused)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	if a, err := p.Approval(ctx, o.Payment.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("approval of a declined payment: %+v, %v", a, err)
	}
	if _, err := p.Approval(ctx, "pi_nothing"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown payment: %v, want not found", err)
	}
}

func cancelEnds(t testing.TB, p psp.Processor, b Bench) {
	_, payment := createPaymentNeedingAction(t, p, b)
	for range 2 {
		got, err := p.CancelPayment(ctx, payment.ID, "cancel")
		if err != nil || got.Status != psp.Canceled || got.ID != payment.ID {
			t.Errorf("cancel: %+v, %v", got, err)
		}
	}
	got, err := p.CancelPayment(ctx, payment.ID, "another key")
	if err != nil || got.Status != psp.Canceled {
		t.Errorf("second cancel: %+v, %v", got, err)
	}
	if _, err := p.Approval(ctx, payment.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("approval of a canceled payment: %v, want a conflict", err)
	}
	read, err := p.Payment(ctx, payment.ID)
	if err != nil || read.Status != psp.Canceled {
		t.Errorf("Payment: %+v, %v", read, err)
	}
}

func cancelLate(t testing.TB, p psp.Processor, b Bench) {
	_, payment := createPaymentNeedingAction(t, p, b)
	b.Authenticate(t, payment.ID)
	got, err := p.CancelPayment(ctx, payment.ID, "cancel")
	if err != nil || got.Status != psp.Succeeded {
		t.Errorf("cancel of a succeeded payment: %+v, %v", got, err)
	}
	wantCharges(t, b, 1)
}

func cancelPending(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Slow)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.Pending)
	got, err := p.CancelPayment(ctx, o.Payment.ID, "cancel")
	if err != nil || got.Status != psp.Pending {
		t.Errorf("cancel of a pending payment: %+v, %v", got, err)
	}
}

func cancelUnanswered(t testing.TB, p psp.Processor, b Bench) {
	_, payment := createPaymentNeedingAction(t, p, b)
	breakFor(t, b, AnswerLost)
	if got, err := p.CancelPayment(ctx, payment.ID, "cancel"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("lost response: %+v, %v", got, err)
	}
	b.Clear()
	got, err := p.CancelPayment(ctx, payment.ID, "cancel")
	if err != nil || got.Status != psp.Canceled {
		t.Errorf("repeated cancel: %+v, %v", got, err)
	}
	if _, err := p.CancelPayment(ctx, "pi_nothing", "cancel2"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown payment: %v, want not found", err)
	}
}
