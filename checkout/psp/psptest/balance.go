package psptest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// readBalance returns all balance transactions that a query selects, read in pages of the given limit.
func readBalance(t testing.TB, p psp.Processor, q psp.BalanceQuery, limit int) []psp.BalanceTransaction {
	t.Helper()
	return readPages(t, limit, func(after string, limit int) ([]psp.BalanceTransaction, string, error) {
		q.After, q.Limit = after, limit
		page, err := p.BalanceTransactions(ctx, q)
		return page.Transactions, page.Next, err
	})
}

// balanceSources checks every kind of balance transaction, with its amounts and its source.
func balanceSources(t testing.TB, p psp.Processor, b Bench) {
	payment := pay(t, p, b, "a", Good)
	b.Advance(72 * time.Hour) // booked and available
	refund := p.Refund(ctx, newRefund(b, payment.ID, "k")).Refund
	b.FailRefund(t, refund.ID)
	dispute := b.Dispute(t, payment.ID, 2000)
	b.CloseDispute(t, dispute, true)
	b.Adjust(t, "fee", -25)
	b.Adjust(t, "a_category_of_the_future", -75)
	payout := b.AutomaticPayout(t)
	b.FailPayout(t, payout)
	ofPayment := func(bt psp.BalanceTransaction) psp.BalanceTransaction {
		bt.PaymentID, bt.ChargeID = payment.ID, payment.ChargeID
		return bt
	}
	type bt = psp.BalanceTransaction
	got := readBalance(t, p, psp.BalanceQuery{}, 100)
	var charged, withdrawn money.Cents // determined by the processor
	for _, b := range got {
		if b.Category == psp.BalanceCharge {
			charged = b.Fee
		}
		if b.Category == psp.BalancePayout {
			withdrawn = -b.Amount
		}
	}
	want := []bt{
		{Category: psp.BalancePayoutReversal, Amount: withdrawn, Net: withdrawn, SourceID: payout, PayoutID: payout},
		{Category: psp.BalancePayout, Amount: -withdrawn, Net: -withdrawn, SourceID: payout, PayoutID: payout},
		{Category: "a_category_of_the_future", Amount: -75, Net: -75},
		{Category: psp.BalanceFee, Amount: -25, Net: -25},
		ofPayment(bt{Category: psp.BalanceDisputeReversal, Amount: 2000, Net: 2000, SourceID: dispute, DisputeID: dispute}),
		ofPayment(bt{Category: psp.BalanceDispute, Amount: -2000, Fee: 1500, Net: -3500, SourceID: dispute,
			DisputeID: dispute}),
		ofPayment(bt{Category: psp.BalanceRefundFailure, Amount: 1000, Net: 1000, SourceID: refund.ID, RefundID: refund.ID}),
		ofPayment(bt{Category: psp.BalanceRefund, Amount: -1000, Net: -1000, SourceID: refund.ID, RefundID: refund.ID}),
		ofPayment(bt{Category: psp.BalanceCharge, Amount: 12345, Fee: charged, Net: 12345 - charged,
			SourceID: payment.ChargeID}),
	}
	total := money.Cents(0)
	for i := range got {
		g := &got[i]
		if g.ID == "" || g.Currency != money.USD || g.CreatedAt.IsZero() || g.AvailableAt.Before(g.CreatedAt) {
			t.Errorf("transaction without ID, currency or times: %+v", *g)
		}
		total += g.Net
		g.ID, g.Currency, g.CreatedAt, g.AvailableAt = "", "", time.Time{}, time.Time{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("balance transactions (-want +got):\n%s", diff)
	}
	if charged <= 0 || total != withdrawn {
		t.Errorf("the balance is %s after %s was paid out and returned; fee of the charge %s", total, withdrawn, charged)
	}
	f, again := readRefunds(t, p, payment.ID), readBalance(t, p, psp.BalanceQuery{}, 100)
	if len(f) != 1 || len(again) != len(want) || again[6].ID != f[0].FailureBalanceTransactionID ||
		again[7].ID != f[0].BalanceTransactionID {
		t.Errorf("the refund %+v does not name its transactions", f)
	}
}

// balancePages checks the order of the list, its pages, and its range.
func balancePages(t testing.TB, p psp.Processor, b Bench) {
	first := b.Now()
	var made []string
	for range 7 {
		made = append([]string{b.Adjust(t, "other_adjustment", 100)}, made...)
		b.Advance(time.Minute)
	}
	wantPages(t, made, first, func(from, to time.Time, after string, limit int) (ids []string, next string, err error) {
		page, err := p.BalanceTransactions(ctx, psp.BalanceQuery{From: from, To: to, After: after, Limit: limit})
		for _, bt := range page.Transactions {
			ids = append(ids, bt.ID)
		}
		return ids, page.Next, err
	})
}

// balanceOfPayout checks that the contents of an automatic payout are listed with its own transaction,
// and that nothing is listed for a manual payout.
func balanceOfPayout(t testing.TB, p psp.Processor, b Bench) {
	pay(t, p, b, "a", Good)
	b.Advance(72 * time.Hour)
	b.Adjust(t, "fee", -25)
	payout := b.AutomaticPayout(t)
	want := readBalance(t, p, psp.BalanceQuery{}, 100)
	pay(t, p, b, "b", Good)
	b.Advance(72 * time.Hour)
	manual := b.ManualPayout(t, 100)
	got := readBalance(t, p, psp.BalanceQuery{PayoutID: payout}, 2)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	sum := money.Cents(0)
	for _, bt := range got {
		sum += bt.Net
	}
	if sum != 0 || len(got) != 3 || got[0].PayoutID != payout {
		t.Errorf("the %d transactions of the payout differ from it by %s", len(got), sum)
	}
	page, err := p.BalanceTransactions(ctx, psp.BalanceQuery{PayoutID: manual, Limit: 10})
	if !fault.Is(err, fault.Invalid) || len(page.Transactions) != 0 {
		t.Errorf("contents of a manual payout: %+v, %v, want invalid", page, err)
	}
	page, err = p.BalanceTransactions(ctx, psp.BalanceQuery{PayoutID: "po_nobody", Limit: 10})
	if !fault.Is(err, fault.NotFound) || len(page.Transactions) != 0 {
		t.Errorf("contents of an unknown payout: %+v, %v, want not found", page, err)
	}
}
