package rest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest/wiretest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/rest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func noWait(context.Context, time.Duration) error { return nil }

// Proves CHK-01, CHK-24, MON-11: a session that saves a card is one in setup mode.
func TestContract(t *testing.T) {
	psptest.Run(t, psptest.Harness{New: func(t testing.TB) (psp.Processor, psptest.Bench) {
		b := psptest.NewSimBench(func(o *sim.Options) { o.APIKey = "sk_test_local" })
		p, err := rest.New(rest.Options{
			Key: "sk_test_local", Now: b.Now, BaseURL: "http://processor.invalid/", Wait: noWait,
			Sender: overhttp.New(simhttp.NewTransport(b.Sim, simhttp.Options{Vendor: "Stripe"}), time.Minute),
		})
		if err != nil {
			t.Fatal(err)
		}
		return p, b
	}})
}

func TestWire(t *testing.T) {
	wiretest.Run(t, func(tr http.RoundTripper, now func() time.Time,
		wait func(context.Context, time.Duration) error) (psp.Processor, error) {
		return rest.New(rest.Options{Key: "sk_test_1", Now: now, Sender: overhttp.New(tr, time.Minute), Wait: wait})
	})
}

func TestOptions(t *testing.T) {
	good := rest.Options{Key: "sk_test_1", Now: time.Now, Sender: overhttp.New(nil, time.Minute), Wait: noWait}
	for name, tt := range map[string]struct {
		change func(*rest.Options)
		want   psp.Mode
	}{
		"all there":        {func(*rest.Options) {}, psp.Test},
		"restricted key":   {func(o *rest.Options) { o.Key = "rk_live_1" }, psp.Live},
		"live key":         {func(o *rest.Options) { o.Key = "sk_live_1" }, psp.Live},
		"browser's key":    {func(o *rest.Options) { o.Key = "pk_test_1" }, ""},
		"no clock":         {func(o *rest.Options) { o.Now = nil }, ""},
		"no wait function": {func(o *rest.Options) { o.Wait = nil }, ""},
		"no sender":        {func(o *rest.Options) { o.Sender = nil }, ""},
	} {
		o := good
		tt.change(&o)
		p, err := rest.New(o)
		if tt.want == "" {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || p.Mode() != tt.want {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}
