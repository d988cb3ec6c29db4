// Package simhttp serves the simulated processor over HTTP: as a handler for a
// real client library, as a round tripper without a socket, and with a pump that
// delivers webhooks.
//
// In addition to the processor's routes, the handler has controls under /_sim/.
// They require no credentials: serve them on the loopback interface only.
package simhttp

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Options adapt the simulator to the client library.
type Options struct {
	// Vendor is the prefix of the headers for the API version and the signature,
	// such as "Acme" in "Acme-Version". Empty means "Psp".
	Vendor string
	// Sleep waits for a delayed response and returns ctx's error if ctx ends
	// first. Nil uses a timer.
	Sleep func(ctx context.Context, d time.Duration) error
}

func (o Options) resolved() Options {
	if o.Vendor == "" {
		o.Vendor = "Psp"
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return o
}

func (o Options) header(name string) string { return o.Vendor + "-" + name }

// SignatureHeader returns the name of the header with a webhook's signature.
func (o Options) SignatureHeader() string { return o.resolved().header("Signature") }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxBody is the maximum size of a request, in bytes.
const maxBody = 1 << 20

// readCall extracts a Call from a request.
func readCall(r *http.Request, o Options) (sim.Call, error) {
	c := sim.Call{Method: r.Method, Path: r.URL.Path, Form: r.URL.RawQuery,
		Version: r.Header.Get(o.header("Version")), Key: r.Header.Get("Idempotency-Key")}
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		c.APIKey = key
	} else if user, _, ok := r.BasicAuth(); ok {
		c.APIKey = user
	}
	if r.Method != http.MethodPost || r.Body == nil {
		return c, nil
	}
	b, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	c.Form = string(b)
	return c, err
}

// writeHeader sets a response's headers.
func writeHeader(h http.Header, a sim.Answer, o Options, key string) {
	h.Set("Content-Type", "application/json")
	if !a.Date.IsZero() {
		h.Set("Date", a.Date.UTC().Format(http.TimeFormat))
	}
	if a.HTML {
		h.Set("Content-Type", "text/html")
		return
	}
	pairs := [][2]string{{"Request-Id", a.RequestID}, {o.header("Rate-Limited-Reason"), a.Limited},
		{o.header("Should-Retry"), a.Retry}, {"Idempotency-Key", key}}
	if a.Replayed {
		pairs = append(pairs, [2]string{"Idempotent-Replayed", "true"})
	}
	for _, p := range pairs {
		if p[1] != "" {
			h.Set(p[0], p[1])
		}
	}
}
