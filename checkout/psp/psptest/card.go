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
		t.Fatalf("the card is %+v, %v, want %+v", c, err, want)
	}
	b.Advance(32 * 24 * time.Hour)
	if !c.Expired(b.Now()) {
		t.Error("the card never runs out")
	}
	if o := p.Charge(ctx, newCharge(b, ses, "k")); o.Status != psp.Declined {
		t.Errorf("and a charge of it is %s", o.Status)
	}
}

func cardGone(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	b.Detach(t, ses.PaymentMethodID)
	if c, err := p.Card(ctx, ses.PaymentMethodID); err != nil || c.CustomerID != "" {
		t.Errorf("detached: %+v, %v", c, err)
	}
	if c, err := p.Card(ctx, "pm_nobody"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown: %+v, %v, want not found", c, err)
	}
}
