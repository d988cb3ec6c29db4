package sim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// A statement has every change of the balance, with the payout that includes it, and adds up to the balance.
func TestStatement(t *testing.T) {
	s := sim.New(sim.Options{})
	payment := makePayment(t, s, sim.CardAvailableNow)
	refunded, err := s.Refund(payment, 500)
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.AutomaticPayout()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Adjust("fee", -30, 0); err != nil {
		t.Fatal(err)
	}
	disputed, err := s.Dispute(payment, 100, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FailPayout(first); err != nil {
		t.Fatal(err)
	}
	sum, got := 0, []string{}
	names := map[string]string{"": "-", payment: "payment", refunded: "refund", disputed: "dispute", first: "payout"}
	for _, row := range s.Statement() {
		sum += int(row.Net)
		got = append(got, fmt.Sprint(row.Net, " ", names[row.PaymentID], " ", names[row.RefundID], " ",
			names[row.DisputeID], " ", names[row.PayoutID], " ", names[row.PaidOut]))
	}
	want := []string{"$23.97 payment - - - payout", "-$5.00 payment refund - - payout", "-$18.97 - - - payout payout",
		"-$0.30 - - - - -", "-$16.00 payment - dispute - -", "$18.97 - - - payout -"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statement (-want +got):\n%s", diff)
	}
	if total, _ := s.Balance(); int(total) != sum {
		t.Errorf("the rows add up to %d, but the balance is %s", sum, total)
	}
}

// Payouts lists what the API lists, oldest first.
func TestSim_Payouts(t *testing.T) {
	s := sim.New(sim.Options{})
	makePayment(t, s, sim.CardAvailableNow)
	manual, err := s.ManualPayout(100)
	if err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Hour)
	automatic, err := s.AutomaticPayout()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FailPayout(manual); err != nil {
		t.Fatal(err)
	}
	page, err := s.Processor().Payouts(ctx, psp.PayoutQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Payouts()
	want := []psp.Payout{page.Payouts[1], page.Payouts[0]}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || got[0].ID != manual || got[1].ID != automatic {
		t.Errorf("payouts (-want +got):\n%s\n%v", diff, err)
	}
}
