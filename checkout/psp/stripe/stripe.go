// Package stripe implements psp.Processor with stripe-go.
//
// Every request carries the pinned API version (psp.Version), regardless of the
// library's default, and every request that changes something carries an
// idempotency key that the caller derived from durable data. The library's own
// retries are disabled. Requests other than charges are sent up to three times,
// as Stripe advises; settlement decides whether a charge is sent again. No error
// contains Stripe's message, which may include an address or a client secret;
// errors contain the type, code, status and request ID.
package stripe

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Timeout limits one call including its retries.
const Timeout = 30 * time.Second

// Options configure a Processor.
type Options struct {
	// Key is the secret key; its prefix determines the mode. Required.
	Key string
	// RefundKey is a key of the same mode that creates refunds instead of Key; "" for none.
	RefundKey string
	// Now is the clock for NotAfter. Required.
	Now func() time.Time
	// Transport sends the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Wait sleeps between two attempts; nil uses the system clock.
	Wait func(context.Context, time.Duration) error
	// BaseURL replaces Stripe's URL, for a simulator.
	BaseURL string
}

// Processor implements psp.Processor.
type Processor struct {
	mode   psp.Mode
	now    func() time.Time
	client client
}

var _ psp.Processor = (*Processor)(nil)

// New returns a Processor. It fails with code Invalid if the key's mode is
// unknown, if the refund key has another mode, or if the clock is missing.
func New(o Options) (*Processor, error) {
	mode, err := modeOf(o.Key)
	if err != nil {
		return nil, err
	}
	o.RefundKey = cmp.Or(o.RefundKey, o.Key)
	if refunding, err := modeOf(o.RefundKey); err != nil || refunding != mode {
		return nil, fault.New(fault.Invalid, "The refund key must be a secret key of the same mode").In("RefundKey")
	}
	if o.Now == nil {
		return nil, fault.New(fault.Invalid, "A clock is required").In("Now")
	}
	next := o.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	wait := o.Wait
	if wait == nil {
		wait = sleep
	}
	backend := &stripego.BackendConfig{
		HTTPClient: &http.Client{Transport: retryTransport{next: pinTransport{next: next, now: o.Now},
			now: o.Now, wait: wait}, Timeout: Timeout},
		MaxNetworkRetries: stripego.Int64(0),
		EnableTelemetry:   new(false),
		LeveledLogger:     &stripego.LeveledLogger{Level: stripego.LevelNull},
	}
	if o.BaseURL != "" {
		backend.URL = stripego.String(strings.TrimSuffix(o.BaseURL, "/"))
	}
	return &Processor{mode: mode, now: o.Now,
		client: newClient(o.Key, o.RefundKey, stripego.GetBackendWithConfig(stripego.APIBackend, backend))}, nil
}

func modeOf(key string) (psp.Mode, error) {
	for prefix, mode := range map[string]psp.Mode{
		"sk_test_": psp.Test, "rk_test_": psp.Test, "sk_live_": psp.Live, "rk_live_": psp.Live,
	} {
		if strings.HasPrefix(key, prefix) {
			return mode, nil
		}
	}
	return "", fault.New(fault.Invalid, "A secret key begins with sk_test_, sk_live_, rk_test_ or rk_live_").In("Key")
}

// Mode implements psp.Processor.
func (p *Processor) Mode() psp.Mode { return p.mode }
