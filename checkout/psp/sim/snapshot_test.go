package sim_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestSnapshot(t *testing.T) {
	old := sim.New(sim.Options{Seed: 3, WebhookSecret: "whsec_a"})
	cus, pm := saved(t, old, sim.CardOK)
	c := charge(old, cus, pm, "k")
	first := old.Processor().Charge(ctx, c)
	if err := old.Order(sim.Fault{Kind: sim.Decline}); err != nil {
		t.Fatal(err)
	}
	old.Advance(time.Hour)
	b, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	fresh := sim.New(sim.Options{Seed: 4})
	if err := fresh.Restore(b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(old.Books(), fresh.Books()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(old.Due(), fresh.Due()); diff != "" {
		t.Error(diff)
	}
	for _, s := range []*sim.Sim{old, fresh} {
		if again := s.Processor().Charge(ctx, c); again.Payment.ID != first.Payment.ID {
			t.Errorf("the key was forgotten: %+v", again)
		}
	}
	c.Key = "k2"
	one, two := old.Processor().Charge(ctx, c), fresh.Processor().Charge(ctx, c)
	if one.Status != psp.Declined || one.Payment.ID != two.Payment.ID {
		t.Errorf("the ordered fault or the seed's place was lost: %+v and %+v", one, two)
	}
	if err := fresh.Check(); err != nil {
		t.Error(err)
	}
	once, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := fresh.Snapshot(); err != nil || !bytes.Equal(once, twice) {
		t.Errorf("the restored state went another way: %v", err)
	}
}

// A host that restarts may listen elsewhere and have another secret.
func TestRestoreMovesTheEndpoint(t *testing.T) {
	old := sim.New(sim.Options{WebhookSecret: "whsec_a", WebhookURL: "http://127.0.0.1:1/hook"})
	open(t, old, "1")
	b, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	fresh := sim.New(sim.Options{WebhookSecret: "whsec_b", WebhookURL: "http://127.0.0.1:2/hook"})
	if err := fresh.Restore(b); err != nil {
		t.Fatal(err)
	}
	due := fresh.Due()
	if len(due) != 1 || due[0].URL != "http://127.0.0.1:2/hook" {
		t.Fatalf("%+v", due)
	}
	if _, err := sim.Verify(due[0].Body, due[0].Signature, "whsec_b", fresh.Now()); err != nil {
		t.Error(err)
	}
}

func TestRestoreRefuses(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saved(t, s, sim.CardOK)
	s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
	good, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	without := func(part string) []byte {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(good, &m); err != nil {
			t.Fatal(err)
		}
		m[part] = []byte("{}")
		b, _ := json.Marshal(m)
		return b
	}
	live, _ := sim.New(sim.Options{Mode: psp.Live}).Snapshot()
	for name, b := range map[string][]byte{
		"nothing": nil, "null": []byte("null"), "an empty object": []byte("{}"), "half": good[:len(good)/2],
		"unknown parts": []byte(`{"Colour":"red"}`), "another format": []byte(`{"Format":2,"Mode":"test"}`), "live": live,
		"no customers": without("Customers"), "no cards": without("PaymentMethods"), "no payments": without("Intents"),
		"no setup intents": without("SetupIntents"), "no events": without("Events"),
	} {
		if err := s.Restore(b); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Books()) != 1 {
		t.Error("a refused snapshot changed the books")
	}
}

// Check notices books that were tampered with.
func TestCheckNotices(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saved(t, s, sim.CardOK)
	s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
	b, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"Gross":2500`, `"Gross":2501`},
		{`"Succeeded":true`, `"Succeeded":false`},
		{`"Fee":103`, `"Fee":102`},
		{`"Net":2397`, `"Net":2396`},
		{`"Status":"succeeded","Description":"","CaptureMethod"`, `"Status":"canceled","Description":"","CaptureMethod"`},
	} {
		bad := bytes.Replace(b, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(bad, b) {
			t.Fatalf("%s is not in the snapshot", change[0])
		}
		if err := s.Restore(bad); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}
