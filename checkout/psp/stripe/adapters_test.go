package stripe_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/rest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
)

// newAdapter creates an adapter on a transport.
type newAdapter func(transport http.RoundTripper, now func() time.Time,
	wait func(context.Context, time.Duration) error) (psp.Processor, error)

// adapters are the two adapters for this processor. They send the same requests.
var adapters = map[string]newAdapter{
	"stripe": func(tr http.RoundTripper, now func() time.Time,
		wait func(context.Context, time.Duration) error) (psp.Processor, error) {
		return stripe.New(stripe.Options{Key: "sk_test_123", Now: now, Transport: tr, Wait: wait})
	},
	"rest": func(tr http.RoundTripper, now func() time.Time,
		wait func(context.Context, time.Duration) error) (psp.Processor, error) {
		return rest.New(rest.Options{Key: "sk_test_123", Now: now, Sender: overhttp.New(tr, time.Minute), Wait: wait})
	},
}

func forEachAdapter(t *testing.T, test func(t *testing.T, m newAdapter)) {
	t.Helper()
	for name, m := range adapters {
		t.Run(name, func(t *testing.T) { test(t, m) })
	}
}

func makeAdapter(t *testing.T, m newAdapter, tr http.RoundTripper, now func() time.Time) psp.Processor {
	t.Helper()
	p, err := m(tr, now, func(context.Context, time.Duration) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return p
}
