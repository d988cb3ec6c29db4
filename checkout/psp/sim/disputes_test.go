package sim_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func decode(t testing.TB, a sim.Answer, into any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, into); err != nil || a.Status != 200 {
		t.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
}

func TestDispute(t *testing.T) {
	for name, tt := range map[string]struct {
		won    bool
		status psp.DisputeStatus
		events []psp.EventType
		refund fault.Code // of a refund afterwards
	}{
		"won": {true, psp.DisputeStatusWon,
			[]psp.EventType{psp.DisputeCreated, psp.DisputeWithdrawn, psp.DisputeClosed, psp.DisputeReinstated}, ""},
		"lost": {false, psp.DisputeStatusLost,
			[]psp.EventType{psp.DisputeCreated, psp.DisputeWithdrawn, psp.DisputeClosed}, fault.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			s := sim.New(sim.Options{WebhookSecret: secret})
			id := makePayment(t, s, sim.CardOK)
			dispute, err := s.Dispute(id, 2000, "product_not_received")
			if err != nil {
				t.Fatal(err)
			}
			want := psp.Dispute{ID: dispute, Amount: 2000, Currency: money.USD, Status: psp.DisputeStatusNeedsResponse,
				Reason:    "product_not_received",
				CreatedAt: sim.Epoch, EvidenceDueBy: sim.Epoch.Add(10 * 24 * time.Hour)}
			if diff := cmp.Diff([]psp.Dispute{want}, reversals(t, s, id).Disputes); diff != "" {
				t.Errorf("open (-want +got):\n%s", diff)
			}
			if p := payment(t, s, id); !p.Disputed || p.Refunded != 0 || p.Status != psp.Succeeded {
				t.Errorf("payment %+v", p)
			}
			if err := s.CloseDispute(dispute, tt.won); err != nil {
				t.Fatal(err)
			}
			want.Status = tt.status
			if diff := cmp.Diff([]psp.Dispute{want}, reversals(t, s, id).Disputes); diff != "" {
				t.Errorf("closed (-want +got):\n%s", diff)
			}
			if !payment(t, s, id).Disputed {
				t.Error("the payment is not marked as disputed")
			}
			if diff := cmp.Diff(tt.events, events(s, "du_")); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			for _, d := range s.Due() {
				if h := hint(t, s, d); h.ObjectID == dispute && h.PaymentID != id {
					t.Errorf("%s is about payment %q", h.Type, h.PaymentID)
				}
			}
			if _, err := s.Refund(id, 1); fault.CodeOf(err) != tt.refund {
				t.Errorf("refund: %v, want %q", err, tt.refund)
			}
			if err := s.CloseDispute(dispute, tt.won); !fault.Is(err, fault.Conflict) {
				t.Errorf("closed again: %v", err)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDispute_NotAllowed(t *testing.T) {
	s := sim.New(sim.Options{})
	good, partial := makePayment(t, s, sim.CardOK), makePayment(t, s, "partial:600")
	failed := makePayment(t, s, sim.CardChargeDeclined)
	for _, step := range []struct {
		name   string
		id     string
		amount money.Cents
		want   fault.Code
	}{
		{"unknown payment", "pi_no", 1, fault.NotFound},
		{"failed payment", failed, 1, fault.Conflict},
		{"negative", good, -1, fault.Invalid},
		{"more than the charge", good, 2501, fault.Invalid},
		{"more than was captured", partial, 601, fault.Invalid},
		{"all of it", good, 0, ""},
		{"a second dispute", good, 1, fault.Conflict},
	} {
		if _, err := s.Dispute(step.id, step.amount, ""); fault.CodeOf(err) != step.want {
			t.Errorf("%s: %v, want %q", step.name, err, step.want)
		}
	}
	if err := s.CloseDispute("du_no", true); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown dispute: %v", err)
	}
	if d := reversals(t, s, good).Disputes; len(d) != 1 || d[0].Amount != 2500 || d[0].Reason != "fraudulent" {
		t.Errorf("dispute %+v", d)
	}
}

// A payment can be disputed again after its dispute was won.
func TestDispute_AfterWonDispute(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	id, other := makePayment(t, s, sim.CardOK), makePayment(t, s, sim.CardOK)
	var made []string
	for range 3 {
		d, err := s.Dispute(id, 100, "")
		if err == nil {
			err = s.CloseDispute(d, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		made = append([]string{d}, made...)
	}
	var got []string
	for _, d := range reversals(t, s, id).Disputes {
		got = append(got, d.ID)
	}
	if diff := cmp.Diff(made, got); diff != "" {
		t.Errorf("disputes (-want +got):\n%s", diff)
	}
	for query, n := range map[string]int{"": 3, "payment_intent=" + other: 0, "limit=2": 2, "created[lt]=" + in(0): 0} {
		var list struct{ Data []struct{ ID string } }
		if decode(t, s.Serve(call("GET", "/v1/disputes", query, "")), &list); len(list.Data) != n {
			t.Errorf("%s: %d disputes, want %d", query, len(list.Data), n)
		}
	}
	var one struct {
		ID    string            `json:"id"`
		Moves []json.RawMessage `json:"balance_transactions"`
	}
	if decode(t, s.Serve(call("GET", "/v1/disputes/"+made[0], "", "")), &one); one.ID != made[0] ||
		len(one.Moves) != 2 {
		t.Errorf("one is %+v", one)
	}
}
