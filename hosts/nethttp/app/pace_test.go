package app

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/pace"
)

// Wants returns the share of a limit that was used, and the whole limit if a call has to wait.
func TestBudget_Request(t *testing.T) {
	b := newBudget(pace.Limits{Account: 100, Operation: 20})
	for range 10 { // in the five seconds between heartbeats
		if err := b.wait(t.Context(), psp.OpCharge); err != nil {
			t.Fatal(err)
		}
	}
	if w := b.Wants(); w[psp.OpCharge] != 100 || w[pace.Account] != 20 || w[psp.OpStartSetup] != 0 {
		t.Errorf("wants = %v", w)
	}
	if w := b.Wants(); w[psp.OpCharge] != 0 {
		t.Errorf("wants of an idle server = %v", w)
	}

	b.Grant(pace.Parts{}) // one per second
	ctx, stop := context.WithCancel(t.Context())
	waits := make(chan error)
	go func() {
		var err error
		for err == nil {
			err = b.wait(ctx, psp.OpCharge)
		}
		waits <- err
	}()
	for b.Wants()[psp.OpCharge] != pace.Whole {
		time.Sleep(time.Millisecond)
	}
	stop()
	if err := <-waits; err == nil {
		t.Error("a canceled call continued")
	}
}

// A share determines the rate and the burst. Without a share, the minimum applies.
func TestBudget_Grant(t *testing.T) {
	b := newBudget(pace.Limits{Account: 100, Operation: 20})
	for _, tt := range []struct {
		name  string
		parts pace.Parts
		rate  float64
		burst int
	}{
		{"the whole", pace.Parts{psp.OpCharge: pace.Whole}, 20, 10},
		{"a half", pace.Parts{psp.OpCharge: 500}, 10, 5},
		{"next to nothing", pace.Parts{psp.OpCharge: 3}, 1, 1},
		{"nothing", nil, 1, 1},
	} {
		b.Grant(tt.parts)
		if got := b[psp.OpCharge].limiter; float64(got.Limit()) != tt.rate || got.Burst() != tt.burst {
			t.Errorf("%s: %v per second, burst %d", tt.name, got.Limit(), got.Burst())
		}
	}
}
