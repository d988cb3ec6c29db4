package simhttp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Pump delivers a simulator's webhooks.
type Pump struct {
	Sim    *sim.Sim
	Client *http.Client // its Timeout limits each delivery
	Options
}

// Once attempts all due deliveries sequentially and returns how many were accepted.
func (p Pump) Once(ctx context.Context) (accepted int) {
	for _, d := range p.Sim.Due() {
		if ctx.Err() != nil {
			return accepted
		}
		status := p.post(ctx, d)
		if ctx.Err() != nil && status == 0 {
			return accepted // the pump was stopped, which does not count as an attempt
		}
		p.Sim.RecordResponse(d, status)
		if status >= 200 && status <= 299 {
			accepted++
		}
	}
	return accepted
}

// post makes a delivery and returns the response's status, or 0 if there was no response.
func (p Pump) post(ctx context.Context, d sim.Delivery) int {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return 0
	}
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.Header.Set(p.SignatureHeader(), d.Signature)
	res, err := p.Client.Do(r)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxBody)) // drain the body so that the connection can be reused
	return res.StatusCode
}

// Run delivers until ctx ends, checking for due deliveries at every interval.
func (p Pump) Run(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		p.Once(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
