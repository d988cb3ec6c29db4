package stripe_test

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// recorder records every request to the simulator.
type recorder struct {
	next http.RoundTripper
	seen []*http.Request
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.seen = append(r.seen, req)
	return r.next.RoundTrip(req)
}

// newRecorded returns an adapter for a new simulator, and the recorder of its requests.
func newRecorded(t *testing.T) (*stripe.Processor, *sim.Sim, *recorder) {
	t.Helper()
	s := sim.New(sim.Options{NoLimits: true})
	rec := &recorder{next: simhttp.NewTransport(s, simhttp.Options{Vendor: "Stripe"})}
	p, err := stripe.New(stripe.Options{Key: "sk_test_local", Now: s.Now, Transport: rec,
		BaseURL: "http://processor.invalid"})
	if err != nil {
		t.Fatal(err)
	}
	return p, s, rec
}

// saveCard creates a customer with a card and returns the session.
func saveCard(t *testing.T, p *stripe.Processor, s *sim.Sim, card string) psp.Session {
	t.Helper()
	ctx := context.Background()
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "customer", Email: "supporter@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	session, err := p.StartSetup(ctx, psp.NewSetup{
		Key: "setup", CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://site.example/done",
		Locale: "en", Expires: s.Now().Add(time.Hour), Metadata: map[string]string{"orderId": "pw-1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Complete(session.ID, card); err != nil {
		t.Fatal(err)
	}
	session, err = p.Session(ctx, session.ID)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func charge(s *sim.Sim, from psp.Session) psp.NewCharge {
	return psp.NewCharge{
		Key: "charge", Group: "group", Amount: 2500, CustomerID: from.CustomerID,
		PaymentMethodID: from.PaymentMethodID, NotAfter: s.Now().Add(psp.SafeAge),
	}
}

// pinned duplicates psp.Version on purpose: a version change must be made in both places.
const pinned = "2026-02-25.clover"

// Every request of every method carries the pinned version, and every POST its
// idempotency key.
//
// Proves VER-01, VER-02, MON-11.
func TestRequests_VersionAndKey(t *testing.T) {
	p, s, rec := newRecorded(t)
	ctx := context.Background()
	session := saveCard(t, p, s, sim.CardOK)
	out := p.Charge(ctx, charge(s, session))
	if out.Status != psp.Succeeded || out.Payment.Amount != 2500 || out.Payment.Financials.Fee != 103 {
		t.Fatalf("charge: %+v", out)
	}
	if _, err := p.Payment(ctx, out.Payment.ID); err != nil {
		t.Fatal(err)
	}
	if found, err := p.FindCharge(ctx, session.CustomerID, "group"); err != nil ||
		len(found) != 1 || found[0].ID != out.Payment.ID {
		t.Fatalf("FindCharge: %+v, %v", found, err)
	}
	if _, err := p.ExpireSession(ctx, session.ID, "expire"); err != nil {
		t.Fatal(err)
	}
	if page, err := p.Payments(ctx, psp.PaymentQuery{From: s.Now().Add(-time.Hour), To: s.Now().Add(time.Hour),
		Limit: 10}); err != nil || len(page.Payments) != 1 {
		t.Fatalf("Payments: %+v, %v", page, err)
	}
	if page, err := p.Sessions(ctx, psp.SessionQuery{From: s.Now().Add(-time.Hour), To: s.Now().Add(time.Hour),
		Limit: 10}); err != nil || len(page.Sessions) != 1 {
		t.Fatalf("Sessions: %+v, %v", page, err)
	}
	if _, err := p.Approval(ctx, out.Payment.ID); !fault.Is(err, fault.Conflict) {
		t.Fatal(err)
	}
	if c, err := p.Card(ctx, session.PaymentMethodID); err != nil || c.CustomerID != session.CustomerID {
		t.Fatalf("Card: %+v, %v", c, err)
	}
	if _, err := p.CancelPayment(ctx, out.Payment.ID, "cancel"); err != nil {
		t.Fatal(err)
	}
	if err := p.DetachCard(ctx, session.PaymentMethodID, "forget"); err != nil {
		t.Fatal(err)
	}
	if a, err := p.Account(ctx); err != nil || a.ID == "" || a.At.IsZero() {
		t.Fatalf("Account: %+v, %v", a, err)
	}
	if r, err := p.Reversals(ctx, out.Payment.ID); err != nil || len(r.Refunds)+len(r.Disputes) != 0 {
		t.Fatalf("Reversals: %+v, %v", r, err)
	}
	if o := p.Refund(ctx, psp.NewRefund{Key: "refund", ID: "rf_1", PaymentID: out.Payment.ID, Amount: 100,
		NotAfter: s.Now().Add(psp.SafeAge)}); o.Status != psp.Accepted || o.Refund.OurID != "rf_1" {
		t.Fatalf("Refund: %+v", o)
	}
	if page, err := p.BalanceTransactions(ctx, psp.BalanceQuery{Limit: 10}); err != nil || len(page.Transactions) != 2 {
		t.Fatalf("BalanceTransactions: %+v, %v", page, err)
	}
	if page, err := p.Disputes(ctx, psp.DisputeQuery{Limit: 10}); err != nil || len(page.Disputes) != 0 {
		t.Fatalf("Disputes: %+v, %v", page, err)
	}
	if page, err := p.Payouts(ctx, psp.PayoutQuery{Limit: 10}); err != nil || len(page.Payouts) != 0 {
		t.Fatalf("Payouts: %+v, %v", page, err)
	}
	if page, err := p.FraudWarnings(ctx, psp.FraudWarningQuery{Limit: 10}); err != nil || len(page.Warnings) != 0 {
		t.Fatalf("FraudWarnings: %+v, %v", page, err)
	}
	if err := p.UpdateCustomer(ctx, session.CustomerID, "note", map[string]string{"note": "x"}); err != nil {
		t.Fatal(err)
	}
	if page, err := p.Customers(ctx, psp.CustomerQuery{From: s.Now().Add(-time.Hour), To: s.Now().Add(time.Hour),
		Limit: 10}); err != nil || len(page.Customers) != 1 {
		t.Fatalf("Customers: %+v, %v", page, err)
	}
	calls := map[string]bool{}
	for _, r := range rec.seen {
		calls[r.Method+" "+ids.ReplaceAllString(r.URL.Path, "{id}")] = true
	}
	want := []string{
		"GET /v1/account", "GET /v1/balance_transactions", "GET /v1/checkout/sessions", "GET /v1/checkout/sessions/{id}", "GET /v1/customers",
		"GET /v1/disputes", "GET /v1/payment_intents", "GET /v1/payment_intents/{id}", "GET /v1/payment_methods/{id}",
		"GET /v1/payouts", "GET /v1/radar/early_fraud_warnings", "GET /v1/refunds", "POST /v1/checkout/sessions", "POST /v1/checkout/sessions/{id}/expire",
		"POST /v1/customers", "POST /v1/customers/{id}", "POST /v1/payment_intents",
		"POST /v1/payment_intents/{id}/cancel", "POST /v1/payment_methods/{id}/detach", "POST /v1/refunds",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(calls))); diff != "" {
		t.Fatalf("requests (-want +got):\n%s", diff)
	}
	// Mode and Verify make no requests; Payment and Approval make the same
	// request.
	if n := reflect.TypeFor[psp.Processor]().NumMethod(); n != 24 {
		t.Errorf("psp.Processor has %d methods: does this test call each of them?", n)
	}
	for _, r := range rec.seen {
		if got := r.Header.Values("Stripe-Version"); len(got) != 1 || got[0] != pinned {
			t.Errorf("%s %s has version %q, want %q", r.Method, r.URL.Path, got, pinned)
		}
		if key := r.Header.Get("Idempotency-Key"); r.Method == http.MethodPost &&
			!strings.Contains("customer setup charge expire cancel forget note refund", key) {
			t.Errorf("%s %s has key %q, not the caller's", r.Method, r.URL.Path, key)
		}
	}
}

var ids = regexp.MustCompile(`\b(cs|cus|pi|pm)_[A-Za-z0-9_]+`)

func TestRequests_MissingKey(t *testing.T) {
	p, s, rec := newRecorded(t)
	ctx := context.Background()
	session := saveCard(t, p, s, sim.CardOK)
	sent := len(rec.seen)
	if _, err := p.CreateCustomer(ctx, psp.NewCustomer{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("CreateCustomer: %v", err)
	}
	if _, err := p.StartSetup(ctx, psp.NewSetup{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("StartSetup: %v", err)
	}
	if _, err := p.ExpireSession(ctx, session.ID, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("ExpireSession: %v", err)
	}
	if _, err := p.CancelPayment(ctx, "pi_1", ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("CancelPayment: %v", err)
	}
	c := charge(s, session)
	c.Key = ""
	if out := p.Charge(ctx, c); out.Status != psp.NotStarted {
		t.Errorf("Charge: %+v", out)
	}
	if out := p.Refund(ctx, psp.NewRefund{ID: "rf_1", PaymentID: "pi_1", Amount: 1,
		NotAfter: s.Now().Add(psp.SafeAge)}); out.Status != psp.NotStarted {
		t.Errorf("Refund: %+v", out)
	}
	if len(rec.seen) != sent {
		t.Errorf("%d requests were sent", len(rec.seen)-sent)
	}
}

func TestCharge_NotAfter(t *testing.T) {
	p, s, rec := newRecorded(t)
	c := charge(s, saveCard(t, p, s, sim.CardOK))
	sent := len(rec.seen)
	s.Advance(psp.SafeAge + time.Second)
	if out := p.Charge(context.Background(), c); out.Status != psp.Unknown {
		t.Errorf("outcome %+v, want unknown", out)
	}
	if len(rec.seen) != sent {
		t.Error("the request was sent")
	}
}

// The library's errors include the whole response, with client secrets and
// addresses.
func TestErrors_NoSecrets(t *testing.T) {
	p, s, _ := newRecorded(t)
	session := saveCard(t, p, s, sim.CardOK)
	if err := s.InjectFaults(sim.Fault{Kind: sim.ServerError}); err != nil {
		t.Fatal(err)
	}
	_, err := p.StartSetup(context.Background(), psp.NewSetup{
		Key: "again", CustomerID: session.CustomerID, UIMode: psp.Custom, ReturnURL: "https://site.example/done",
	})
	if !fault.Is(err, fault.Unavailable) {
		t.Fatalf("error %v, want unavailable", err)
	}
	for _, secret := range []string{"sk_test", "_secret_", "@example.org"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error contains %q: %v", secret, err)
		}
	}
}

func TestNew_KeyMode(t *testing.T) {
	for key, want := range map[string]psp.Mode{"sk_test_1": psp.Test, "rk_live_1": psp.Live, "pk_test_1": "", "": ""} {
		p, err := stripe.New(stripe.Options{Key: key, Now: time.Now})
		if want == "" {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("key %q: %v", key, err)
			}
			continue
		}
		if err != nil || p.Mode() != want {
			t.Errorf("key %q: %v, %v", key, p, err)
		}
	}
}
