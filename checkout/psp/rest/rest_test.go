package rest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/rest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
)

// over is a Sender on net/http, as a Worker's is on fetch.
type over struct{ http.RoundTripper }

func (o over) Send(ctx context.Context, r rest.Request) (rest.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return rest.Response{}, err
	}
	for k, v := range r.Header {
		req.Header.Set(k, v)
	}
	res, err := o.RoundTrip(req)
	if err != nil {
		return rest.Response{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return rest.Response{Status: res.StatusCode, Header: res.Header.Get, Body: body}, err
}

func noWait(context.Context, time.Duration) error { return nil }

func TestContract(t *testing.T) {
	psptest.Run(t, psptest.Harness{New: func(t testing.TB) (psp.Processor, psptest.Bench) {
		b := psptest.NewSimBench(func(o *sim.Options) { o.APIKey = "sk_test_local" })
		p, err := rest.New(rest.Options{
			Key: "sk_test_local", Now: b.Now, BaseURL: "http://processor.invalid/", Wait: noWait,
			Sender: over{simhttp.NewTransport(b.Sim, simhttp.Options{Vendor: "Stripe"})},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p, b
	}})
}
