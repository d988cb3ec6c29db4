package psptest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var ctx = context.Background()

func mode(t testing.TB, p psp.Processor, b Bench) {
	if p.Mode() != psp.Test {
		t.Errorf("mode %q", p.Mode())
	}
}

func newCustomer(t testing.TB, p psp.Processor, key string) string {
	t.Helper()
	id, err := p.CreateCustomer(ctx,
		psp.NewCustomer{Key: key, Email: "ada@example.com", Metadata: map[string]string{"orderId": key}})
	if err != nil || id == "" {
		t.Fatalf("CreateCustomer: %q, %v", id, err)
	}
	return id
}

func custom(customerID, key string) psp.NewSetup {
	return psp.NewSetup{Key: key, CustomerID: customerID, UIMode: psp.Custom, Locale: "en",
		ReturnURL: "https://example.com/back?s={CHECKOUT_SESSION_ID}", Metadata: map[string]string{"orderId": "o-1",
			"hasPhysical": "true"}}
}

func start(t testing.TB, p psp.Processor, s psp.NewSetup) psp.Session {
	t.Helper()
	ses, err := p.StartSetup(ctx, s)
	if err != nil {
		t.Fatalf("no session: %v", err)
	}
	return ses
}

func read(t testing.TB, p psp.Processor, id string) psp.Session {
	t.Helper()
	ses, err := p.Session(ctx, id)
	if err != nil {
		t.Fatalf("Session: %v", err)
	}
	return ses
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if err == nil || fault.Of(err) == nil || fault.CodeOf(err) != code {
		t.Errorf("error %v (%s), want %s", err, fault.CodeOf(err), code)
	}
}

func customerKey(t testing.TB, p psp.Processor, b Bench) {
	one, again, other := newCustomer(t, p, "a"), newCustomer(t, p, "a"), newCustomer(t, p, "b")
	if one != again || one == other {
		t.Errorf("keys a, a, b created %s, %s, %s", one, again, other)
	}
	_, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "a", Email: "other@example.com"})
	wantCode(t, err, fault.Invalid)
}

func keyRequired(t testing.TB, p psp.Processor, b Bench) {
	cus := newCustomer(t, p, "a")
	ses := start(t, p, custom(cus, "s"))
	before := b.Received()
	_, err := p.CreateCustomer(ctx, psp.NewCustomer{Email: "ada@example.com"})
	wantCode(t, err, fault.Invalid)
	_, err = p.StartSetup(ctx, custom(cus, ""))
	wantCode(t, err, fault.Invalid)
	_, err = p.ExpireSession(ctx, ses.ID, "")
	wantCode(t, err, fault.Invalid)
	wantCode(t, p.DetachCard(ctx, "pm_1", ""), fault.Invalid)
	wantCode(t, p.UpdateCustomer(ctx, cus, "", map[string]string{"state": "1"}), fault.Invalid)
	if sent := b.Received() - before; sent != 0 {
		t.Errorf("%d requests were sent without a key", sent)
	}
}

func setupCustom(t testing.TB, p psp.Processor, b Bench) {
	cus := newCustomer(t, p, "a")
	n := custom(cus, "s")
	n.Expires = b.Now().Add(2 * time.Hour).Truncate(time.Second)
	// URLs of the other mode are ignored.
	n.SuccessURL, n.CancelURL = "https://example.com/ok", "https://example.com/no"
	ses := start(t, p, n)
	again := read(t, p, ses.ID)
	checkOpen(t, ses, n)
	checkOpen(t, again, n)
	if ses.ClientSecret == "" || ses.URL != "" {
		t.Errorf("custom session: client secret %q, URL %q", ses.ClientSecret, ses.URL)
	}
	if again.ClientSecret != ses.ClientSecret {
		t.Errorf("client secret changed to %q from %q", again.ClientSecret, ses.ClientSecret)
	}
}

func checkOpen(t testing.TB, ses psp.Session, n psp.NewSetup) {
	t.Helper()
	if ses.ID == "" || ses.Status != psp.Open || ses.Mode != psp.Test {
		t.Errorf("not an open test-mode session: %+v", ses)
	}
	if !ses.Expires.Equal(n.Expires) {
		t.Errorf("expires at %v, want %v", ses.Expires, n.Expires)
	}
	if diff := cmp.Diff(n.Metadata, ses.Metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if ses.PaymentMethodID != "" || !ses.CompletedAt.IsZero() {
		t.Errorf("an open session has a card: %+v", ses)
	}
}

func setupHosted(t testing.TB, p psp.Processor, b Bench) {
	cus := newCustomer(t, p, "a")
	n := custom(cus, "s")
	n.UIMode, n.SuccessURL, n.CancelURL = psp.Hosted, "https://example.com/ok", "https://example.com/no"
	n.Expires = b.Now().Add(time.Hour).Truncate(time.Second)
	ses := start(t, p, n)
	checkOpen(t, ses, n)
	if ses.URL == "" || ses.ClientSecret != "" {
		t.Errorf("hosted session: URL %q, client secret %q", ses.URL, ses.ClientSecret)
	}
	if again := read(t, p, ses.ID); again.URL != ses.URL {
		t.Errorf("URL changed to %q from %q", again.URL, ses.URL)
	}
}

func setupKey(t testing.TB, p psp.Processor, b Bench) {
	cus := newCustomer(t, p, "a")
	one, again, other := start(t, p, custom(cus, "s")), start(t, p, custom(cus, "s")), start(t, p, custom(cus, "s2"))
	if one.ID != again.ID || one.ID == other.ID {
		t.Errorf("keys s, s, s2 created %s, %s, %s", one.ID, again.ID, other.ID)
	}
}

func setupNotCharged(t testing.TB, p psp.Processor, b Bench) {
	saveCard(t, p, b, "a", Good)
	if got := b.Books(); len(got) != 0 {
		t.Errorf("saving a card charged %v", got)
	}
}

// saveCard creates a customer with a saved card.
func saveCard(t testing.TB, p psp.Processor, b Bench, key string, card Card) psp.Session {
	t.Helper()
	ses := start(t, p, custom(newCustomer(t, p, "customer-"+key), "setup-"+key))
	b.Complete(t, ses.ID, card)
	ses = read(t, p, ses.ID)
	if ses.Status != psp.Complete {
		t.Fatalf("session status after the card was entered: %s", ses.Status)
	}
	return ses
}

func setupComplete(t testing.TB, p psp.Processor, b Bench) {
	cus := newCustomer(t, p, "a")
	n := custom(cus, "s")
	started := b.Now().Truncate(time.Second)
	ses := start(t, p, n)
	b.Advance(10 * time.Minute)
	b.Complete(t, ses.ID, Good)
	ses = read(t, p, ses.ID)
	if ses.Status != psp.Complete || ses.CustomerID != cus || ses.SetupIntentID == "" || ses.PaymentMethodID == "" {
		t.Errorf("not a complete session of %s: %+v", cus, ses)
	}
	if l, hasLabel := b.(Labeller); hasLabel && ses.Card != l.Label() {
		t.Errorf("card %+v, want %+v", ses.Card, l.Label())
	}
	if diff := cmp.Diff(n.Metadata, ses.Metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if at := ses.CompletedAt; !at.IsZero() && (at.Before(started) || at.After(b.Now())) {
		t.Errorf("completed at %v, want between %v and %v", at, started, b.Now())
	}
}

func setupExpires(t testing.TB, p psp.Processor, b Bench) {
	n := custom(newCustomer(t, p, "a"), "s")
	n.Expires = b.Now().Add(time.Hour).Truncate(time.Second)
	ses := start(t, p, n)
	b.Advance(61 * time.Minute)
	if ses = read(t, p, ses.ID); ses.Status != psp.Expired {
		t.Errorf("session status after its expiry: %s", ses.Status)
	}
}

func unknownIDs(t testing.TB, p psp.Processor, b Bench) {
	_, err := p.Session(ctx, "cs_test_nobody")
	wantCode(t, err, fault.NotFound)
	_, err = p.ExpireSession(ctx, "cs_test_nobody", "k")
	wantCode(t, err, fault.NotFound)
	_, err = p.Payment(ctx, "pi_nobody")
	wantCode(t, err, fault.NotFound)
	_, err = p.StartSetup(ctx, custom("cus_nobody", "k2"))
	wantCode(t, err, fault.NotFound)
}

func expireOpen(t testing.TB, p psp.Processor, b Bench) {
	ses := start(t, p, custom(newCustomer(t, p, "a"), "s"))
	got, err := p.ExpireSession(ctx, ses.ID, "x")
	if err != nil || got.Status != psp.Expired || got.ID != ses.ID {
		t.Errorf("got %+v, %v", got, err)
	}
	if got = read(t, p, ses.ID); got.Status != psp.Expired {
		t.Errorf("session status: %s", got.Status)
	}
}

func expireLate(t testing.TB, p psp.Processor, b Bench) {
	want := saveCard(t, p, b, "a", Good)
	got, err := p.ExpireSession(ctx, want.ID, "x")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("expiring a complete session (-want +got):\n%s", diff)
	}
}

func expireTwice(t testing.TB, p psp.Processor, b Bench) {
	ses := start(t, p, custom(newCustomer(t, p, "a"), "s"))
	for _, key := range []string{"x", "x", "y"} {
		got, err := p.ExpireSession(ctx, ses.ID, key)
		if err != nil || got.Status != psp.Expired {
			t.Errorf("key %s: %+v, %v", key, got, err)
		}
	}
}

// calls returns calls of methods that return an error, by method name.
func calls(p psp.Processor, ses psp.Session, payment string) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"CreateCustomer": func(ctx context.Context) error {
			_, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "new-customer", Email: "ada@example.com"})
			return err
		},
		"StartSetup": func(ctx context.Context) error {
			_, err := p.StartSetup(ctx, custom(ses.CustomerID, "new-setup"))
			return err
		},
		"Session": func(ctx context.Context) error {
			_, err := p.Session(ctx, ses.ID)
			return err
		},
		"ExpireSession": func(ctx context.Context) error {
			_, err := p.ExpireSession(ctx, ses.ID, "new-end")
			return err
		},
		"FindCharge": func(ctx context.Context) error {
			_, err := p.FindCharge(ctx, ses.CustomerID, group)
			return err
		},
		"Payment": func(ctx context.Context) error {
			_, err := p.Payment(ctx, payment)
			return err
		},
		"Card": func(ctx context.Context) error {
			_, err := p.Card(ctx, ses.PaymentMethodID)
			return err
		},
		"Reversals": func(ctx context.Context) error {
			_, err := p.Reversals(ctx, payment)
			return err
		},
		"BalanceTransactions": func(ctx context.Context) error {
			_, err := p.BalanceTransactions(ctx, psp.BalanceQuery{Limit: 10})
			return err
		},
		"Disputes": func(ctx context.Context) error {
			_, err := p.Disputes(ctx, psp.DisputeQuery{Limit: 10})
			return err
		},
		"Payouts": func(ctx context.Context) error {
			_, err := p.Payouts(ctx, psp.PayoutQuery{Limit: 10})
			return err
		},
		"FraudWarnings": func(ctx context.Context) error {
			_, err := p.FraudWarnings(ctx, psp.FraudWarningQuery{Limit: 10})
			return err
		},
		"UpdateCustomer": func(ctx context.Context) error {
			return p.UpdateCustomer(ctx, ses.CustomerID, "new-update", map[string]string{"state": "1"})
		},
		"Customers": func(ctx context.Context) error {
			_, err := p.Customers(ctx, psp.CustomerQuery{From: ses.Expires.AddDate(0, 0, -2), To: ses.Expires,
				Limit: 10})
			return err
		},
	}
}

// maxAttempts is more than the number of requests that an adapter sends for one call.
const maxAttempts = 8

// breakFor injects a fault into the next call, including its retries.
func breakFor(t testing.TB, b Bench, f Fault) {
	t.Helper()
	for range maxAttempts {
		b.Break(t, f)
	}
}

func unavailable(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	o := p.Charge(ctx, newCharge(b, ses, "k"))
	open := start(t, p, custom(ses.CustomerID, "open"))
	open.CustomerID, open.PaymentMethodID = ses.CustomerID, ses.PaymentMethodID
	for _, f := range []Fault{RequestLost, AnswerLost, AnswerCut, AnswerBad, Proxy, Limited} {
		for name, call := range calls(p, open, o.Payment.ID) {
			before := b.Received()
			breakFor(t, b, f)
			if err := call(ctx); !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s with %s: %v, want unavailable", name, f, err)
			}
			if b.Received()-before > maxAttempts {
				t.Errorf("%s with %s: retried without limit", name, f)
			}
			b.Clear()
		}
	}
}

func canceledCalls(t testing.TB, p psp.Processor, b Bench) {
	ses := saveCard(t, p, b, "a", Good)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for name, call := range calls(p, ses, "pi_any") {
		if err := call(canceled); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v, want unavailable", name, err)
		}
	}
}
