package psptest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// reversalsListed checks that all pages of both lists are read, and that another payment's
// reversals are not included.
func reversalsListed(t testing.TB, p psp.Processor, b Bench) {
	payment := pay(t, p, b, "a", Good)
	first := payment.ID
	other := p.Charge(ctx, newCharge(b, saveCard(t, p, b, "b", Good), "k2")).Payment.ID
	var want psp.Reversals
	for i := range 7 {
		b.Advance(time.Minute)
		amount, at := money.Cents(100+i), b.Now().Truncate(time.Second)
		want.Refunds = append(want.Refunds,
			psp.Refund{ID: b.Refund(t, first, amount), PaymentID: first, ChargeID: payment.ChargeID, Amount: amount,
				Currency: money.USD, Status: psp.RefundStatusSucceeded, CreatedAt: at.UTC()})
		b.Refund(t, other, amount)
		d := b.Dispute(t, first, amount)
		want.Disputes = append(want.Disputes, psp.Dispute{ID: d, PaymentID: first, ChargeID: payment.ChargeID,
			Amount: amount, Currency: money.USD,
			Status: psp.DisputeStatusWon, CreatedAt: at.UTC()})
		b.CloseDispute(t, d, true)
		b.CloseDispute(t, b.Dispute(t, other, amount), true)
	}
	slices.Reverse(want.Refunds)
	slices.Reverse(want.Disputes)
	got, err := p.Reversals(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Refunds {
		if got.Refunds[i].BalanceTransactionID == "" {
			t.Errorf("succeeded refund without balance transaction: %+v", got.Refunds[i])
		}
		got.Refunds[i].BalanceTransactionID = ""
	}
	for i := range got.Disputes {
		d := &got.Disputes[i]
		if d.Reason == "" || !d.EvidenceDueBy.After(d.CreatedAt) {
			t.Errorf("dispute without reason or evidence deadline: %+v", *d)
		}
		d.Reason, d.NetworkReasonCode, d.EvidenceDueBy, d.Movements = "", "", time.Time{}, nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reversals (-want +got):\n%s", diff)
	}
	if got.Refunded() != 7*100+21 {
		t.Errorf("%s was refunded", got.Refunded())
	}
}

func reversalStates(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", SlowRefund)
	id := p.Charge(ctx, newCharge(b, ses, "k")).Payment.ID
	read := func(when string) psp.Reversals {
		t.Helper()
		r, err := p.Reversals(ctx, id)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		return r
	}
	want := func(when string, refunded money.Cents, states ...psp.RefundStatus) {
		t.Helper()
		var got []psp.RefundStatus
		r := read(when)
		for _, f := range r.Refunds {
			got = append(got, f.Status)
		}
		if diff := cmp.Diff(states, got); diff != "" || r.Refunded() != refunded {
			t.Errorf("%s: %s refunded, want %s (-want +got):\n%s", when, r.Refunded(), refunded, diff)
		}
		if payment, err := p.Payment(ctx, id); err != nil || payment.Refunded != refunded {
			t.Errorf("%s: payment %+v, %v, want %s refunded", when, payment, err, refunded)
		}
	}
	b.Refund(t, id, 100)
	want("pending", 100, psp.RefundStatusPending)
	b.Advance(time.Hour)
	want("after an hour", 100, psp.RefundStatusSucceeded)
	failing := b.Refund(t, id, 200)
	b.FailRefund(t, failing)
	want("one failed", 100, psp.RefundStatusFailed, psp.RefundStatusSucceeded)

	d := b.Dispute(t, id, 500)
	if r := read("disputed"); len(r.Disputes) != 1 || r.Disputes[0].Status != psp.DisputeStatusNeedsResponse ||
		r.Disputes[0].Amount != 500 {
		t.Errorf("open dispute: %+v", r.Disputes)
	}
	b.CloseDispute(t, d, false)
	if r := read("lost"); len(r.Disputes) != 1 || r.Disputes[0].Status != psp.DisputeStatusLost {
		t.Errorf("lost dispute: %+v", r.Disputes)
	}
}

func reversalsNone(t testing.TB, p psp.Processor, b Bench) {
	id := p.Charge(ctx, newCharge(b, saveCard(t, p, b, "a", Good), "k")).Payment.ID
	if r, err := p.Reversals(ctx, id); err != nil || len(r.Refunds)+len(r.Disputes) != 0 || r.Refunded() != 0 {
		t.Errorf("new payment: %+v, %v", r, err)
	}
	if r, err := p.Reversals(ctx, "pi_nobody"); !fault.Is(err, fault.NotFound) || len(r.Refunds)+len(r.Disputes) != 0 {
		t.Errorf("unknown payment: %+v, %v, want not found", r, err)
	}
}
