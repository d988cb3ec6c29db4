// Package simhttp puts the simulated processor on HTTP: as a handler that a
// real client library can be pointed at, as a round tripper that needs no
// socket, and with a pump that delivers webhooks.
//
// Beside the processor's own routes the handler has controls under /_sim/.
// They have no credentials: serve them on the loopback interface alone.
package simhttp

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Options adapt the simulator to the client that will speak to it.
type Options struct {
	// Vendor starts the names of the headers that carry the API version and the
	// signature, as "Acme" does in "Acme-Version". Empty means "Psp".
	Vendor string
	// Sleep waits for an answer that is held back, and returns ctx's error when
	// the caller stops waiting first. Nil means the machine's timer.
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

// SignatureHeader is the name of the header that signs a webhook.
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

// maxBody is the largest request that is read, in bytes.
const maxBody = 1 << 20

// readCall takes what the processor looks at out of a request.
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

// writeHeader writes the headers of an answer.
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
