package sim_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A storm affects the configured number of a thousand calls, and a zero storm affects none.
func TestStorm_Rate(t *testing.T) {
	for _, tt := range []struct{ calls, least, most int }{
		{0, 0, 0}, {1, 1, 12}, {500, 1400, 1600}, {999, 2988, 2999}, {1000, 3000, 3000},
	} {
		s := sim.New(sim.Options{Seed: 1, NoLimits: true})
		if err := s.SetStorm(sim.Storm{Calls: tt.calls, Kinds: []sim.FaultKind{sim.BadGateway}}); err != nil {
			t.Fatal(err)
		}
		struck := 0
		for range 3000 {
			if s.Serve(call("GET", "/v1/account", "", "")).Status == 502 {
				struck++
			}
		}
		if struck < tt.least || struck > tt.most {
			t.Errorf("rate %d of 1000: %d of 3000 calls affected, want %d to %d", tt.calls, struck, tt.least, tt.most)
		}
	}
}

func TestStorm_InvalidRates(t *testing.T) {
	s := sim.New(sim.Options{})
	for _, tt := range []struct {
		storm sim.Storm
		want  fault.Code
	}{
		{sim.Storm{}, ""},
		{sim.Storm{Calls: 1000, Hooks: 1000}, ""},
		{sim.Storm{Calls: 1001}, fault.Invalid},
		{sim.Storm{Calls: -1}, fault.Invalid},
		{sim.Storm{Hooks: 1001}, fault.Invalid},
		{sim.Storm{Hooks: -1}, fault.Invalid},
	} {
		if err := s.SetStorm(tt.storm); fault.CodeOf(err) != tt.want {
			t.Errorf("%+v: %v, want %q", tt.storm, err, tt.want)
		}
	}
}

// A storm's delay is configurable and defaults to a minute.
func TestStorm_Delay(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: time.Minute, 5 * time.Second: 5 * time.Second} {
		s := sim.New(sim.Options{})
		if err := s.SetStorm(sim.Storm{Calls: 1000, Kinds: []sim.FaultKind{sim.Delay}, For: given}); err != nil {
			t.Fatal(err)
		}
		if a := s.Serve(call("GET", "/v1/account", "", "")); a.Wait != want {
			t.Errorf("For %v: response delayed by %v, want %v", given, a.Wait, want)
		}
	}
}

// A storm of declines affects charges only.
func TestStorm_Declines(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	cus, pm := saveCard(t, s, sim.CardOK)
	form := "amount=100&currency=usd&customer=" + cus + "&payment_method=" + pm
	waiting := id(t, s.Serve(call("POST", "/v1/payment_intents", form, "")))
	if err := s.SetStorm(sim.Storm{Calls: 1000, Kinds: []sim.FaultKind{sim.Decline}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		method, path, form string
		status             int
	}{
		{"GET", "account", "", 200},
		{"POST", "customers", "", 200},
		{"POST", "payment_intents", form + "&confirm=true", 402},
		{"POST", "payment_intents/" + waiting + "/confirm", "", 402},
		{"GET", "payment_intents", "", 200},
	} {
		if a := s.Serve(call(tt.method, "/v1/"+tt.path, tt.form, "")); a.Status != tt.status {
			t.Errorf("%s %s: %d %s, want %d", tt.method, tt.path, a.Status, a.Body, tt.status)
		}
	}
	if err := s.SetStorm(sim.Storm{}); err != nil {
		t.Fatal(err)
	}
	if o := s.Processor().Charge(ctx, charge(s, cus, pm, "k")); o.Status != psp.Succeeded {
		t.Errorf("after the storm: %+v", o)
	}
}

// In a storm, webhooks are lost, duplicated or delayed by one minute to three hours.
func TestStorm_Webhooks(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true, WebhookSecret: secret})
	if err := s.SetStorm(sim.Storm{Hooks: 1000}); err != nil {
		t.Fatal(err)
	}
	lost, twice, late, latest := 0, 0, 0, time.Duration(0)
	for range 100 {
		if a := s.Serve(call("POST", "/v1/customers", "", "")); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		start := s.Now()
		due := s.Due()
		for _, d := range due {
			s.RecordResponse(d, 200)
		}
		at, more := s.NextHook()
		switch {
		case more:
			late++
			latest = max(latest, at.Sub(start))
			if by := at.Sub(start); by < time.Minute || by > 3*time.Hour {
				t.Errorf("webhook delayed by %v", by)
			}
			s.Advance(at.Sub(start))
			for _, d := range s.Due() {
				s.RecordResponse(d, 200)
			}
		case len(due) == 0:
			lost++
		case len(due) == 2:
			twice++
		}
	}
	if lost == 0 || twice == 0 || late == 0 || latest < time.Hour {
		t.Errorf("%d lost, %d duplicated, %d delayed by up to %v", lost, twice, late, latest)
	}
}
