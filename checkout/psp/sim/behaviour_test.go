package sim_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func open(t testing.TB, s *sim.Sim, key string) psp.Session {
	t.Helper()
	p := s.Processor()
	cus, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "c" + key})
	if err != nil {
		t.Fatal(err)
	}
	ses, err := p.StartSetup(ctx, psp.NewSetup{Key: "s" + key, CustomerID: cus, UIMode: psp.Custom})
	if err != nil {
		t.Fatal(err)
	}
	return ses
}

// A session in setup mode saves a card and charges nothing.
func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		card string
		want fault.Code
	}{
		{sim.CardOK, ""},
		{"4242-4242-4242-4242", ""},
		{sim.CardDeclined, fault.Conflict},
		{"4000000000000002", fault.Conflict},
		{sim.CardInsufficient, fault.Conflict},
		{sim.CardExpired, fault.Conflict},
		{sim.CardProcessingError, fault.Conflict},
		{sim.CardChargeDeclined, ""},
		{sim.CardAuthAlways, ""},
		{"decline_times:2", ""},
		{"decline_times:0", ""},
		{"decline_times:1000", ""},
		{"decline_times:1001", fault.Invalid},
		{"decline_times:-1", fault.Invalid},
		{"decline_times:many", fault.Invalid},
		{"partial:1", ""},
		{"partial:99999999", ""},
		{"partial:100000000", fault.Invalid},
		{"partial:0", fault.Invalid},
		{"partial:half", fault.Invalid},
		{sim.CardRefundPending, ""},
		{"4000 0000 0000 5126", ""},
		{"processing:1h", ""},
		{"processing:0s", fault.Invalid},
		{"processing:never", fault.Invalid},
		{"processing:-1h", fault.Invalid},
		{"process_fails:1h", ""},
		{"rolls_forward:1h", ""},
		{"unheard_of:1h", fault.Invalid},
		{"4111", fault.Invalid},
		{"", fault.Invalid},
	} {
		s := sim.New(sim.Options{})
		ses := open(t, s, "1")
		err := s.Complete(ses.ID, tt.card)
		if fault.CodeOf(err) != tt.want {
			t.Errorf("%q: %v, want %q", tt.card, err, tt.want)
		}
		got, readErr := s.Processor().Session(ctx, ses.ID)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if (got.Status == psp.Complete) != (err == nil) || (got.PaymentMethodID != "") != (err == nil) {
			t.Errorf("%q: session %+v after %v", tt.card, got, err)
		}
		if len(s.Entries()) != 0 {
			t.Errorf("%q: saving a card moved money", tt.card)
		}
	}
}

func TestComplete_EndedSessions(t *testing.T) {
	s := sim.New(sim.Options{})
	ses := open(t, s, "1")
	if err := s.Complete("cs_test_no", sim.CardOK); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if err := s.Complete(ses.ID, sim.CardDeclined); !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
	if err := s.Complete(ses.ID, sim.CardOK); err != nil {
		t.Errorf("complete with a second card after a decline: %v", err)
	}
	if err := s.Complete(ses.ID, sim.CardOK); !fault.Is(err, fault.Conflict) {
		t.Error(err)
	}
	late := open(t, s, "2")
	s.Advance(24 * time.Hour)
	if err := s.Complete(late.ID, sim.CardOK); !fault.Is(err, fault.Gone) {
		t.Error(err)
	}
}

func TestOrder_InvalidFaults(t *testing.T) {
	s := sim.New(sim.Options{})
	for field, err := range map[string]error{
		"kind":  s.InjectFaults(sim.Fault{Kind: sim.Delay}, sim.Fault{Kind: "explode"}),
		"for":   s.InjectFaults(sim.Fault{Kind: sim.Delay, For: -1}),
		"kinds": s.SetStorm(sim.Storm{Kinds: []sim.FaultKind{"explode"}}),
		"calls": s.SetStorm(sim.Storm{Calls: -1}),
	} {
		if e := fault.Of(err); e == nil || e.Code != fault.Invalid || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := s.InjectHookFaults(sim.HookFault{Kind: "explode"}); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
	// A list with one invalid fault injects none of them.
	if a := s.Serve(call("GET", "/v1/events", "", "")); a.Wait != 0 {
		t.Error("a rejected list injected a fault")
	}
}

func TestAuthenticate(t *testing.T) {
	for _, tt := range []struct {
		card    string
		want    fault.Code
		charges int
	}{
		{sim.CardAuthAlways, "", 1},
		{sim.CardOK, fault.Conflict, 1},
		{sim.CardChargeDeclined, fault.Conflict, 0},
		// The charge would succeed now, but authentication was not requested.
		{"decline_times:1", fault.Conflict, 0},
	} {
		s := sim.New(sim.Options{})
		cus, pm := saveCard(t, s, tt.card)
		o := s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
		if err := s.Authenticate(o.Payment.ID); fault.CodeOf(err) != tt.want {
			t.Errorf("%s: %v", tt.card, err)
		}
		// A payment never succeeds twice.
		if err := s.Authenticate(o.Payment.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s again: %v", tt.card, err)
		}
		if n := len(s.Entries()); n != tt.charges {
			t.Errorf("%s: %d charges, want %d", tt.card, n, tt.charges)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
	if err := sim.New(sim.Options{}).Authenticate("pi_no"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// A payment that is canceled or not yet attempted does not await authentication.
func TestAuthenticate_WrongState(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saveCard(t, s, sim.CardAuthAlways)
	canceled := s.Processor().Charge(ctx, charge(s, cus, pm, "k")).Payment.ID
	if _, err := s.Processor().CancelPayment(ctx, canceled, "cancel"); err != nil {
		t.Fatal(err)
	}
	untried := id(t, s.Serve(call("POST", "/v1/payment_intents", "amount=100&currency=usd&customer="+cus, "")))
	for _, payment := range []string{canceled, untried} {
		if err := s.Authenticate(payment); !fault.Is(err, fault.Conflict) {
			t.Error(err)
		}
	}
	if n := len(s.Entries()); n != 0 {
		t.Errorf("%d charges", n)
	}
}

func TestDelay(t *testing.T) {
	for wait, want := range map[time.Duration]psp.Status{30*time.Second - 1: psp.Succeeded,
		30 * time.Second: psp.Unknown, time.Minute: psp.Unknown} {
		s := sim.New(sim.Options{Timeout: 30 * time.Second})
		cus, pm := saveCard(t, s, sim.CardOK)
		if err := s.InjectFaults(sim.Fault{Kind: sim.Delay, For: wait}); err != nil {
			t.Fatal(err)
		}
		c := charge(s, cus, pm, "k")
		if o := s.Processor().Charge(ctx, c); o.Status != want {
			t.Errorf("response after %v: %s", wait, o.Status)
		}
		s.Advance(wait)
		if o := s.Processor().Charge(ctx, c); o.Status != psp.Succeeded || len(s.Entries()) != 1 {
			t.Errorf("repeated key: %+v", o)
		}
	}
}

func count(s *sim.Sim, kind psp.EventType) int {
	n := 0
	for _, d := range s.Due() {
		if d.Type == kind {
			n++
		}
	}
	return n
}

// Setting the clock back does not block the caller.
func TestLimits_ClockSetBack(t *testing.T) {
	s := sim.New(sim.Options{})
	for range 25 {
		s.Serve(call("GET", "/v1/events", "", ""))
	}
	s.Advance(-10 * time.Minute)
	if a := s.Serve(call("GET", "/v1/events", "", "")); a.Status != 200 {
		t.Errorf("%d %s", a.Status, a.Limited)
	}
}

// Redeliver re-signs a queued delivery and returns a finished one unchanged.
func TestRedeliver(t *testing.T) {
	s := sim.New(sim.Options{WebhookSecret: "whsec_a"})
	open(t, s, "1")
	d := s.Due()[0]
	s.Advance(time.Hour)
	again := s.Redeliver(d)
	if _, err := sim.Verify(again.Body, again.Signature, "whsec_a", s.Now()); err != nil || again.ID != d.ID {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := sim.Verify(d.Body, d.Signature, "whsec_a", s.Now()); err == nil {
		t.Error("the first signature is still valid after an hour")
	}
	s.RecordResponse(d, 200)
	if last := s.Redeliver(d); last.Signature != d.Signature {
		t.Errorf("%+v is re-signed", last)
	}
}

func TestLiveMode(t *testing.T) {
	s := sim.New(sim.Options{Mode: psp.Live, WebhookSecret: "whsec_a"})
	ses := open(t, s, "1")
	if s.Mode() != psp.Live || s.Processor().Mode() != psp.Live || ses.Mode != psp.Live {
		t.Errorf("session %+v", ses)
	}
	d := s.Due()[0]
	h, err := sim.Verify(d.Body, d.Signature, "whsec_a", s.Now())
	if err != nil || h.Mode != psp.Live {
		t.Errorf("%+v, %v", h, err)
	}
}
