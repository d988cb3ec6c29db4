package psptest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// readPages reads a list of the account in pages of the given limit.
func readPages[T any](t testing.TB, limit int, read func(after string, limit int) (page []T, next string, err error)) []T {
	t.Helper()
	var all []T
	after := ""
	for range 100 {
		page, next, err := read(after, limit)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, page...); next == "" {
			return all
		}
		after = next
	}
	t.Fatal("the list does not end")
	return nil
}

// wantPages checks a list of seven objects that were created a minute apart, the oldest at first: its
// order, pages and range. read returns the IDs of a page.
func wantPages(t testing.TB, newest []string, first time.Time,
	read func(from, to time.Time, after string, limit int) (ids []string, next string, err error)) {
	t.Helper()
	minute := func(n int) time.Time { return first.Add(time.Duration(n) * time.Minute) }
	for name, tt := range map[string]struct {
		from, to time.Time
		want     []string
	}{
		"all":     {time.Time{}, time.Time{}, newest},
		"from":    {minute(2), time.Time{}, newest[:5]},
		"to":      {time.Time{}, minute(2), newest[5:]},
		"between": {minute(1), minute(6), newest[1:6]},
	} {
		for _, limit := range []int{100, 2, 1} {
			got := readPages(t, limit, func(after string, limit int) ([]string, string, error) {
				return read(tt.from, tt.to, after, limit)
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s, page limit %d (-want +got):\n%s", name, limit, diff)
			}
		}
	}
}

func readDisputes(t testing.TB, p psp.Processor) []psp.Dispute {
	t.Helper()
	return readPages(t, 100, func(after string, limit int) ([]psp.Dispute, string, error) {
		page, err := p.Disputes(ctx, psp.DisputeQuery{After: after, Limit: limit})
		return page.Disputes, page.Next, err
	})
}

// disputesListed checks the account's list, which has the disputes of all payments as Reversals returns
// them.
func disputesListed(t testing.TB, p psp.Processor, b Bench) {
	one, other := pay(t, p, b, "a", Good), pay(t, p, b, "b", Good)
	first := b.Now()
	var newest []string
	for i := range 7 {
		of := one
		if i%2 == 1 {
			of = other
		}
		d := b.Dispute(t, of.ID, money.Cents(100+i))
		b.CloseDispute(t, d, true)
		newest = append([]string{d}, newest...)
		b.Advance(time.Minute)
	}
	wantPages(t, newest, first, func(from, to time.Time, after string, limit int) (ids []string, next string, err error) {
		page, err := p.Disputes(ctx, psp.DisputeQuery{From: from, To: to, After: after, Limit: limit})
		for _, d := range page.Disputes {
			ids = append(ids, d.ID)
		}
		return ids, page.Next, err
	})
	for _, payment := range []psp.Payment{one, other} {
		r, err := p.Reversals(ctx, payment.ID)
		if err != nil {
			t.Fatal(err)
		}
		listed := slices.DeleteFunc(readDisputes(t, p), func(d psp.Dispute) bool { return d.PaymentID != payment.ID })
		if diff := cmp.Diff(r.Disputes, listed); diff != "" {
			t.Errorf("disputes of a payment (-one +account):\n%s", diff)
		}
		for _, d := range listed {
			if len(d.Movements) != 2 || d.Movements[0].Amount != -d.Movements[1].Amount {
				t.Errorf("changes of the balance by a dispute that was won: %+v", d.Movements)
			}
			if d.ChargeID != payment.ChargeID || d.NetworkReasonCode == "" || d.Reason == "" || d.Refundable ||
				d.Currency != money.USD || d.EvidenceDueBy.IsZero() {
				t.Errorf("dispute %+v", d)
			}
		}
	}
}

// byID ignores the order of balance transactions.
var byID = cmpopts.SortSlices(func(a, b psp.BalanceTransaction) bool { return a.ID < b.ID })

// disputeStates checks the states of an inquiry that escalates, which moves money only then, and that the
// payment can be refunded as long as Refundable is set.
func disputeStates(t testing.TB, p psp.Processor, b Bench) {
	for name, refundable := range map[string]bool{"refundable": true, "blocked": false} {
		payment := pay(t, p, b, name, Good)
		d := b.OpenInquiry(t, payment.ID, 2000, refundable)
		moved := func(of psp.Dispute) (sum money.Cents) {
			changes := slices.DeleteFunc(readBalance(t, p, psp.BalanceQuery{}, 100),
				func(bt psp.BalanceTransaction) bool { return bt.DisputeID != d })
			for _, bt := range changes {
				sum += bt.Net
			}
			if diff := cmp.Diff(changes, of.Movements, cmpopts.EquateEmpty(), byID); diff != "" {
				t.Errorf("changes of the balance (-list +dispute):\n%s", diff)
			}
			return sum
		}
		check := func(want psp.DisputeStatus, refundable, withdrawn bool) {
			t.Helper()
			got := readDisputes(t, p)
			if len(got) == 0 || got[0].ID != d || got[0].Status != want || got[0].Refundable != refundable ||
				got[0].PaymentID != payment.ID {
				t.Errorf("%s inquiry: %+v, want %s, refundable: %v", name, got, want, refundable)
			}
			if sum := moved(got[0]); (sum < 0) != withdrawn {
				t.Errorf("%s inquiry is %s: %s moved", name, want, sum)
			}
			n := newRefund(b, payment.ID, name+string(want))
			n.Amount = 1
			o := p.Refund(ctx, n)
			if (o.Status == psp.Accepted) != refundable || !refundable && o.Refusal != psp.RefusalDisputed {
				t.Errorf("refund while %s: %+v, want possible: %v", want, o, refundable)
			}
		}
		check(psp.DisputeStatusWarningNeedsResponse, refundable, false)
		b.MoveDispute(t, d, psp.DisputeStatusWarningUnderReview)
		check(psp.DisputeStatusWarningUnderReview, refundable, false)
		b.MoveDispute(t, d, psp.DisputeStatusNeedsResponse)
		check(psp.DisputeStatusNeedsResponse, false, true)
		b.MoveDispute(t, d, psp.DisputeStatusUnderReview)
		check(psp.DisputeStatusUnderReview, false, true)
		b.MoveDispute(t, d, psp.DisputeStatusLost)
		check(psp.DisputeStatusLost, false, true)
		b.Advance(time.Minute)
	}
	closed := b.OpenInquiry(t, pay(t, p, b, "closed", Good).ID, 100, false)
	b.MoveDispute(t, closed, psp.DisputeStatusWarningClosed)
	if got := readDisputes(t, p); len(got) != 3 || got[0].ID != closed ||
		got[0].Status != psp.DisputeStatusWarningClosed || got[0].Refundable {
		t.Errorf("closed inquiry: %+v", got)
	}
}

// payoutsListed checks the account's list, and payouts that are in transit, paid, and failed after they
// were paid.
func payoutsListed(t testing.TB, p psp.Processor, b Bench) {
	pay(t, p, b, "a", Good)
	b.Advance(72 * time.Hour)
	first := b.Now()
	newest := []string{}
	for range 6 {
		newest = append([]string{b.ManualPayout(t, 100)}, newest...)
		b.Advance(time.Minute)
	}
	automatic := b.AutomaticPayout(t)
	newest = append([]string{automatic}, newest...)
	wantPages(t, newest, first, func(from, to time.Time, after string, limit int) (ids []string, next string, err error) {
		page, err := p.Payouts(ctx, psp.PayoutQuery{From: from, To: to, After: after, Limit: limit})
		for _, po := range page.Payouts {
			ids = append(ids, po.ID)
		}
		return ids, page.Next, err
	})
	check := func(when string, status psp.PayoutStatus, reconciliation psp.ReconciliationStatus, failed bool) {
		t.Helper()
		page, err := p.Payouts(ctx, psp.PayoutQuery{From: first, Limit: 100})
		all := readBalance(t, p, psp.BalanceQuery{}, 100)
		if err != nil || len(page.Payouts) == 0 || len(all) == 0 {
			t.Errorf("%s: %+v, %v", when, page, err)
			return
		}
		po := page.Payouts[0]
		if po.ID != automatic || po.Status != status || po.ReconciliationStatus != reconciliation || !po.Automatic ||
			po.Currency != money.USD || po.ArrivalDate.Before(po.CreatedAt.AddDate(0, 0, -1)) ||
			!po.CreatedAt.Equal(first.Add(6*time.Minute).Truncate(time.Second)) {
			t.Errorf("%s: %+v", when, po)
		}
		own := slices.IndexFunc(all, func(bt psp.BalanceTransaction) bool { return bt.ID == po.BalanceTransactionID })
		if own < 0 || all[own].Net != -po.Amount || all[own].PayoutID != automatic {
			t.Errorf("%s: the payout %+v does not name its transaction", when, po)
		}
		if (po.FailureBalanceTransactionID != "") != failed ||
			failed && (all[0].ID != po.FailureBalanceTransactionID || all[0].Net != po.Amount) {
			t.Errorf("%s: the payout %+v does not name the transaction of its failure", when, po)
		}
	}
	check("first", psp.PayoutStatusInTransit, psp.ReconciliationInProgress, false)
	b.Advance(72 * time.Hour)
	check("after three days", psp.PayoutStatusPaid, psp.ReconciliationCompleted, false)
	b.FailPayout(t, automatic)
	check("failed", psp.PayoutStatusFailed, psp.ReconciliationCompleted, true)
	page, err := p.Payouts(ctx, psp.PayoutQuery{Limit: 1, After: automatic})
	if err != nil || len(page.Payouts) != 1 || page.Payouts[0].Automatic || page.Payouts[0].Amount != 100 ||
		page.Payouts[0].ReconciliationStatus != psp.ReconciliationNotApplicable {
		t.Errorf("manual payout: %+v, %v", page, err)
	}
}

// warningsListed checks the account's list of early fraud warnings, and that a warning about a disputed
// payment is no longer actionable.
func warningsListed(t testing.TB, p psp.Processor, b Bench) {
	one, other := pay(t, p, b, "a", Good), pay(t, p, b, "b", Good)
	first := b.Now()
	var newest []string
	for i := range 7 {
		of := one
		if i == 6 {
			of = other
		}
		newest = append([]string{b.WarnOfFraud(t, of.ID)}, newest...)
		b.Advance(time.Minute)
	}
	b.Dispute(t, one.ID, 100)
	wantPages(t, newest, first, func(from, to time.Time, after string, limit int) (ids []string, next string, err error) {
		page, err := p.FraudWarnings(ctx, psp.FraudWarningQuery{From: from, To: to, After: after, Limit: limit})
		for _, w := range page.Warnings {
			ids = append(ids, w.ID)
			of := one
			if w.ID == newest[0] {
				of = other
			}
			if w.PaymentID != of.ID || w.ChargeID != of.ChargeID || w.Actionable != (of.ID == other.ID) ||
				w.Reason == "" || w.CreatedAt.Before(first.Truncate(time.Second)) {
				t.Errorf("warning %+v", w)
			}
		}
		return ids, page.Next, err
	})
}
