package sim_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// runHistory runs a fixed scenario in a storm and returns the simulator's snapshot.
func runHistory(t *testing.T, seed uint64) []byte {
	t.Helper()
	s := sim.New(sim.Options{Seed: seed, WebhookSecret: "whsec_a", AsyncCapture: true})
	if err := s.SetStorm(sim.Storm{Calls: 300, Hooks: 300}); err != nil {
		t.Fatal(err)
	}
	p := s.Processor()
	for i := range 40 {
		s.Advance(time.Minute)
		cus, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: fmt.Sprint("c", i)})
		if err != nil {
			continue
		}
		ses, err := p.StartSetup(ctx, psp.NewSetup{Key: fmt.Sprint("s", i), CustomerID: cus, UIMode: psp.Custom})
		if err != nil || s.Complete(ses.ID, sim.CardOK) != nil {
			continue
		}
		if ses, err = p.Session(ctx, ses.ID); err != nil {
			continue
		}
		for range 3 {
			p.Charge(ctx, charge(s, cus, ses.PaymentMethodID, fmt.Sprint("k", i)))
		}
		for _, d := range s.Due() {
			s.RecordResponse(d, 200+100*(i%4))
		}
	}
	s.Advance(100 * time.Hour)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	paid := map[string]int{}
	for _, e := range s.Entries() {
		paid[e.Group]++
	}
	for g, n := range paid {
		if n > 1 {
			t.Errorf("seed %d: one key charged %s %d times", seed, g, n)
		}
	}
	b, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSeed_Reproducible(t *testing.T) {
	last := []byte(nil)
	for seed := range uint64(50) {
		one, two := runHistory(t, seed), runHistory(t, seed)
		if !bytes.Equal(one, two) {
			t.Errorf("two runs of seed %d differ", seed)
		}
		if bytes.Equal(one, last) {
			t.Errorf("seed %d has the same history as the previous one", seed)
		}
		last = one
	}
}
