package psptest

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func cardRead(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Passing)
	c, err := p.Card(ctx, ses.PaymentMethodID)
	now := b.Now().UTC()
	want := psp.Card{CustomerID: ses.CustomerID, ExpiresYear: now.Year(), ExpiresMonth: now.Month()}
	if err != nil || c != want || c.Expired(now) {
		t.Fatalf("Card: %+v, %v, want %+v", c, err, want)
	}
	b.Advance(32 * 24 * time.Hour)
	if !c.Expired(b.Now()) {
		t.Error("the card does not expire")
	}
	if o := p.Charge(ctx, newCharge(b, ses, "k")); o.Status != psp.Declined {
		t.Errorf("charge of an expired card: %s", o.Status)
	}
}

func accountRead(t testing.TB, p psp.Processor, b Bench) {
	first, err := p.Account(ctx)
	if err != nil || first.ID == "" || !first.At.Equal(b.Now().Truncate(time.Second)) {
		t.Fatalf("%+v, %v at %s", first, err, b.Now())
	}
	b.Advance(36 * time.Hour)
	later, err := p.Account(ctx)
	if want := (psp.Account{ID: first.ID, At: first.At.Add(36 * time.Hour)}); err != nil || later != want {
		t.Errorf("%+v, %v, want %+v", later, err, want)
	}
	b.Break(t, AnswerLost)
	b.Break(t, AnswerLost)
	b.Break(t, AnswerLost)
	if a, err := p.Account(ctx); !fault.Is(err, fault.Unavailable) {
		t.Errorf("lost response: %+v, %v", a, err)
	}
	b.Break(t, Barred)
	if a, err := p.Account(ctx); err == nil {
		t.Errorf("rejected API key: %+v", a)
	}
}

func cardDetached(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	other := saveCard(t, p, b, "b", Good)
	for _, key := range []string{"forget", "forget", "forget again"} {
		if err := p.DetachCard(ctx, ses.PaymentMethodID, key); err != nil {
			t.Fatalf("key %q: %v", key, err)
		}
	}
	if c, err := p.Card(ctx, ses.PaymentMethodID); err != nil || c.CustomerID != "" {
		t.Errorf("detached card: %+v, %v", c, err)
	}
	if o := p.Charge(ctx, newCharge(b, ses, "k")); o.Status != psp.Declined {
		t.Errorf("charge of a detached card: %s", o.Status)
	}
	if o := p.Charge(ctx, newCharge(b, other, "k2")); o.Status != psp.Succeeded {
		t.Errorf("charge of another card: %s", o.Status)
	}
	if err := p.DetachCard(ctx, "pm_nobody", "k3"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown card: %v, want not found", err)
	}
}

func detachUnanswered(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	breakFor(t, b, AnswerLost)
	if err := p.DetachCard(ctx, ses.PaymentMethodID, "forget"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("lost response: %v", err)
	}
	b.Clear()
	if err := p.DetachCard(ctx, ses.PaymentMethodID, "forget"); err != nil {
		t.Errorf("repeated detach: %v", err)
	}
}

func cardMissing(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	b.Detach(t, ses.PaymentMethodID)
	if c, err := p.Card(ctx, ses.PaymentMethodID); err != nil || c.CustomerID != "" {
		t.Errorf("detached: %+v, %v", c, err)
	}
	if c, err := p.Card(ctx, "pm_nobody"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown card: %+v, %v, want not found", c, err)
	}
}
