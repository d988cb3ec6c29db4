package stripe_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/stripe/stripe-mock/embedded"
	"github.com/stripe/stripe-mock/server"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// Stripe's published OpenAPI description has a later version than the pinned one. For the
// requests made here, the two differ only in the names of the UI modes, which are replaced.
var (
	laterVersion = regexp.MustCompile(`"version": "2026-08-26\.dahlia"`)
	laterPlaces  = regexp.MustCompile(`"elements",\s*"embedded_page",\s*"hosted_page"`)
)

// published is a transport to Stripe's mock server, which checks only the names and types of
// parameters.
type published struct {
	t    *testing.T
	stub *server.StubServer
	seen int
}

func newPublished(t *testing.T) *published {
	t.Helper()
	for _, change := range []*regexp.Regexp{laterVersion, laterPlaces} {
		if !change.Match(embedded.OpenAPISpec) {
			t.Fatalf("no %s in the description", change)
		}
	}
	pinned := laterVersion.ReplaceAll(embedded.OpenAPISpec, []byte(`"version": "`+psp.Version+`"`))
	pinned = laterPlaces.ReplaceAll(pinned, []byte(`"custom", "embedded", "hosted"`))
	spec, err := server.LoadSpec(pinned, "")
	if err != nil {
		t.Fatal(err)
	}
	fixtures, err := server.LoadFixtures(embedded.OpenAPIFixtures, "")
	if err != nil {
		t.Fatal(err)
	}
	stub, err := server.NewStubServer(fixtures, spec, true, false)
	if err != nil {
		t.Fatal(err)
	}
	return &published{t: t, stub: stub}
}

func (p *published) RoundTrip(r *http.Request) (*http.Response, error) {
	if got := r.Header.Values("Stripe-Version"); len(got) != 1 || got[0] != pinned {
		p.t.Errorf("%s %s has version %q, want %q", r.Method, r.URL, got, pinned)
	}
	w := httptest.NewRecorder()
	p.stub.HandleRequest(w, r)
	res := w.Result()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body, res.Request = io.NopCloser(bytes.NewReader(body)), r
	if p.seen++; res.StatusCode != http.StatusOK {
		p.t.Errorf("%s %s: status %d: %s", r.Method, r.URL, res.StatusCode, body)
	}
	return res, nil
}

// Every request of every method has parameter names and types that Stripe
// publishes, under the pinned version.
//
// Proves VER-01.
func TestPublishedRequests(t *testing.T) {
	forEachAdapter(t, func(t *testing.T, m newAdapter) {
		pub := newPublished(t)
		p := makeAdapter(t, m, pub, time.Now)
		ctx := t.Context()
		setup := psp.NewSetup{Key: "s", CustomerID: "cus_1", Locale: "es", Expires: time.Now().Add(time.Hour),
			Metadata: map[string]string{"orderId": "pw-1"}}
		custom, hosted := setup, setup
		custom.UIMode, custom.ReturnURL = psp.Custom, "https://site.example/done"
		hosted.UIMode = psp.Hosted
		hosted.SuccessURL, hosted.CancelURL = "https://site.example/yes", "https://site.example/no"
		for name, call := range map[string]func() error{
			"customer": func() error {
				_, err := p.CreateCustomer(ctx,
					psp.NewCustomer{Key: "c", Email: "a@example.org", Metadata: map[string]string{"orderId": "pw-1"}})
				return err
			},
			"custom":  func() error { _, err := p.StartSetup(ctx, custom); return err },
			"hosted":  func() error { _, err := p.StartSetup(ctx, hosted); return err },
			"session": func() error { _, err := p.Session(ctx, "cs_1"); return err },
			"expire":  func() error { _, err := p.ExpireSession(ctx, "cs_1", "e"); return err },
			"charge": func() error {
				p.Charge(ctx, psp.NewCharge{Key: "k", Group: "g", Amount: 100, CustomerID: "cus_1",
					PaymentMethodID: "pm_1", Description: "Pledge",
					Metadata: map[string]string{"campaignSlug": "film"}, NotAfter: time.Now().Add(time.Hour)})
				return nil
			},
			"find": func() error { _, err := p.FindCharge(ctx, "cus_1", "g"); return err },
			"payments": func() error {
				_, err := p.Payments(ctx,
					psp.PaymentQuery{From: time.Now().Add(-time.Hour), To: time.Now(), After: "pi_1", Limit: 10})
				return err
			},
			"sessions": func() error {
				_, err := p.Sessions(ctx,
					psp.SessionQuery{From: time.Now().Add(-time.Hour), To: time.Now(), After: "cs_1", Limit: 10})
				return err
			},
			"refund": func() error {
				o := p.Refund(ctx, psp.NewRefund{Key: "r", ID: "rf_1", PaymentID: "pi_1", Amount: 100,
					Metadata: map[string]string{"campaignSlug": "film"}, NotAfter: time.Now().Add(time.Hour)})
				if o.Status != psp.Accepted {
					return fmt.Errorf("refund outcome %+v", o)
				}
				return nil
			},
			"balance": func() error {
				_, err := p.BalanceTransactions(ctx, psp.BalanceQuery{From: time.Now().Add(-time.Hour), To: time.Now(),
					PayoutID: "po_1", After: "txn_1", Limit: 10})
				return err
			},
			"disputes": func() error {
				_, err := p.Disputes(ctx, psp.DisputeQuery{From: time.Now().Add(-time.Hour), To: time.Now(),
					After: "du_1", Limit: 10})
				return err
			},
			"payouts": func() error {
				_, err := p.Payouts(ctx, psp.PayoutQuery{From: time.Now().Add(-time.Hour), To: time.Now(),
					After: "po_1", Limit: 10})
				return err
			},
			"warnings": func() error {
				_, err := p.FraudWarnings(ctx, psp.FraudWarningQuery{From: time.Now().Add(-time.Hour), To: time.Now(),
					After: "issfr_1", Limit: 10})
				return err
			},
			"reversals": func() error { _, err := p.Reversals(ctx, "pi_1"); return err },
			"update": func() error {
				return p.UpdateCustomer(ctx, "cus_1", "u", map[string]string{"state": "1", "note": ""})
			},
			"customers": func() error {
				_, err := p.Customers(ctx,
					psp.CustomerQuery{From: time.Now().Add(-time.Hour), To: time.Now(), After: "cus_1", Limit: 10})
				return err
			},
			"payment":  func() error { _, err := p.Payment(ctx, "pi_1"); return err },
			"approval": func() error { _, _ = p.Approval(ctx, "pi_1"); return nil },
			"card":     func() error { _, err := p.Card(ctx, "pm_1"); return err },
			"cancel":   func() error { _, err := p.CancelPayment(ctx, "pi_1", "x"); return err },
		} {
			before := pub.seen
			if err := call(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if pub.seen == before {
				t.Errorf("%s sent no request", name)
			}
		}
	})
}

// The mock server rejects unpublished parameters, so TestPublishedRequests can fail.
func TestPublishedStub_Rejects(t *testing.T) {
	pub := newPublished(t)
	for body, want := range map[string]int{
		"mode=setup&ui_mode=custom":    http.StatusOK,
		"mode=setup&ui_mode=elements":  http.StatusBadRequest,
		"mode=setup&surprise=1":        http.StatusBadRequest,
		"mode=bogus":                   http.StatusBadRequest,
		"mode=setup&expires_at=monday": http.StatusBadRequest,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost,
			"https://processor.example/v1/checkout/sessions",
			bytes.NewBufferString(body))
		r.Header.Set("Authorization", "Bearer sk_test_123")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Stripe-Version", psp.Version)
		w := httptest.NewRecorder()
		pub.stub.HandleRequest(w, r)
		if w.Code != want {
			t.Errorf("%s: %d, want %d: %s", body, w.Code, want, w.Body)
		}
	}
}
