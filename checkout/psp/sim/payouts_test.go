package sim_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func checkBooks(t testing.TB, s *sim.Sim) {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func wantBalance(t testing.TB, s *sim.Sim, when string, total, available money.Cents) {
	t.Helper()
	if a, b := s.Balance(); a != total || b != available {
		t.Errorf("%s: balance %s with %s available, want %s and %s", when, a, b, total, available)
	}
	checkBooks(t, s)
}

// transactions returns the categories and nets of all balance transactions that a query selects.
func transactions(t testing.TB, s *sim.Sim, q psp.BalanceQuery) (out []string) {
	t.Helper()
	q.Limit = 100
	page, err := s.Processor().BalanceTransactions(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range page.Transactions {
		out = append(out, string(b.Category)+" "+b.Net.String())
	}
	return out
}

// Charges are available for a payout after two days. An automatic payout includes everything that is
// available, also what an earlier payout did not deliver.
func TestPayouts(t *testing.T) {
	s := sim.New(sim.Options{WebhookSecret: secret})
	id := makePayment(t, s, sim.CardOK)
	if _, err := s.AutomaticPayout(); !fault.Is(err, fault.Conflict) {
		t.Errorf("payout of nothing: %v", err)
	}
	wantBalance(t, s, "charged", 2397, 0)
	s.Advance(48 * time.Hour)
	if _, err := s.Refund(id, 1000); err != nil {
		t.Fatal(err)
	}
	wantBalance(t, s, "refunded", 1397, 1397)
	for _, amount := range []money.Cents{0, 1398} {
		if _, err := s.ManualPayout(amount); err == nil {
			t.Errorf("manual payout of %s", amount)
		}
	}
	manual, err := s.ManualPayout(397)
	if err != nil {
		t.Fatal(err)
	}
	wantBalance(t, s, "paid out manually", 1000, 1000)
	automatic, err := s.AutomaticPayout()
	if err != nil {
		t.Fatal(err)
	}
	wantBalance(t, s, "paid out", 0, 0)
	if got := transactions(t, s, psp.BalanceQuery{PayoutID: automatic}); got != nil {
		t.Errorf("transactions before the reconciliation %q", got)
	}
	s.Advance(time.Hour)
	contents := []string{"payout -$10.00", "payout -$3.97", "refund -$10.00", "charge $23.97"}
	if diff := cmp.Diff(contents, transactions(t, s, psp.BalanceQuery{PayoutID: automatic})); diff != "" {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
	a := s.Serve(call("GET", "/v1/balance_transactions", url.Values{"payout": {manual}}.Encode(), ""))
	if _, _, param := parseProblem(t, a); a.Status != 400 || param != "payout" {
		t.Errorf("contents of a manual payout: %d, parameter %q", a.Status, param)
	}
	s.Advance(48 * time.Hour)
	if err := s.FailPayout(automatic); err != nil {
		t.Fatal(err)
	}
	wantBalance(t, s, "failed after it was paid", 1000, 1000)
	if err := s.FailPayout(automatic); !fault.Is(err, fault.Conflict) {
		t.Errorf("failed again: %v", err)
	}
	if err := s.FailPayout("po_no"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown payout: %v", err)
	}
	next, err := s.AutomaticPayout()
	if err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Hour)
	if diff := cmp.Diff([]string{"payout -$10.00", "payout_reversal $10.00"},
		transactions(t, s, psp.BalanceQuery{PayoutID: next})); diff != "" {
		t.Errorf("contents of the next payout (-want +got):\n%s", diff)
	}
	want := []psp.EventType{psp.PayoutCreated, psp.PayoutCreated, psp.PayoutReconciled,
		psp.PayoutPaid, psp.PayoutPaid, psp.PayoutFailed, psp.PayoutCreated,
		psp.PayoutReconciled}
	if diff := cmp.Diff(want, events(s, "po_")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// An adjustment cannot have the category of a charge, refund, dispute or payout.
func TestAdjust(t *testing.T) {
	s := sim.New(sim.Options{})
	for category, want := range map[string]fault.Code{"": fault.Invalid, "charge": fault.Invalid,
		"payout_reversal": fault.Invalid, "fee": "", "minimum_balance_hold": ""} {
		if _, err := s.Adjust(category, -100, 5); fault.CodeOf(err) != want {
			t.Errorf("%q: %v, want %q", category, err, want)
		}
	}
	wantBalance(t, s, "adjusted", -210, -210)
}

// Payouts, failed payouts and adjustments are part of a snapshot.
func TestSnapshot_Payouts(t *testing.T) {
	old := sim.New(sim.Options{})
	makePayment(t, old, sim.CardAvailableNow)
	if _, err := old.Adjust("fee", -97, 0); err != nil {
		t.Fatal(err)
	}
	failed, err := old.AutomaticPayout()
	if err == nil {
		err = old.FailPayout(failed)
	}
	if err == nil {
		_, err = old.ManualPayout(300)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	fresh := sim.New(sim.Options{})
	if err := fresh.Restore(b); err != nil {
		t.Fatal(err)
	}
	old.Advance(time.Hour)
	fresh.Advance(time.Hour)
	for _, q := range []psp.BalanceQuery{{}, {PayoutID: failed}} {
		if diff := cmp.Diff(transactions(t, old, q), transactions(t, fresh, q)); diff != "" {
			t.Errorf("%+v (-old +restored):\n%s", q, diff)
		}
	}
	wantBalance(t, fresh, "restored", 2000, 2000)
}
