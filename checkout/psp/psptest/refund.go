package psptest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// pay charges 12345 cents to a new card and returns the payment.
func pay(t testing.TB, p psp.Processor, b Bench, key string, card Card) psp.Payment {
	t.Helper()
	o := p.Charge(ctx, newCharge(b, saveCard(t, p, b, key, card), "charge-"+key))
	if o.Payment.ID == "" {
		t.Fatalf("no payment: %+v", o)
	}
	return o.Payment
}

func newRefund(b Bench, paymentID, key string) psp.NewRefund {
	return psp.NewRefund{Key: key, ID: "rf-" + key, PaymentID: paymentID, Amount: 1000,
		Metadata: map[string]string{psp.CampaignKey: "moon"}, NotAfter: b.Now().Add(psp.SafeAge)}
}

func wantRefundStatus(t testing.TB, o psp.RefundOutcome, want psp.Status) {
	t.Helper()
	if o.Status != want {
		t.Errorf("outcome %s, want %s: %+v", o.Status, want, o)
	}
	if (o.Refusal != "") != (o.Status == psp.Refused) || (o.Refund.ID != "") != (o.Status == psp.Accepted) {
		t.Errorf("outcome %s with refusal %q and refund %q", o.Status, o.Refusal, o.Refund.ID)
	}
}

// readRefunds returns a payment's refunds and fails the test unless the payment has as much
// refunded as they total.
func readRefunds(t testing.TB, p psp.Processor, paymentID string) []psp.Refund {
	t.Helper()
	r, err := p.Reversals(ctx, paymentID)
	if err != nil {
		t.Fatal(err)
	}
	payment, err := p.Payment(ctx, paymentID)
	if err != nil || payment.Refunded != r.Refunded() {
		t.Errorf("payment %+v, %v, but its refunds total %s", payment, err, r.Refunded())
	}
	return r.Refunds
}

func wantRefunds(t testing.TB, p psp.Processor, paymentID string, want ...money.Cents) {
	t.Helper()
	var got []money.Cents
	for _, f := range readRefunds(t, p, paymentID) {
		got = append(got, f.Amount)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refunds (-want +got):\n%s", diff)
	}
}

// refundAccepted checks that a refund of part of a payment and a refund of the rest are created as
// requested, and are listed as they were returned.
func refundAccepted(t testing.TB, p psp.Processor, b Bench) {
	payment := pay(t, p, b, "a", Good)
	part, rest := newRefund(b, payment.ID, "k1"), newRefund(b, payment.ID, "k2")
	rest.Amount, rest.Metadata = 11345, map[string]string{psp.RefundKey: "another", psp.RefundPartsKey: "1,2"}
	var want []psp.Refund
	for _, n := range []psp.NewRefund{part, rest} {
		b.Advance(time.Minute)
		o := p.Refund(ctx, n)
		wantRefundStatus(t, o, psp.Accepted)
		if o.Refund.BalanceTransactionID == "" || o.RequestID == "" || o.Code != "" || o.Barred {
			t.Errorf("outcome %+v", o)
		}
		made := psp.Refund{ID: o.Refund.ID, PaymentID: payment.ID, ChargeID: payment.ChargeID, OurID: n.ID,
			Parts:  n.Metadata[psp.RefundPartsKey],
			Amount: n.Amount, Currency: money.USD, Status: psp.RefundStatusSucceeded,
			BalanceTransactionID: o.Refund.BalanceTransactionID, CreatedAt: b.Now().Truncate(time.Second).UTC()}
		if diff := cmp.Diff(made, o.Refund); diff != "" {
			t.Errorf("refund (-want +got):\n%s", diff)
		}
		want = append([]psp.Refund{made}, want...)
	}
	if diff := cmp.Diff(want, readRefunds(t, p, payment.ID)); diff != "" {
		t.Errorf("listed refunds (-want +got):\n%s", diff)
	}
}

func refundKey(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", Good).ID
	n := newRefund(b, id, "k")
	first := p.Refund(ctx, n)
	for _, d := range []time.Duration{0, time.Hour, 21 * time.Hour} {
		b.Advance(d)
		again := p.Refund(ctx, n)
		wantRefundStatus(t, again, psp.Accepted)
		if again.Refund.ID != first.Refund.ID {
			t.Errorf("after %v the same key created %s in addition to %s", d, again.Refund.ID, first.Refund.ID)
		}
	}
	wantRefunds(t, p, id, 1000)
	wantRefundStatus(t, p.Refund(ctx, newRefund(b, id, "k2")), psp.Accepted)
	wantRefunds(t, p, id, 1000, 1000)
}

// refundMismatch checks that a key belongs to one request, and that a charge's key cannot be used for
// a refund.
func refundMismatch(t testing.TB, p psp.Processor, b Bench) {
	id, other := pay(t, p, b, "a", Good).ID, pay(t, p, b, "b", Good).ID
	wantRefundStatus(t, p.Refund(ctx, newRefund(b, id, "k")), psp.Accepted)
	for name, change := range map[string]func(*psp.NewRefund){
		"amount":   func(n *psp.NewRefund) { n.Amount++ },
		"payment":  func(n *psp.NewRefund) { n.PaymentID = other },
		"ID":       func(n *psp.NewRefund) { n.ID += "x" },
		"metadata": func(n *psp.NewRefund) { n.Metadata = nil },
		"charge's": func(n *psp.NewRefund) { n.Key = "charge-a" },
	} {
		n := newRefund(b, id, "k")
		change(&n)
		if o := p.Refund(ctx, n); o.Status != psp.Mismatch || o.Code == "" {
			t.Errorf("key of another %s: %+v, want mismatch", name, o)
		}
	}
	wantRefunds(t, p, id, 1000)
	wantRefunds(t, p, other)
}

// refundStates checks a refund that is pending, one that fails after it was booked, and one that was
// created at the processor.
func refundStates(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", SlowRefund).ID
	o := p.Refund(ctx, newRefund(b, id, "k"))
	wantRefundStatus(t, o, psp.Accepted)
	if o.Refund.Status != psp.RefundStatusPending || o.Refund.BalanceTransactionID != "" {
		t.Errorf("pending refund: %+v", o.Refund)
	}
	b.Advance(time.Hour)
	if f := readRefunds(t, p, id); len(f) != 1 || f[0].Status != psp.RefundStatusSucceeded ||
		f[0].BalanceTransactionID == "" || f[0].FailureReason != "" || f[0].FailureBalanceTransactionID != "" {
		t.Errorf("succeeded refund: %+v", f)
	}
	b.FailRefund(t, o.Refund.ID)
	f := readRefunds(t, p, id)
	if len(f) != 1 || f[0].Status != psp.RefundStatusFailed || f[0].FailureReason == "" ||
		f[0].BalanceTransactionID == "" || f[0].FailureBalanceTransactionID == "" ||
		f[0].FailureBalanceTransactionID == f[0].BalanceTransactionID || f[0].OurID != "rf-k" {
		t.Errorf("failed refund: %+v", f)
	}
	b.Refund(t, id, 700)
	if f := readRefunds(t, p, id); len(f) != 2 || f[0].OurID != "" || f[0].PaymentID != id || f[0].ChargeID == "" {
		t.Errorf("refund created at the processor: %+v", f)
	}
}

// refundRefused checks that a rejected refund moves no money, is sent once and is classified.
func refundRefused(t testing.TB, p psp.Processor, b Bench) {
	good, refunded := pay(t, p, b, "a", Good).ID, pay(t, p, b, "b", Good).ID
	disputed, unpaid := pay(t, p, b, "c", Good).ID, pay(t, p, b, "d", Refused).ID
	lost := pay(t, p, b, "e", Good).ID
	b.Refund(t, refunded, 12345)
	b.Dispute(t, disputed, 100)
	b.CloseDispute(t, b.Dispute(t, lost, 100), false)
	for name, tt := range map[string]struct {
		paymentID string
		amount    money.Cents
		want      psp.Refusal
	}{
		"more than the payment": {good, 12346, psp.RefusalAmount},
		"nothing":               {good, 0, psp.RefusalAmount},
		"negative":              {good, -100, psp.RefusalAmount},
		"already refunded":      {refunded, 1, psp.RefusalRefunded},
		"disputed":              {disputed, 1, psp.RefusalDisputed},
		"dispute lost":          {lost, 1, psp.RefusalDisputed},
		"payment failed":        {unpaid, 1, psp.RefusalPayment},
		"unknown payment":       {"pi_nobody", 1, psp.RefusalPayment},
	} {
		n := newRefund(b, tt.paymentID, "k-"+name)
		n.Amount = tt.amount
		before := b.Received()
		o := p.Refund(ctx, n)
		wantRefundStatus(t, o, psp.Refused)
		if o.Refusal != tt.want || o.Code == "" || o.Barred || b.Received()-before != 1 {
			t.Errorf("%s: %+v after %d requests, want %s", name, o, b.Received()-before, tt.want)
		}
	}
	b.Break(t, NotAccepted)
	o := p.Refund(ctx, newRefund(b, good, "k"))
	wantRefundStatus(t, o, psp.Refused)
	if o.Refusal != psp.RefusalOther || o.Code == "" || o.RequestID == "" {
		t.Errorf("outcome %+v, want another refusal with a code", o)
	}
	wantRefunds(t, p, good)
	wantRefunds(t, p, refunded, 12345)
	wantRefunds(t, p, disputed)
}

func refundNotStarted(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", Good).ID
	for _, f := range []Fault{Limited, Locked, InUse} {
		b.Break(t, f)
		o := p.Refund(ctx, newRefund(b, id, "k-"+string(f)))
		if o.Status != psp.NotStarted || o.Barred || o.RetryAfter <= 0 {
			t.Errorf("%s: %+v, want not_started with a delay", f, o)
		}
	}
	wantRefunds(t, p, id)
	// The same key may be sent again.
	wantRefundStatus(t, p.Refund(ctx, newRefund(b, id, "k-"+string(Limited))), psp.Accepted)
	wantRefunds(t, p, id, 1000)
}

func refundBarred(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", Good).ID
	b.Break(t, Barred)
	if o := p.Refund(ctx, newRefund(b, id, "k")); o.Status != psp.NotStarted || !o.Barred || o.Code == "" {
		t.Errorf("outcome %+v, want not_started and barred, with a code", o)
	}
	wantRefunds(t, p, id)
	wantRefundStatus(t, p.Refund(ctx, newRefund(b, id, "k")), psp.Accepted)
}

// refundUnknown checks the outcome of a refund without a usable response, that the list has the
// refund if it was created, and that the same key never creates a second one.
func refundUnknown(t testing.TB, p psp.Processor, b Bench) {
	for _, tt := range []struct {
		fault    Fault
		refunded bool
		repeated psp.Status // outcome of the same key afterwards
	}{
		{RequestLost, false, psp.Accepted},
		{Proxy, false, psp.Accepted},
		{AnswerLost, true, psp.Accepted},
		{AnswerCut, true, psp.Accepted},
		{AnswerBad, true, psp.Accepted},
		{Broken, false, psp.Unknown},
		{BrokenAfter, true, psp.Unknown},
	} {
		id := pay(t, p, b, string(tt.fault), Good).ID
		n := newRefund(b, id, string(tt.fault))
		b.Break(t, tt.fault)
		wantRefundStatus(t, p.Refund(ctx, n), psp.Unknown)
		found := readRefunds(t, p, id)
		if (len(found) == 1) != tt.refunded || len(found) > 1 {
			t.Errorf("%s: found %+v, want created: %v", tt.fault, found, tt.refunded)
		}
		for _, f := range found {
			if f.OurID != n.ID || f.Amount != n.Amount {
				t.Errorf("%s: found %+v", tt.fault, f)
			}
		}
		b.Advance(time.Minute)
		wantRefundStatus(t, p.Refund(ctx, n), tt.repeated)
		if found := readRefunds(t, p, id); len(found) > 1 {
			t.Errorf("%s: refunded %d times", tt.fault, len(found))
		}
	}
}

func refundMissingKey(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", Good).ID
	before := b.Received()
	n := newRefund(b, id, "")
	wantRefundStatus(t, p.Refund(ctx, n), psp.NotStarted)
	n = newRefund(b, id, "k")
	n.ID = ""
	wantRefundStatus(t, p.Refund(ctx, n), psp.NotStarted)
	if sent := b.Received() - before; sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
}

func refundNotAfter(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", Good).ID
	before := b.Received()
	for _, at := range []time.Time{b.Now().Add(-time.Nanosecond), b.Now().Add(-time.Hour), {}} {
		n := newRefund(b, id, "k")
		n.NotAfter = at
		wantRefundStatus(t, p.Refund(ctx, n), psp.Unknown)
	}
	if sent := b.Received() - before; sent != 0 {
		t.Errorf("%d requests were sent after NotAfter", sent)
	}
	wantRefunds(t, p, id)
	n := newRefund(b, id, "k")
	n.NotAfter = b.Now()
	wantRefundStatus(t, p.Refund(ctx, n), psp.Accepted)
}

func refundOnce(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", Good).ID
	for _, f := range []Fault{AnswerLost, AnswerCut, AnswerBad, Broken, BrokenAfter, Proxy} {
		before := b.Received()
		b.Break(t, f)
		p.Refund(ctx, newRefund(b, id, "k-"+string(f)))
		if sent := b.Received() - before; sent != 1 {
			t.Errorf("%s: %d requests were sent for one refund", f, sent)
		}
	}
}

func refundCanceled(t testing.TB, p psp.Processor, b Bench) {
	id := pay(t, p, b, "a", Good).ID
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	o := p.Refund(canceled, newRefund(b, id, "k"))
	if o.Status != psp.NotStarted && o.Status != psp.Unknown {
		t.Errorf("outcome %s, want not_started or unknown", o.Status)
	}
	wantRefundStatus(t, p.Refund(ctx, newRefund(b, id, "k")), psp.Accepted)
	wantRefunds(t, p, id, 1000)
}

// refundMismatchReturned checks that the refund of the response is returned unchanged even if it does
// not match the request, so that the caller can detect this.
func refundMismatchReturned(t testing.TB, p psp.Processor, b Bench) {
	n := newRefund(b, pay(t, p, b, "a", Good).ID, "k")
	truth := p.Refund(ctx, n)
	b.Break(t, WrongAmount)
	if o := p.Refund(ctx, n); o.Status != psp.Accepted || o.Refund.Amount == truth.Refund.Amount {
		t.Errorf("false amount: %+v", o)
	}
	if diff := cmp.Diff(truth.Refund, p.Refund(ctx, n).Refund); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}
