package simhttp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// Pump delivers the webhooks of a simulator.
type Pump struct {
	Sim    *sim.Sim
	Client *http.Client // its Timeout is how long an endpoint may take
	Options
}

// Once makes every delivery that is due, one after another, and returns how
// many were accepted.
func (p Pump) Once(ctx context.Context) (accepted int) {
	for _, d := range p.Sim.Due() {
		if ctx.Err() != nil {
			return accepted
		}
		status := p.post(ctx, d)
		if ctx.Err() != nil && status == 0 {
			return accepted // the pump was stopped: that was no attempt
		}
		p.Sim.Done(d, status)
		if status >= 200 && status <= 299 {
			accepted++
		}
	}
	return accepted
}

// post returns the status of the answer, or 0 when there was none.
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
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxBody)) // only so that the connection can be used again
	return res.StatusCode
}

// Run delivers until ctx ends, looking for work at every interval.
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
