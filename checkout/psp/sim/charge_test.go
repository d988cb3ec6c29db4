package sim_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

func TestFee(t *testing.T) {
	for amount, want := range map[money.Cents]money.Cents{
		50: 31, 100: 33, 499: 44, 500: 45, 517: 45, 518: 45, 2500: 103, 12345: 388, 1_000_000: 29_030,
		99_999_999: 2_900_030,
		// 29 × 1550 / 1000 = 44.95; 29 × 50 / 1000 = 1.45; 29 × 1500 / 1000 = 43.5, which rounds up.
		1500: 74, 1550: 75,
	} {
		if got := sim.Fee(amount); got != want {
			t.Errorf("fee of %d cents is %d, want %d", amount, got, want)
		}
	}
}

// FuzzFee compares the fee with integer arithmetic.
func FuzzFee(f *testing.F) {
	f.Add(int64(50))
	f.Add(int64(99_999_999))
	f.Fuzz(func(t *testing.T, amount int64) {
		if amount < 0 || amount > 99_999_999 {
			t.Skip()
		}
		if got, want := int64(sim.Fee(money.Cents(amount))), (amount*29+500)/1000+30; got != want {
			t.Errorf("fee of %d: %d, want %d", amount, got, want)
		}
	})
}

func TestCharge_ChangingCards(t *testing.T) {
	for _, tt := range []struct {
		card  string
		first psp.Status
		after time.Duration
		then  psp.Status
	}{
		{"processing:1h", psp.Pending, time.Hour, psp.Succeeded},
		{"processing:1h", psp.Pending, time.Hour - time.Second, psp.Pending},
		{"process_fails:1h", psp.Pending, time.Hour, psp.Declined},
		{"rolls_forward:1h", psp.Unknown, time.Hour - time.Second, psp.Pending},
		{"rolls_forward:1h", psp.Unknown, time.Hour, psp.Succeeded},
	} {
		t.Run(fmt.Sprint(tt.card, tt.after), func(t *testing.T) {
			s := sim.New(sim.Options{})
			cus, pm := saveCard(t, s, tt.card)
			c := charge(s, cus, pm, "k")
			if o := s.Processor().Charge(ctx, c); o.Status != tt.first {
				t.Fatalf("%+v, want %s", o, tt.first)
			}
			s.Advance(tt.after)
			found, err := s.Processor().FindCharge(ctx, cus, c.Group)
			if err != nil || len(found) != 1 || found[0].Status != tt.then {
				t.Errorf("afterwards %+v, %v, want %s", found, err, tt.then)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
	s := sim.New(sim.Options{})
	cus, pm := saveCard(t, s, "decline_times:2")
	for i, want := range []psp.Status{psp.Declined, psp.Declined, psp.Succeeded} {
		if o := s.Processor().Charge(ctx, charge(s, cus, pm, fmt.Sprint(i))); o.Status != want {
			t.Errorf("charge %d: %s, want %s", i, o.Status, want)
		}
	}
	// The books contain only the successful charge.
	if got := s.Entries(); len(got) != 1 || got[0].Amount != 2500 {
		t.Errorf("books %+v", got)
	}
}

func TestPaymentFaults(t *testing.T) {
	for _, tt := range []struct {
		fault   sim.Fault
		first   psp.Status
		code    string
		then    psp.Status
		charges int
	}{
		{sim.Fault{Kind: sim.Decline, DeclineCode: "lost_card"}, psp.Declined, "lost_card", psp.Declined, 0},
		{sim.Fault{Kind: sim.Decline}, psp.Declined, "generic_decline", psp.Declined, 0},
		{sim.Fault{Kind: sim.Challenge}, psp.NeedsAction, "authentication_required", psp.NeedsAction, 0},
		{sim.Fault{Kind: sim.RollForward, For: time.Hour}, psp.Unknown, "", psp.Succeeded, 1},
		{sim.Fault{Kind: sim.RollBack, For: time.Hour}, psp.Unknown, "", psp.Declined, 0},
	} {
		s := sim.New(sim.Options{})
		cus, pm := saveCard(t, s, sim.CardOK)
		if err := s.InjectFaults(tt.fault); err != nil {
			t.Fatal(err)
		}
		c := charge(s, cus, pm, "k")
		if o := s.Processor().Charge(ctx, c); o.Status != tt.first || o.DeclineCode != tt.code {
			t.Errorf("%s: %+v", tt.fault.Kind, o)
		}
		s.Advance(time.Hour)
		found, err := s.Processor().FindCharge(ctx, cus, c.Group)
		if err != nil || len(found) != 1 || found[0].Status != tt.then || len(s.Entries()) != tt.charges {
			t.Errorf("%s: an hour later %+v, %v", tt.fault.Kind, found, err)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// Concurrent requests with the same key make one charge.
func TestConcurrentCharges(t *testing.T) {
	s := sim.New(sim.Options{NoLimits: true, WebhookSecret: "whsec_a"})
	cus, pm := saveCard(t, s, sim.CardOK)
	c := charge(s, cus, pm, "k")
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if o := s.Processor().Charge(ctx, c); o.Status != psp.Succeeded {
				t.Errorf("%+v", o)
			}
			for _, d := range s.Due() {
				s.RecordResponse(d, 200)
			}
			s.Advance(time.Second)
		})
	}
	wg.Wait()
	if n := len(s.Entries()); n != 1 {
		t.Errorf("%d charges", n)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestConfirmAndCancel(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saveCard(t, s, sim.CardOK)
	create := func() string {
		return id(t,
			s.Serve(call("POST", "/v1/payment_intents",
				"amount=100&currency=usd&customer="+cus+"&payment_method="+pm, "")))
	}
	paid, dropped := create(), create()
	if len(s.Entries()) != 0 {
		t.Error("creating charges")
	}
	for _, tt := range []struct {
		intent, verb string
		status       int
	}{
		{paid, "confirm", 200}, {paid, "confirm", 400}, {paid, "cancel", 400},
		{dropped, "cancel", 200}, {dropped, "confirm", 400}, {dropped, "cancel", 400},
	} {
		a := s.Serve(call("POST", "/v1/payment_intents/"+tt.intent+"/"+tt.verb, "", ""))
		if a.Status != tt.status {
			t.Errorf("%s: %d %s, want %d", tt.verb, a.Status, a.Body, tt.status)
		}
		if a.Status == 400 {
			if _, code, _ := parseProblem(t, a); code != "payment_intent_unexpected_state" {
				t.Errorf("%s: %s", tt.verb, code)
			}
		}
	}
	if n := len(s.Entries()); n != 1 {
		t.Errorf("%d charges, want 1", n)
	}
}

// A payment's fields match its state.
func TestPayment_Lifecycle(t *testing.T) {
	type payment struct {
		Status   string
		Amount   int
		Received int    `json:"amount_received"`
		Canceled *int64 `json:"canceled_at"`
	}
	s := sim.New(sim.Options{NoLimits: true})
	cus, pm := saveCard(t, s, sim.CardOK)
	create := func(form string) string {
		return id(t, s.Serve(call("POST", "/v1/payment_intents", "amount=100&currency=usd&customer="+cus+form, "")))
	}
	withCard, without, dropped := create("&payment_method="+pm), create(""), create("")
	s.Advance(time.Minute)
	at := s.Now().Unix()
	for _, tt := range []struct {
		intent, verb, form string
		status             int
		want               payment
	}{
		{withCard, "", "", 200, payment{"requires_confirmation", 100, 0, nil}},
		{withCard, "/confirm", "", 200, payment{"succeeded", 100, 100, nil}},
		{without, "", "", 200, payment{"requires_payment_method", 100, 0, nil}},
		{without, "/confirm", "", 400, payment{}},
		{without, "/confirm", "payment_method=" + pm, 200, payment{"succeeded", 100, 100, nil}},
		{dropped, "/cancel", "", 200, payment{"canceled", 100, 0, &at}},
	} {
		method := "GET"
		if tt.verb != "" {
			method = "POST"
		}
		a := s.Serve(call(method, "/v1/payment_intents/"+tt.intent+tt.verb, tt.form, ""))
		var got payment
		if err := json.Unmarshal(a.Body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || a.Status != tt.status {
			t.Errorf("%s: %d, want %d (-want +got):\n%s", tt.verb, a.Status, tt.status, diff)
		}
	}
	if n := len(s.Entries()); n != 2 {
		t.Errorf("%d charges, want 2", n)
	}
}

// By default, a charge is booked after 30 seconds.
func TestCharge_BookedLater(t *testing.T) {
	s := sim.New(sim.Options{AsyncCapture: true})
	cus, pm := saveCard(t, s, sim.CardOK)
	payment := s.Processor().Charge(ctx, charge(s, cus, pm, "k")).Payment.ID
	for _, step := range []struct {
		by     time.Duration
		booked bool
	}{{0, false}, {30*time.Second - 1, false}, {1, true}} {
		s.Advance(step.by)
		got, err := s.Processor().Payment(ctx, payment)
		if booked := got.Financials != (psp.Financials{}); err != nil || booked != step.booked {
			t.Errorf("at %s: booked: %v, %v, want %v", s.Now(), booked, err, step.booked)
		}
	}
}

func TestCharge_FinancialsLater(t *testing.T) {
	s := sim.New(sim.Options{AsyncCapture: true, BookAfter: time.Minute, WebhookSecret: "whsec_a"})
	cus, pm := saveCard(t, s, sim.CardOK)
	o := s.Processor().Charge(ctx, charge(s, cus, pm, "k"))
	if o.Payment.Financials != (psp.Financials{}) {
		t.Errorf("at once: %+v", o.Payment.Financials)
	}
	if count(s, psp.ChargeUpdated) != 0 {
		t.Error("charge.updated arrives too early")
	}
	s.Advance(time.Minute)
	if count(s, psp.ChargeUpdated) != 1 {
		t.Error("no charge.updated")
	}
	got, err := s.Processor().Payment(ctx, o.Payment.ID)
	if err != nil {
		t.Fatal(err)
	}
	want := psp.Financials{BalanceTransactionID: got.Financials.BalanceTransactionID, Gross: 2500, Fee: 103, Net: 2397,
		AvailableAt: sim.Epoch.Add(48*time.Hour + time.Minute)}
	if diff := cmp.Diff(want, got.Financials); diff != "" || want.BalanceTransactionID == "" {
		t.Error(diff)
	}
	want.BalanceTransactionID = ""
	if got := s.Entries()[0]; got.Fee != want.Fee || got.Net != want.Net || got.Group == "" || got.CustomerID != cus {
		t.Errorf("books %+v", got)
	}
}
