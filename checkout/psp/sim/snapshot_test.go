package sim_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestSnapshot(t *testing.T) {
	old := sim.New(sim.Options{Seed: 3, WebhookSecret: "whsec_a"})
	cus, pm := saveCard(t, old, sim.CardOK)
	c := charge(old, cus, pm, "k")
	first := old.Processor().Charge(ctx, c)
	if err := old.InjectFaults(sim.Fault{Kind: sim.Decline}); err != nil {
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
	if diff := cmp.Diff(old.Entries(), fresh.Entries()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(old.Due(), fresh.Due()); diff != "" {
		t.Error(diff)
	}
	for _, s := range []*sim.Sim{old, fresh} {
		if again := s.Processor().Charge(ctx, c); again.Payment.ID != first.Payment.ID {
			t.Errorf("idempotency key was lost: %+v", again)
		}
	}
	c.Key = "k2"
	one, two := old.Processor().Charge(ctx, c), fresh.Processor().Charge(ctx, c)
	if one.Status != psp.Declined || one.Payment.ID != two.Payment.ID {
		t.Errorf("pending fault or random state was lost: %+v and %+v", one, two)
	}
	if err := fresh.Check(); err != nil {
		t.Error(err)
	}
	once, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := fresh.Snapshot(); err != nil || !bytes.Equal(once, twice) {
		t.Errorf("the restored state diverged: %v", err)
	}
}

// After a restart the service may have another URL and secret.
func TestRestore_Endpoint(t *testing.T) {
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

func TestRestore_Invalid(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saveCard(t, s, sim.CardOK)
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
		"unknown parts": []byte(`{"Colour":"red"}`), "another format": []byte(`{"Format":4,"Mode":"test"}`),
		"live": live, "no customers": without("Customers"), "no cards": without("PaymentMethods"),
		"no payments": without("Intents"), "no setup intents": without("SetupIntents"), "no events": without("Events"),
	} {
		if err := s.Restore(b); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Entries()) != 1 {
		t.Error("a rejected snapshot changed the books")
	}
}

// rewriteSnapshot returns a snapshot in which the field of every object in a part has another
// value. If field is empty, the part itself is replaced.
func rewriteSnapshot(t *testing.T, snapshot []byte, part, field, value string) []byte {
	t.Helper()
	var whole map[string]json.RawMessage
	unmarshal := func(b []byte, to any) {
		if err := json.Unmarshal(b, to); err != nil {
			t.Fatal(err)
		}
	}
	marshal := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	unmarshal(snapshot, &whole)
	if whole[part] == nil {
		t.Fatalf("no %s in the snapshot", part)
	}
	if field == "" {
		whole[part] = json.RawMessage(value)
		return marshal(whole)
	}
	var list []map[string]json.RawMessage
	byID := map[string]map[string]json.RawMessage{}
	var objects any = &byID
	if whole[part][0] == '[' {
		objects = &list
	}
	unmarshal(whole[part], objects)
	for _, o := range slices.AppendSeq(slices.Clone(list), maps.Values(byID)) {
		if o[field] == nil {
			t.Fatalf("object in %s without %s", part, field)
		}
		o[field] = json.RawMessage(value)
	}
	whole[part] = marshal(objects)
	return marshal(whole)
}

// A snapshot with dangling references or a missing part is rejected.
func TestRestore_DanglingReferences(t *testing.T) {
	empty, err := sim.New(sim.Options{}).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	s := sim.New(sim.Options{WebhookSecret: "whsec_a", AsyncCapture: true})
	cus, pm := saveCard(t, s, sim.CardOK)
	o := s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
	refundAndDispute(t, s, o.Payment.ID)
	full, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		of                 []byte
		part, field, value string
	}{
		{empty, "Customers", "", "null"},
		{empty, "Sessions", "", "null"},
		{empty, "SetupIntents", "", "null"},
		{empty, "PaymentMethods", "", "null"},
		{empty, "Intents", "", "null"},
		{empty, "Charges", "", "null"},
		{empty, "BalanceTxns", "", "null"},
		{empty, "Refunds", "", "null"},
		{empty, "Disputes", "", "null"},
		{empty, "Events", "", "null"},
		{empty, "Endpoints", "", "null"},
		{empty, "Keys", "", "null"},
		{empty, "Order", "", "null"},
		{empty, "Buckets", "", "null"},
		{empty, "Received", "", "null"},
		{empty, "Keys", "", `{"k": null}`},
		{full, "Sessions", "Customer", `"cus_no"`},
		{full, "Sessions", "SetupIntent", `"seti_no"`},
		{full, "Intents", "LatestCharge", `"ch_no"`},
		{full, "Refunds", "Charge", `"ch_no"`},
		{full, "Refunds", "Intent", `"pi_no"`},
		{full, "Disputes", "Charge", `"ch_no"`},
		{full, "Disputes", "Intent", `"pi_no"`},
		{full, "Disputes", "BalanceTxns", `["txn_no"]`},
		{full, "Charges", "Intent", `"pi_no"`},
		{full, "Charges", "PaymentMethod", `"pm_no"`},
		{full, "Deliveries", "Event", `"evt_no"`},
		{full, "Deliveries", "", "[null]"},
		{full, "Tasks", "ID", `"cs_no"`},
	} {
		fresh := sim.New(sim.Options{})
		if err := fresh.Restore(tt.of); err != nil {
			t.Fatal(err)
		}
		if err := fresh.Restore(rewriteSnapshot(t, tt.of, tt.part, tt.field, tt.value)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s %s %s: %v", tt.part, tt.field, tt.value, err)
		}
	}
}

// refundAndDispute partially refunds and disputes a payment.
func refundAndDispute(t testing.TB, s *sim.Sim, payment string) {
	t.Helper()
	_, err := s.Refund(payment, 1000)
	if err == nil {
		_, err = s.Dispute(payment, 500, "")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSnapshot_Reversals(t *testing.T) {
	old := sim.New(sim.Options{})
	id := makePayment(t, old, sim.CardRefundPending)
	_, err := old.Refund(id, 1000)
	if err == nil {
		_, err = old.OpenDispute(sim.NewDispute{PaymentID: id, Status: psp.DisputeStatusWarningNeedsResponse})
	}
	if err == nil {
		_, err = old.WarnOfFraud(id, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	fresh := sim.New(sim.Options{})
	if err := fresh.Restore(b); err != nil {
		t.Fatal(err)
	}
	for range 2 { // pending, then succeeded a minute later
		if diff := cmp.Diff(reversals(t, old, id), reversals(t, fresh, id)); diff != "" {
			t.Errorf("(-old +restored):\n%s", diff)
		}
		old.Advance(time.Minute)
		fresh.Advance(time.Minute)
	}
	if r := reversals(t, fresh, id); r.Refunds[0].Status != psp.RefundStatusSucceeded || len(r.Disputes) != 1 {
		t.Errorf("restored: %+v", r)
	}
}

// A snapshot of format 1, before refunds existed, is accepted. Its successful charges are fully
// captured.
func TestRestore_FormatOne(t *testing.T) {
	old := sim.New(sim.Options{})
	id, failed := makePayment(t, old, sim.CardOK), makePayment(t, old, sim.CardChargeDeclined)
	b, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(b, &whole); err != nil {
		t.Fatal(err)
	}
	delete(whole, "Refunds")
	delete(whole, "Disputes")
	delete(whole, "Payouts")
	delete(whole, "Warnings")
	delete(whole, "Balance")
	whole["Format"] = json.RawMessage("1")
	one, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	one = bytes.ReplaceAll(one, []byte(`"Captured":2500,"Refunded":0,"Disputed":false,`), nil)
	one = bytes.ReplaceAll(one, []byte(`"Captured":0,"Refunded":0,"Disputed":false,`), nil)
	if bytes.Contains(one, []byte("Captured")) {
		t.Fatalf("not format 1: %s", one)
	}
	fresh := sim.New(sim.Options{})
	if err := fresh.Restore(one); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{id, failed} {
		if diff := cmp.Diff(payment(t, old, id), payment(t, fresh, id)); diff != "" {
			t.Errorf("(-old +restored):\n%s", diff)
		}
	}
	if err := fresh.Check(); err != nil {
		t.Error(err)
	}
	again, err := fresh.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.New(sim.Options{}).Restore(again); err != nil {
		t.Errorf("restore of the upgraded snapshot: %v", err)
	}
}

// Expired keys are not part of a snapshot, so that a restore with a longer
// retention does not replay them.
func TestSnapshot_ExpiredKeys(t *testing.T) {
	for age, replayed := range map[time.Duration]bool{24*time.Hour - 1: true, 24 * time.Hour: false} {
		s := sim.New(sim.Options{})
		s.Serve(call("POST", "/v1/customers", "", "k"))
		s.Advance(age)
		b, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		long := sim.New(sim.Options{KeepKeys: 48 * time.Hour})
		if err := long.Restore(b); err != nil {
			t.Fatal(err)
		}
		if a := long.Serve(call("POST", "/v1/customers", "", "k")); a.Replayed != replayed {
			t.Errorf("after %v: replayed %v, want %v", age, a.Replayed, replayed)
		}
	}
}

// Some issuers require authentication unless the card was saved in a setup
// session. Sessions always set that flag; a snapshot may not.
func TestCharge_CardNotSetUp(t *testing.T) {
	for _, tt := range []struct {
		card, setUp string
		want        psp.Status
	}{
		{sim.CardAuthUnlessSetUp, "true", psp.Succeeded},
		{sim.CardAuthUnlessSetUp, "false", psp.NeedsAction},
		{sim.CardAuthAlways, "true", psp.NeedsAction},
		{sim.CardOK, "false", psp.Succeeded},
	} {
		s := sim.New(sim.Options{})
		cus, pm := saveCard(t, s, tt.card)
		b, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Restore(rewriteSnapshot(t, b, "PaymentMethods", "SetUp", tt.setUp)); err != nil {
			t.Fatal(err)
		}
		if o := s.Processor().Charge(ctx, charge(s, cus, pm, "k")); o.Status != tt.want {
			t.Errorf("%s, set up %s: %+v, want %s", tt.card, tt.setUp, o, tt.want)
		}
	}
}

// Check detects manipulated books.
func TestCheck_ManipulatedBooks(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saveCard(t, s, sim.CardOK)
	o := s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
	refundAndDispute(t, s, o.Payment.ID)
	b, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"Captured":2500`, `"Captured":2501`},
		{`"Captured":2500`, `"Captured":0`},
		{`"Refunded":1000`, `"Refunded":999`},
		{`"Amount":1000,"Metadata"`, `"Amount":1001,"Metadata"`},
		{`"Amount":1000,"Metadata"`, `"Amount":1000,"Status":"failed","Metadata"`},
		{`"Gross":2500`, `"Gross":2501`},
		{`"Balance":-603`, `"Balance":-602`},
		{`"Net":-1000`, `"Net":-999`},
		{`"Succeeded":true`, `"Succeeded":false`},
		{`"Fee":103`, `"Fee":102`},
		{`"Net":2397`, `"Net":2396`},
		{`"Status":"succeeded","Description":"","CaptureMethod"`,
			`"Status":"canceled","Description":"","CaptureMethod"`},
		{`"Amount":2500,"LatestCharge"`, `"Amount":2501,"LatestCharge"`},
		{`"Charge":"ch_`, `"Charge":"ch_x`},
		{`"Amount":2500,"Fee":103,"Net":2397`, `"Amount":2499,"Fee":102,"Net":2397`},
		{`"Intent":"` + o.Payment.ID, `"Intent":"` + cus},
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
