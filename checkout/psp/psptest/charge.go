package psptest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const group = "settlement-group:v1:moon:0001"

func newCharge(b Bench, ses psp.Session, key string) psp.NewCharge {
	return psp.NewCharge{Key: key, Group: group, Amount: 12345, CustomerID: ses.CustomerID,
		PaymentMethodID: ses.PaymentMethodID,
		Description:     "Moon garden", Metadata: map[string]string{psp.CampaignKey: "moon",
			psp.PledgesKey: "pw-1 pw-2"}, NotAfter: b.Now().Add(psp.SafeAge)}
}

func wantStatus(t testing.TB, o psp.Outcome, want psp.Status) {
	t.Helper()
	if o.Status != want {
		t.Errorf("outcome %s, want %s: %+v", o.Status, want, o)
	}
}

func wantCharges(t testing.TB, b Bench, want int) {
	t.Helper()
	if got := b.Books(); len(got) != want {
		t.Errorf("%d charges in the books, want %d: %v", len(got), want, got)
	}
}

func wantPayment(t testing.TB, got psp.Payment, ses psp.Session, status psp.Status) {
	t.Helper()
	if got.ID == "" || got.Status != status || got.Amount != 12345 || got.Currency != money.USD ||
		got.Mode != psp.Test ||
		got.CustomerID != ses.CustomerID || got.Group != group || got.Campaign != "moon" ||
		!slices.Equal(got.Pledges, []string{"pw-1", "pw-2"}) || got.CreatedAt.IsZero() {
		t.Errorf("not the requested %s payment: %+v", status, got)
	}
	if got.Refunded != 0 || got.Disputed {
		t.Errorf("a new payment was refunded or disputed: %+v", got)
	}
	if status != psp.Succeeded {
		if got.Received != 0 {
			t.Errorf("captured amount of a %s payment: %s", status, got.Received)
		}
		return
	}
	if got.Received != 12345 || got.PaymentMethodID != ses.PaymentMethodID {
		t.Errorf("not the requested amount and card: %+v", got)
	}
}

func chargeSucceeds(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.Succeeded)
	wantPayment(t, o.Payment, ses, psp.Succeeded)
	if o.Payment.ChargeID == "" {
		t.Error("a succeeded payment has no charge ID")
	}
	want := []Entry{{PaymentID: o.Payment.ID, CustomerID: ses.CustomerID, Group: group, Amount: 12345}}
	if diff := cmp.Diff(want, b.Books()); diff != "" {
		t.Errorf("books (-want +got):\n%s", diff)
	}
}

func chargeKey(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	n := newCharge(b, ses, "k")
	first := p.Charge(ctx, n)
	for _, d := range []time.Duration{0, time.Hour, 21 * time.Hour} {
		b.Advance(d)
		again := p.Charge(ctx, n)
		wantStatus(t, again, psp.Succeeded)
		if again.Payment.ID != first.Payment.ID {
			t.Errorf("after %v the same key created %s in addition to %s", d, again.Payment.ID, first.Payment.ID)
		}
	}
	wantCharges(t, b, 1)
}

func chargeMismatch(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	n := newCharge(b, ses, "k")
	wantStatus(t, p.Charge(ctx, n), psp.Succeeded)
	n.Amount++
	wantStatus(t, p.Charge(ctx, n), psp.Mismatch)
	n = newCharge(b, ses, "k")
	n.Group += "x"
	wantStatus(t, p.Charge(ctx, n), psp.Mismatch)
	wantCharges(t, b, 1)
}

func chargeDeclined(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Refused)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.Declined)
	wantPayment(t, o.Payment, ses, psp.Declined)
	if o.Code == "" || o.DeclineCode == "" {
		t.Errorf("the issuer's reason is missing: %+v", o)
	}
	wantCharges(t, b, 0)
}

func chargeNeedsAction(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Authenticated)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.NeedsAction)
	wantPayment(t, o.Payment, ses, psp.NeedsAction)
	found, err := p.FindCharge(ctx, ses.CustomerID, group)
	if err != nil || len(found) != 1 || found[0].Status != psp.NeedsAction {
		t.Errorf("FindCharge: %+v, %v", found, err)
	}
	wantCharges(t, b, 0)
}

func chargeChallenged(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	b.Break(t, Challenged)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.NeedsAction)
	wantPayment(t, o.Payment, ses, psp.NeedsAction)
	wantCharges(t, b, 0)
}

func chargePending(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Slow)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.Pending)
	wantPayment(t, o.Payment, ses, psp.Pending)
	wantCharges(t, b, 0)
	b.Advance(2 * time.Hour)
	got, err := p.Payment(ctx, o.Payment.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantPayment(t, got, ses, psp.Succeeded)
	wantCharges(t, b, 1)
}

func chargeDeclineKey(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Refused)
	n := newCharge(b, ses, "k")
	one, again := p.Charge(ctx, n), p.Charge(ctx, n)
	wantStatus(t, again, psp.Declined)
	if one.Payment.ID != again.Payment.ID {
		t.Errorf("same key created %s and %s", one.Payment.ID, again.Payment.ID)
	}
	n.Key = "k2"
	if next := p.Charge(ctx, n); next.Payment.ID == one.Payment.ID {
		t.Error("a new key did not create a new payment")
	}
}

func chargeNotStarted(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	for _, f := range []Fault{Limited, Locked, InUse} {
		b.Break(t, f)
		n := newCharge(b, ses, "k-"+string(f))
		if o := p.Charge(ctx, n); o.Status != psp.NotStarted || o.Barred {
			t.Errorf("%s: outcome %s, barred: %v, want not_started", f, o.Status, o.Barred)
		}
	}
	wantCharges(t, b, 0)
	// The same key may be sent again.
	wantStatus(t, p.Charge(ctx, newCharge(b, ses, "k-"+string(Limited))), psp.Succeeded)
	wantCharges(t, b, 1)
}

// chargeBarred checks that a request with a rejected API key creates no payment and that the
// outcome is barred.
func chargeBarred(t testing.TB, p psp.Processor, b Bench) {
	n := newCharge(b, saveCard(t, p, b, "a", Good), "k")
	b.Break(t, Barred)
	if o := p.Charge(ctx, n); o.Status != psp.NotStarted || !o.Barred || o.Code == "" {
		t.Errorf("outcome %+v, want not_started and barred", o)
	}
	wantCharges(t, b, 0)
	wantStatus(t, p.Charge(ctx, n), psp.Succeeded)
}

func chargeUnknown(t testing.TB, p psp.Processor, b Bench) {
	for _, tt := range []struct {
		fault    Fault
		charged  int
		repeated psp.Status // the result of the same key afterwards
	}{
		{RequestLost, 0, psp.Succeeded},
		{Proxy, 0, psp.Succeeded},
		{AnswerLost, 1, psp.Succeeded},
		{AnswerCut, 1, psp.Succeeded},
		{AnswerBad, 1, psp.Succeeded},
		{Broken, 0, psp.Unknown},
		{BrokenAfter, 1, psp.Unknown},
	} {
		ses := saveCard(t, p, b, string(tt.fault), Good)
		n := newCharge(b, ses, "k-"+string(tt.fault))
		n.Group = group + string(tt.fault)
		before := len(b.Books())
		b.Break(t, tt.fault)
		if o := p.Charge(ctx, n); o.Status != psp.Unknown {
			t.Errorf("%s: outcome %s, want unknown", tt.fault, o.Status)
		}
		if got := len(b.Books()) - before; got != tt.charged {
			t.Errorf("%s: %d charges, want %d", tt.fault, got, tt.charged)
		}
		found, err := p.FindCharge(ctx, ses.CustomerID, n.Group)
		if err != nil || len(found) != tt.charged {
			t.Errorf("%s: found %+v, %v, want %d payments", tt.fault, found, err, tt.charged)
		}
		for _, f := range found {
			if f.Status != psp.Succeeded || f.Group != n.Group {
				t.Errorf("%s: found %+v", tt.fault, f)
			}
		}
		b.Advance(time.Minute)
		if o := p.Charge(ctx, n); o.Status != tt.repeated {
			t.Errorf("%s: outcome of the same key %s, want %s", tt.fault, o.Status, tt.repeated)
		}
		if got := len(b.Books()) - before; got > 1 {
			t.Errorf("%s: the supporter was charged %d times", tt.fault, got)
		}
	}
}

// chargeMalformed checks that a malformed request creates no payment and results in Refused, so
// that it is not repeated.
func chargeMalformed(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	for name, change := range map[string]func(*psp.NewCharge){
		"below the minimum": func(n *psp.NewCharge) { n.Amount = 49 },
		"nothing":           func(n *psp.NewCharge) { n.Amount = 0 },
		"negative":          func(n *psp.NewCharge) { n.Amount = -100 },
		"above the maximum": func(n *psp.NewCharge) { n.Amount = money.MaxCharge + 1 },
		"no card":           func(n *psp.NewCharge) { n.PaymentMethodID = "" },
		"metadata key too long": func(n *psp.NewCharge) {
			n.Metadata = map[string]string{fmt.Sprintf("%041d", 1): "x"}
		},
	} {
		n := newCharge(b, ses, "k-"+name)
		change(&n)
		if o := p.Charge(ctx, n); o.Status != psp.Refused || o.Code == "" || o.Payment.ID != "" {
			t.Errorf("%s: outcome %+v, want refused, with a code", name, o)
		}
	}
	wantCharges(t, b, 0)
	for _, amount := range []money.Cents{money.MinCharge, money.MaxCharge} {
		n := newCharge(b, ses, "k-"+amount.String())
		n.Amount = amount
		wantStatus(t, p.Charge(ctx, n), psp.Succeeded)
	}
}

// chargeGone checks that the charge of a missing card or customer is permanently declined, so that
// another card may be charged.
func chargeGone(t testing.TB, p psp.Processor, b Bench) {
	ses, other := saveCard(t, p, b, "a", Good), saveCard(t, p, b, "b", Good)
	detached := saveCard(t, p, b, "c", Good)
	b.Detach(t, detached.PaymentMethodID)
	for name, change := range map[string]func(*psp.NewCharge){
		"unknown customer":        func(n *psp.NewCharge) { n.CustomerID = "cus_nobody" },
		"unknown card":            func(n *psp.NewCharge) { n.PaymentMethodID = "pm_nobody" },
		"another customer's card": func(n *psp.NewCharge) { n.PaymentMethodID = other.PaymentMethodID },
		"detached": func(n *psp.NewCharge) {
			n.CustomerID, n.PaymentMethodID = detached.CustomerID, detached.PaymentMethodID
		},
	} {
		n := newCharge(b, ses, "k-"+name)
		change(&n)
		if o := p.Charge(ctx, n); o.Status != psp.Declined || o.Code == "" || o.MayPass {
			t.Errorf("%s: outcome %+v, want permanently declined, with a code", name, o)
		}
	}
	wantCharges(t, b, 0)
}

func chargeMissingKey(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	before := b.Received()
	n := newCharge(b, ses, "")
	wantStatus(t, p.Charge(ctx, n), psp.NotStarted)
	n = newCharge(b, ses, "k")
	n.Group = ""
	wantStatus(t, p.Charge(ctx, n), psp.NotStarted)
	if sent := b.Received() - before; sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

func chargeNotAfter(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	before := b.Received()
	for _, at := range []time.Time{b.Now().Add(-time.Nanosecond), b.Now().Add(-time.Hour), {}} {
		n := newCharge(b, ses, "k")
		n.NotAfter = at
		wantStatus(t, p.Charge(ctx, n), psp.Unknown)
	}
	if sent := b.Received() - before; sent != 0 {
		t.Errorf("%d requests were sent after NotAfter", sent)
	}
	wantCharges(t, b, 0)
	n := newCharge(b, ses, "k")
	n.NotAfter = b.Now()
	wantStatus(t, p.Charge(ctx, n), psp.Succeeded)
}

func chargeOnce(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	for _, f := range []Fault{AnswerLost, AnswerCut, AnswerBad, Broken, BrokenAfter, Proxy} {
		before := b.Received()
		b.Break(t, f)
		p.Charge(ctx, newCharge(b, ses, "k-"+string(f)))
		if sent := b.Received() - before; sent != 1 {
			t.Errorf("%s: %d requests were sent for one charge", f, sent)
		}
	}
}

func chargeCanceled(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	o := p.Charge(canceled, newCharge(b, ses, "k"))
	if o.Status != psp.NotStarted && o.Status != psp.Unknown {
		t.Errorf("outcome %s, want not_started or unknown", o.Status)
	}
	wantStatus(t, p.Charge(ctx, newCharge(b, ses, "k")), psp.Succeeded)
	wantCharges(t, b, 1)
}

func findGroup(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	stranger := saveCard(t, p, b, "b", Good)
	var want []string
	for _, key := range []string{"k1", "k2", "k3"} {
		b.Advance(time.Second)
		o := p.Charge(ctx, newCharge(b, ses, key))
		want = append([]string{o.Payment.ID}, want...)
	}
	other := newCharge(b, ses, "k4")
	other.Group += "-other"
	p.Charge(ctx, other)
	p.Charge(ctx, newCharge(b, stranger, "k5"))
	found, err := p.FindCharge(ctx, ses.CustomerID, group)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.ID)
		wantPayment(t, f, ses, psp.Succeeded)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("payments (-want +got):\n%s", diff)
	}
}

func findPages(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	first := p.Charge(ctx, newCharge(b, ses, "first"))
	for i := range 120 {
		b.Advance(time.Second)
		n := newCharge(b, ses, fmt.Sprintf("k%d", i))
		n.Group += "-later"
		wantStatus(t, p.Charge(ctx, n), psp.Succeeded)
	}
	found, err := p.FindCharge(ctx, ses.CustomerID, group)
	if err != nil || len(found) != 1 || found[0].ID != first.Payment.ID {
		t.Errorf("payment %s before 120 later ones: found %d, %v", first.Payment.ID, len(found), err)
	}
}

func findNothing(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	found, err := p.FindCharge(ctx, ses.CustomerID, group)
	if err != nil || len(found) != 0 {
		t.Errorf("found %+v, %v, want nothing", found, err)
	}
}

func financials(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	b.Advance(24 * time.Hour) // long enough for any capture method to be booked
	got, err := p.Payment(ctx, o.Payment.ID)
	if err != nil {
		t.Fatal(err)
	}
	f := got.Financials
	if f.BalanceTransactionID == "" || f.Gross != 12345 || f.Fee <= 0 || f.Gross != f.Fee+f.Net ||
		f.AvailableAt.IsZero() {
		t.Errorf("the financials do not add up: %+v", f)
	}
	if early := o.Payment.Financials; early.BalanceTransactionID != "" && early != f {
		t.Errorf("financials changed from %+v to %+v", early, f)
	}
	found, err := p.FindCharge(ctx, ses.CustomerID, group)
	if err != nil || len(found) != 1 || found[0].Financials != f {
		t.Errorf("FindCharge: %+v, %v", found, err)
	}
}
