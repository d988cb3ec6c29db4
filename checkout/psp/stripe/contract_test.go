package stripe_test

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/psptest/wiretest"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
)

// The adapter with the real library passes the contract test against the simulator.
//
// Proves CHK-01, CHK-24: a session that saves a card is one in setup mode.
func TestContract(t *testing.T) {
	psptest.Run(t, psptest.Harness{New: func(t testing.TB) (psp.Processor, psptest.Bench) {
		b := psptest.NewSimBench(func(o *sim.Options) { o.APIKey = "sk_test_local" })
		p, err := stripe.New(stripe.Options{
			Key: "sk_test_local", Now: b.Now, BaseURL: "http://processor.invalid",
			Transport: simhttp.NewTransport(b.Sim, simhttp.Options{Vendor: "Stripe"}),
			Wait:      func(context.Context, time.Duration) error { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return p, b
	}})
}

func TestWire(t *testing.T) { wiretest.Run(t, wiretest.Maker(adapters["stripe"])) }
