// Package stripe is the processor's adapter on stripe-go.
//
// Every request carries the pinned API version (psp.Version), whatever the
// library's own default is, and every request that changes something carries a
// key that the caller made from durable data. The library's own retries are
// off. A request other than a charge is sent up to three times, as the processor
// advises; whether a charge may be sent again is settlement's decision. No error
// carries the processor's message, which may hold an address or a client
// secret; it carries the type, code, status and request ID.
package stripe

import (
	"context"
	"net/http"
	"strings"
	"time"

	stripego "github.com/stripe/stripe-go/v82"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Timeout bounds one call, with its repeats.
const Timeout = 30 * time.Second

// Options configure a Processor.
type Options struct {
	// Key is the secret key; its prefix tells the mode. Required.
	Key string
	// Now is the clock that NotAfter is held against. Required.
	Now func() time.Time
	// Transport carries the requests; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Wait waits between two sendings of a request; nil waits by the machine's clock.
	Wait func(context.Context, time.Duration) error
	// BaseURL replaces the processor's address, for a simulator.
	BaseURL string
}

// Processor implements psp.Processor.
type Processor struct {
	mode   psp.Mode
	now    func() time.Time
	client client
}

var _ psp.Processor = (*Processor)(nil)

// New returns a Processor. It fails with code Invalid when the key is of
// neither mode or the clock is missing.
func New(o Options) (*Processor, error) {
	mode, err := modeOf(o.Key)
	if err != nil {
		return nil, err
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
		HTTPClient:        &http.Client{Transport: retry{next: pin{next: next, now: o.Now}, now: o.Now, wait: wait}, Timeout: Timeout},
		MaxNetworkRetries: stripego.Int64(0),
		EnableTelemetry:   stripego.Bool(false),
		LeveledLogger:     &stripego.LeveledLogger{Level: stripego.LevelNull},
	}
	if o.BaseURL != "" {
		backend.URL = stripego.String(strings.TrimSuffix(o.BaseURL, "/"))
	}
	return &Processor{mode: mode, now: o.Now, client: clientOf(o.Key, stripego.GetBackendWithConfig(stripego.APIBackend, backend))}, nil
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
