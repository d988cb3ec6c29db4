package sim_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// makePayment charges 2500 cents to a new customer with the given card and returns the payment's
// ID.
func makePayment(t testing.TB, s *sim.Sim, card string) string {
	t.Helper()
	name := fmt.Sprint(s.Received(""))
	if err := s.Adopt("cus_"+name, "pm_"+name, card); err != nil {
		t.Fatal(err)
	}
	o := s.Processor().Charge(ctx, charge(s, "cus_"+name, "pm_"+name, "k"+name))
	if o.Payment.ID == "" {
		t.Fatalf("no payment: %+v", o)
	}
	return o.Payment.ID
}

func payment(t testing.TB, s *sim.Sim, id string) psp.Payment {
	t.Helper()
	p, err := s.Processor().Payment(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func reversals(t testing.TB, s *sim.Sim, id string) psp.Reversals {
	t.Helper()
	r, err := s.Processor().Reversals(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// events returns the types of the due events about objects whose ID has the prefix.
func events(s *sim.Sim, prefix string) []psp.EventType {
	var out []psp.EventType
	for _, d := range s.Due() {
		if h, err := psp.ReadHint(d.Body); err == nil && len(h.ObjectID) > len(prefix) &&
			h.ObjectID[:len(prefix)] == prefix {
			out = append(out, h.Type)
		}
	}
	return out
}

func TestRefund_PartialThenRest(t *testing.T) {
	s := sim.New(sim.Options{})
	id := makePayment(t, s, sim.CardOK)
	first, err := s.Refund(id, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if p := payment(t, s, id); p.Refunded != 1000 || p.Received != 2500 || p.Status != psp.Succeeded {
		t.Errorf("after the first refund: %+v", p)
	}
	s.Advance(time.Minute)
	second, err := s.Refund(id, 0)
	if err != nil {
		t.Fatal(err)
	}
	charge := payment(t, s, id).ChargeID
	want := psp.Reversals{Refunds: []psp.Refund{
		{ID: second, PaymentID: id, ChargeID: charge, Amount: 1500, Currency: money.USD,
			Status: psp.RefundStatusSucceeded, CreatedAt: sim.Epoch.Add(time.Minute)},
		{ID: first, PaymentID: id, ChargeID: charge, Amount: 1000, Currency: money.USD,
			Status: psp.RefundStatusSucceeded, CreatedAt: sim.Epoch},
	}}
	got := reversals(t, s, id)
	for i := range got.Refunds {
		if got.Refunds[i].BalanceTransactionID == "" {
			t.Errorf("refund %+v is not booked", got.Refunds[i])
		}
		got.Refunds[i].BalanceTransactionID = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refunds (-want +got):\n%s", diff)
	}
	if got := s.Entries()[0]; got.Refunded != 2500 || got.Amount != 2500 {
		t.Errorf("books %+v", got)
	}
	if _, err := s.Refund(id, 1); !fault.Is(err, fault.Conflict) {
		t.Errorf("third refund: %v", err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestRefund_NotAllowed(t *testing.T) {
	s := sim.New(sim.Options{})
	good := makePayment(t, s, sim.CardOK)
	partial := makePayment(t, s, "partial:600")
	failed := makePayment(t, s, sim.CardChargeDeclined)
	disputed := makePayment(t, s, sim.CardOK)
	if _, err := s.Dispute(disputed, 0, ""); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name   string
		id     string
		amount money.Cents
		want   fault.Code
	}{
		{"unknown payment", "pi_no", 1, fault.NotFound},
		{"failed payment", failed, 1, fault.Conflict},
		{"more than the charge", good, 2501, fault.Invalid},
		{"negative", good, -1, fault.Invalid},
		{"more than was captured", partial, 601, fault.Invalid},
		{"disputed payment", disputed, 1, fault.Conflict},
		{"all of the charge", good, 2500, ""},
		{"already refunded payment", good, 1, fault.Conflict},
		{"whole captured amount", partial, 600, ""},
	} {
		if _, err := s.Refund(step.id, step.amount); fault.CodeOf(err) != step.want {
			t.Errorf("%s: %v, want %q", step.name, err, step.want)
		}
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestRefund_States(t *testing.T) {
	for name, tt := range map[string]struct {
		card          string
		settle        []bool // calls to SettleRefund within the first minute
		first, last   psp.RefundStatus
		refundedFirst money.Cents
		refundedLast  money.Cents
		events        []psp.EventType
	}{
		"at once": {sim.CardOK, nil, psp.RefundStatusSucceeded, psp.RefundStatusSucceeded, 1000, 1000,
			[]psp.EventType{psp.RefundCreated}},
		"pending, then succeeds": {sim.CardRefundPending, nil, psp.RefundStatusPending, psp.RefundStatusSucceeded,
			1000, 1000,
			[]psp.EventType{psp.RefundCreated, psp.RefundUpdated}},
		"succeeds, then fails": {sim.CardRefundFails, nil, psp.RefundStatusSucceeded, psp.RefundStatusFailed, 1000, 0,
			[]psp.EventType{psp.RefundCreated, psp.RefundUpdated, psp.RefundFailed}},
		"pending, then fails": {sim.CardRefundPending, []bool{false}, psp.RefundStatusPending,
			psp.RefundStatusFailed, 1000, 0,
			[]psp.EventType{psp.RefundCreated, psp.RefundUpdated, psp.RefundFailed}},
		"pending, then succeeds early": {sim.CardRefundPending, []bool{true}, psp.RefundStatusPending,
			psp.RefundStatusSucceeded, 1000, 1000,
			[]psp.EventType{psp.RefundCreated, psp.RefundUpdated}},
		"immediate, then failed by SettleRefund": {sim.CardOK, []bool{false}, psp.RefundStatusSucceeded,
			psp.RefundStatusFailed, 1000, 0,
			[]psp.EventType{psp.RefundCreated, psp.RefundUpdated, psp.RefundFailed}},
		"failed by SettleRefund before its scheduled failure": {sim.CardRefundFails, []bool{false},
			psp.RefundStatusSucceeded, psp.RefundStatusFailed, 1000, 0,
			[]psp.EventType{psp.RefundCreated, psp.RefundUpdated, psp.RefundFailed}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sim.New(sim.Options{WebhookSecret: secret})
			id := makePayment(t, s, tt.card)
			refund, err := s.Refund(id, 1000)
			if err != nil {
				t.Fatal(err)
			}
			check := func(when string, status psp.RefundStatus, refunded money.Cents) {
				t.Helper()
				r, p := reversals(t, s, id), payment(t, s, id)
				if len(r.Refunds) != 1 || r.Refunds[0].Status != status || p.Refunded != refunded ||
					r.Refunded() != refunded {
					t.Errorf("%s: %+v, payment refunded %s", when, r, p.Refunded)
				}
				if err := s.Check(); err != nil {
					t.Error(err)
				}
			}
			check("first", tt.first, tt.refundedFirst)
			for _, succeeds := range tt.settle {
				if err := s.SettleRefund(refund, succeeds); err != nil {
					t.Fatal(err)
				}
			}
			s.Advance(time.Minute)
			check("after a minute", tt.last, tt.refundedLast)
			if diff := cmp.Diff(tt.events, events(s, "re_")); diff != "" {
				t.Errorf("refund events (-want +got):\n%s", diff)
			}
			if n := count(s, psp.ChargeRefunded); n != 1 {
				t.Errorf("%d charge.refunded events", n)
			}
			if left, err := s.Refund(id, 2500-tt.refundedLast); err != nil {
				t.Errorf("refund of the remaining amount: %s, %v", left, err)
			}
		})
	}
}

func TestSettleRefund_NotAllowed(t *testing.T) {
	s := sim.New(sim.Options{})
	id := makePayment(t, s, sim.CardOK)
	refund, err := s.Refund(id, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		refund   string
		succeeds bool
		want     fault.Code
	}{
		{"re_no", false, fault.NotFound}, {refund, true, fault.Conflict}, {refund, false, ""},
		{refund, false, fault.Conflict}, {refund, true, fault.Conflict},
	} {
		if err := s.SettleRefund(step.refund, step.succeeds); fault.CodeOf(err) != step.want {
			t.Errorf("%s to %v: %v, want %q", step.refund, step.succeeds, err, step.want)
		}
	}
}

// Every refund and dispute, and its reversal, has a balance transaction with the exact amounts.
func TestRefund_Balance(t *testing.T) {
	s := sim.New(sim.Options{})
	id := makePayment(t, s, sim.CardRefundFails)
	if _, err := s.Refund(id, 1000); err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Minute)
	dispute, err := s.Dispute(id, 2000, "duplicate")
	if err == nil {
		err = s.CloseDispute(dispute, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := []movement{
		{"adjustment", "dispute_reversal", 2000, 0, 2000}, {"adjustment", "dispute", -2000, 1500, -3500},
		{"refund_failure", "refund_failure", 1000, 0, 1000}, {"refund", "refund", -1000, 0, -1000},
		{"charge", "charge", 2500, 103, 2397},
	}
	if diff := cmp.Diff(want, movements(t, s, "")); diff != "" {
		t.Errorf("balance (-want +got):\n%s", diff)
	}
	if got := movements(t, s, dispute); len(got) != 0 {
		t.Errorf("the processor finds no transactions by dispute, the simulator found %+v", got)
	}
	if got := movements(t, s, reversals(t, s, id).Refunds[0].ID); len(got) != 2 {
		t.Errorf("transactions of the refund %+v", got)
	}
}

// A pending refund has no balance transaction until it succeeds, and none if it fails.
func TestRefund_PendingBalance(t *testing.T) {
	for name, tt := range map[string]struct {
		fails bool
		want  []movement // after the refund's end
	}{
		"succeeds": {false, []movement{{"refund", "refund", -1000, 0, -1000}}},
		"fails":    {true, nil},
	} {
		s := sim.New(sim.Options{})
		id := makePayment(t, s, sim.CardRefundPending)
		refund, err := s.Refund(id, 1000)
		if err != nil {
			t.Fatal(err)
		}
		charged := movements(t, s, "")
		if len(charged) != 1 {
			t.Errorf("%s: balance while pending %+v", name, charged)
		}
		if tt.fails {
			err = s.SettleRefund(refund, false)
		}
		s.Advance(time.Minute)
		if diff := cmp.Diff(append(tt.want, charged...), movements(t, s, "")); err != nil || diff != "" {
			t.Errorf("%s: %v, balance (-want +got):\n%s", name, err, diff)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

type movement struct {
	Type     string `json:"type"`
	Category string `json:"reporting_category"`
	Amount   int64  `json:"amount"`
	Fee      int64  `json:"fee"`
	Net      int64  `json:"net"`
}

func movements(t testing.TB, s *sim.Sim, source string) []movement {
	t.Helper()
	var list struct{ Data []movement }
	decode(t, s.Serve(call("GET", "/v1/balance_transactions", url.Values{"source": {source}}.Encode(), "")), &list)
	return list.Data
}

func TestRefundsAPI(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true})
	good, other := makePayment(t, s, sim.CardOK), makePayment(t, s, sim.CardOK)
	failed := makePayment(t, s, sim.CardChargeDeclined)
	for _, tt := range []struct {
		form   string
		status int
		code   string
		param  string
	}{
		{"", 400, "parameter_missing", "payment_intent"},
		{"payment_intent=pi_no", 404, "resource_missing", "payment_intent"},
		{"payment_intent=" + failed, 400, "payment_intent_unexpected_state", "payment_intent"},
		{"payment_intent=" + good + "&amount=0", 400, "parameter_invalid_integer", "amount"},
		{"payment_intent=" + good + "&amount=2501", 400, "", "amount"},
		{"payment_intent=" + good + "&amount=x", 400, "parameter_invalid_integer", "amount"},
		{"payment_intent=" + good + "&reason=boredom", 400, "", "reason"},
		{"payment_intent=" + good + "&surprise=1", 400, "parameter_unknown", "surprise"},
		{"payment_intent=" + good + "&amount=1000&reason=duplicate&metadata[why]=x", 200, "", ""},
		{"payment_intent=" + good + "&amount=1501", 400, "", "amount"},
		{"payment_intent=" + good, 200, "", ""},
		{"payment_intent=" + good, 400, "charge_already_refunded", ""},
	} {
		a := s.Serve(call("POST", "/v1/refunds", tt.form, ""))
		code, param := "", ""
		if a.Status != 200 {
			_, code, param = parseProblem(t, a)
		}
		if a.Status != tt.status || code != tt.code || param != tt.param {
			t.Errorf("%s: %d %q %q, want %d %q %q", tt.form, a.Status, code, param, tt.status, tt.code, tt.param)
		}
	}
	type refund struct {
		ID            string            `json:"id"`
		Amount        int64             `json:"amount"`
		Status        string            `json:"status"`
		Reason        string            `json:"reason"`
		PaymentIntent string            `json:"payment_intent"`
		Metadata      map[string]string `json:"metadata"`
	}
	var list struct{ Data []refund }
	decode(t, s.Serve(call("GET", "/v1/refunds", "payment_intent="+good, "")), &list)
	want := []refund{
		{Amount: 1500, Status: "succeeded", PaymentIntent: good, Metadata: map[string]string{}},
		{Amount: 1000, Status: "succeeded", Reason: "duplicate", PaymentIntent: good,
			Metadata: map[string]string{"why": "x"}},
	}
	for i := range min(len(want), len(list.Data)) {
		want[i].ID = list.Data[i].ID
	}
	if diff := cmp.Diff(want, list.Data); diff != "" {
		t.Fatalf("list (-want +got):\n%s", diff)
	}
	var one refund
	decode(t, s.Serve(call("GET", "/v1/refunds/"+want[1].ID, "", "")), &one)
	if diff := cmp.Diff(want[1], one); diff != "" {
		t.Errorf("one (-want +got):\n%s", diff)
	}
	for query, n := range map[string]int{"": 2, "payment_intent=" + other: 0, "created[gte]=" + in(0): 2,
		"created[gte]=" + in(time.Second): 0,
		"created[lt]=" + in(0):            0, "created[lt]=" + in(time.Second): 2, "limit=1": 1, "payment_intent=" +
			good + "&starting_after=" + want[0].ID: 1} {
		var list struct{ Data []refund }
		if decode(t, s.Serve(call("GET", "/v1/refunds", query, "")), &list); len(list.Data) != n {
			t.Errorf("%s: %d refunds, want %d", query, len(list.Data), n)
		}
	}
	for query, param := range map[string]string{"payment_intent=pi_no": "payment_intent",
		"charge=ch_no": "charge", "created[gte]=x": "created[gte]"} {
		if _, _, got := parseProblem(t, s.Serve(call("GET", "/v1/refunds", query, ""))); got != param {
			t.Errorf("%s: parameter %q", query, got)
		}
	}
}

// Requests with the same key refund once.
func TestRefundsAPI_Key(t *testing.T) {
	s := sim.New(sim.Options{})
	form := "amount=1000&payment_intent=" + makePayment(t, s, sim.CardOK)
	one, again := id(t, s.Serve(call("POST", "/v1/refunds", form, "r"))),
		id(t, s.Serve(call("POST", "/v1/refunds", form, "r")))
	if one != again || s.Entries()[0].Refunded != 1000 {
		t.Errorf("%s and %s, %+v", one, again, s.Entries())
	}
}

func TestRefund_ChargeFlags(t *testing.T) {
	s := sim.New(sim.Options{})
	id := makePayment(t, s, sim.CardOK)
	ch := payment(t, s, id).ChargeID
	for _, step := range []struct {
		amount money.Cents
		want   string
	}{{1, "1 false false"}, {2499, "2500 true false"}} {
		if _, err := s.Refund(id, step.amount); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Amount   int64 `json:"amount_refunded"`
			Refunded bool  `json:"refunded"`
			Disputed bool  `json:"disputed"`
		}
		decode(t, s.Serve(call("GET", "/v1/charges/"+ch, "", "")), &got)
		if flags := fmt.Sprintf("%d %v %v", got.Amount, got.Refunded, got.Disputed); flags != step.want {
			t.Errorf("after %s: %s, want %s", step.amount, flags, step.want)
		}
	}
}
