package psptest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// readWithEachMethod returns a payment as each method of the interface that reads payments returns
// it, by method name.
func readWithEachMethod(t testing.TB, p psp.Processor, b Bench, customerID, id string) map[string]psp.Payment {
	t.Helper()
	one, err := p.Payment(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.FindCharge(ctx, customerID, group)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v, want one payment", found, err)
	}
	page, err := p.Payments(ctx, psp.PaymentQuery{From: one.CreatedAt, To: b.Now().AddDate(0, 0, 1), Limit: 10})
	if err != nil || len(page.Payments) != 1 {
		t.Fatalf("listed %+v, %v, want one payment", page, err)
	}
	return map[string]psp.Payment{"Payment": one, "FindCharge": found[0], "Payments": page.Payments[0]}
}

// chargeRefused checks that a rejected request creates no payment, is sent once, and results in
// Refused.
func chargeRefused(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	n := newCharge(b, ses, "k")
	before := b.Received()
	b.Break(t, NotAccepted)
	o := p.Charge(ctx, n)
	if o.Status != psp.Refused || o.Code == "" || o.RequestID == "" || o.Barred || o.MayPass || o.Payment.ID != "" {
		t.Errorf("outcome %+v, want refused, with a code and nothing else", o)
	}
	if sent := b.Received() - before; sent != 1 {
		t.Errorf("%d requests were sent", sent)
	}
	wantCharges(t, b, 0)
	if found, err := p.FindCharge(ctx, ses.CustomerID, group); err != nil || len(found) != 0 {
		t.Errorf("found %+v, %v, want nothing", found, err)
	}
}

// chargeMismatchReturned checks that the payment of the response is returned unchanged even if it
// does not match the request, so that the caller can detect this.
func chargeMismatchReturned(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	n := newCharge(b, ses, "k")
	o := p.Charge(ctx, n)
	wantStatus(t, o, psp.Succeeded)
	truth := o.Payment
	for f, differs := range map[Fault]func(psp.Payment) bool{
		WrongAmount: func(got psp.Payment) bool { return got.Amount != truth.Amount },
		WrongReceived: func(got psp.Payment) bool {
			return got.Received < truth.Received && got.Amount == truth.Amount
		},
		WrongCustomer: func(got psp.Payment) bool { return got.CustomerID != truth.CustomerID },
		WrongCard:     func(got psp.Payment) bool { return got.PaymentMethodID != truth.PaymentMethodID },
		WrongGroup:    func(got psp.Payment) bool { return got.Group != truth.Group },
		WrongMode:     func(got psp.Payment) bool { return got.Mode == psp.Live },
	} {
		b.Break(t, f)
		answer := p.Charge(ctx, n) // replayed
		if answer.Status != psp.Succeeded || !differs(answer.Payment) {
			t.Errorf("%s: a charge returns %+v", f, answer)
		}
		b.Break(t, f)
		read, err := p.Payment(ctx, truth.ID)
		if err != nil || !differs(read) {
			t.Errorf("%s: a read returns %+v, %v", f, read, err)
		}
	}
	again := p.Charge(ctx, n)
	if diff := cmp.Diff(truth, again.Payment); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

func chargePartial(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Partial)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	wantStatus(t, o, psp.Succeeded)
	b.Advance(24 * time.Hour) // booked by now
	reads := readWithEachMethod(t, p, b, ses.CustomerID, o.Payment.ID)
	reads["Charge"] = o.Payment
	for name, got := range reads {
		if got.Status != psp.Succeeded || got.Amount != 12345 || got.Received != PartialCapture {
			t.Errorf("%s: %+v, want %s captured of $123.45", name, got, PartialCapture)
		}
	}
	if f := reads["Payment"].Financials; f.Gross != PartialCapture || f.Gross != f.Fee+f.Net {
		t.Errorf("financials %+v", f)
	}
}

func refundedTotals(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	want := func(when string, refunded money.Cents) {
		t.Helper()
		for name, got := range readWithEachMethod(t, p, b, ses.CustomerID, o.Payment.ID) {
			if got.Refunded != refunded || got.Status != psp.Succeeded || got.Received != 12345 || got.Disputed {
				t.Errorf("%s, %s: %+v, want %s refunded", when, name, got, refunded)
			}
		}
		r, err := p.Reversals(ctx, o.Payment.ID)
		if err != nil || r.Refunded() != refunded {
			t.Errorf("%s: refunds %+v, %v, want %s", when, r, err, refunded)
		}
	}
	want("before", 0)
	b.Refund(t, o.Payment.ID, 1000)
	want("in part", 1000)
	failing := b.Refund(t, o.Payment.ID, 300)
	want("in two parts", 1300)
	b.FailRefund(t, failing)
	want("one failed", 1000)
	b.Refund(t, o.Payment.ID, 11345)
	want("whole", 12345)
}

func disputedFlag(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	want := func(when string, disputed bool) {
		t.Helper()
		for name, got := range readWithEachMethod(t, p, b, ses.CustomerID, o.Payment.ID) {
			if got.Disputed != disputed || got.Refunded != 0 || got.Status != psp.Succeeded {
				t.Errorf("%s, %s: %+v, want disputed: %v", when, name, got, disputed)
			}
		}
	}
	want("before", false)
	d := b.Dispute(t, o.Payment.ID, 12345)
	want("open", true)
	b.CloseDispute(t, d, true)
	want("won", true)
}

// errorsWithoutMessage checks that errors omit the processor's message, which may
// contain an address or a client secret.
func errorsWithoutMessage(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	clean := func(what, text string) {
		t.Helper()
		for _, private := range []string{"@", "_secret_", "not accepted"} {
			if strings.Contains(text, private) {
				t.Errorf("%s contains %q: %s", what, private, text)
			}
		}
	}
	payment := p.Charge(ctx, newCharge(b, ses, "k")).Payment.ID
	b.Break(t, NotAccepted)
	text, err := json.Marshal(p.Charge(ctx, newCharge(b, ses, "k2")))
	if err != nil {
		t.Fatal(err)
	}
	clean("the outcome of a charge", string(text))
	b.Break(t, NotAccepted)
	if text, err = json.Marshal(p.Refund(ctx, newRefund(b, payment, "k3"))); err != nil {
		t.Fatal(err)
	}
	clean("the outcome of a refund", string(text))
	for name, call := range calls(p, ses, payment) {
		b.Clear()
		b.Break(t, NotAccepted)
		err := call(ctx)
		if fault.Of(err) == nil {
			t.Errorf("%s: %v, want an error", name, err)
			continue
		}
		clean(name, err.Error())
	}
}
