package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// An open session has a client secret or a URL, and a complete one its
// card.
func TestSessions(t *testing.T) {
	const back = "https://shop.example/back?s={CHECKOUT_SESSION_ID}"
	s := sim.New(sim.Options{BaseURL: "https://pay.example"})
	p := s.Processor()
	cus, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "c", Email: "ada@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []psp.NewSetup{
		{Key: "custom", UIMode: psp.Custom, ReturnURL: back},
		{Key: "hosted", UIMode: psp.Hosted, SuccessURL: back, CancelURL: "https://shop.example/"},
	} {
		n.CustomerID, n.Metadata, n.Expires = cus, map[string]string{"order": n.Key}, s.Now().Add(time.Hour)
		ses, err := p.StartSetup(ctx, n)
		if err != nil {
			t.Fatalf("%s: %v", n.Key, err)
		}
		// 66 characters, for which stores need room
		if rest, ok := strings.CutPrefix(ses.ID, "cs_test_"); !ok || len(rest) != 58 {
			t.Errorf("%s: session ID %q", n.Key, ses.ID)
		}
		want := psp.Session{ID: ses.ID, Status: psp.Open, Mode: psp.Test, Expires: n.Expires, Metadata: n.Metadata}
		if n.UIMode == psp.Hosted {
			want.URL = "https://pay.example/_sim/pay/" + ses.ID
		} else if want.ClientSecret = ses.ClientSecret; want.ClientSecret == "" {
			t.Errorf("%s: no client secret", n.Key)
		}
		read, err := p.Session(ctx, ses.ID)
		if diff := cmp.Diff([]psp.Session{want, want}, []psp.Session{ses, read}); diff != "" || err != nil {
			t.Errorf("%s, created and read: %v (-want +got):\n%s", n.Key, err, diff)
		}
		if err := s.Complete(ses.ID, sim.CardOK); err != nil {
			t.Fatal(err)
		}
		page, err := s.Page(ses.ID)
		if err != nil || page.Done != strings.ReplaceAll(back, "{CHECKOUT_SESSION_ID}", ses.ID) ||
			page.Back != n.CancelURL {
			t.Errorf("%s: page %+v, %v", n.Key, page, err)
		}
		read, err = p.Session(ctx, ses.ID)
		want.Status, want.ClientSecret, want.URL = psp.Complete, "", ""
		want.CustomerID, want.PaymentMethodID, want.SetupIntentID = cus, page.PaymentMethodID, read.SetupIntentID
		want.CompletedAt, want.Card = s.Now(), psp.CardLabel{Brand: "visa", Last4: "4242"}
		if diff := cmp.Diff(want, read); diff != "" || err != nil || read.SetupIntentID == "" {
			t.Errorf("%s, complete: %v (-want +got):\n%s", n.Key, err, diff)
		}
	}
}

// The outcome shows whether money may have moved. Charges that could not be looked up later are
// not sent.
func TestOutcomes(t *testing.T) {
	const cus, pm = "cus_ada", "pm_ada"
	for name, tt := range map[string]struct {
		fault   sim.FaultKind
		change  func(*psp.NewCharge)
		want    psp.Outcome
		sent    int
		charges int
	}{
		"success":       {want: psp.Outcome{Status: psp.Succeeded}, sent: 1, charges: 1},
		"lost":          {fault: sim.DropRequest, want: psp.Outcome{Status: psp.Unknown}},
		"lost response": {fault: sim.DropAnswer, want: psp.Outcome{Status: psp.Unknown}, sent: 1, charges: 1},
		"cut":           {fault: sim.CutAnswer, want: psp.Outcome{Status: psp.Unknown}, sent: 1, charges: 1},
		"garbled":       {fault: sim.CorruptBody, want: psp.Outcome{Status: psp.Unknown}, sent: 1, charges: 1},
		"proxy page":    {fault: sim.BadGateway, want: psp.Outcome{Status: psp.Unknown}, sent: 1},
		"broken":        {fault: sim.ServerError, want: psp.Outcome{Status: psp.Unknown}, sent: 1},
		"broken after":  {fault: sim.ServerErrorAfter, want: psp.Outcome{Status: psp.Unknown}, sent: 1, charges: 1},
		"limited": {fault: sim.RateLimit,
			want: psp.Outcome{Status: psp.NotStarted, Code: "rate_limit", RetryAfter: time.Second}, sent: 1},
		"locked": {fault: sim.LockTimeout,
			want: psp.Outcome{Status: psp.NotStarted, Code: "lock_timeout", RetryAfter: time.Second}, sent: 1},
		"key in use": {fault: sim.KeyInUse,
			want: psp.Outcome{Status: psp.NotStarted, Code: "idempotency_key_in_use",
				RetryAfter: time.Second}, sent: 1},
		"API key revoked": {fault: sim.APIKeyRevoked,
			want: psp.Outcome{Status: psp.NotStarted, Code: "key_refused", Barred: true}, sent: 1},
		"below the minimum": {change: func(n *psp.NewCharge) { n.Amount = 49 },
			want: psp.Outcome{Status: psp.Refused, Code: "amount_too_small"}, sent: 1},
		"no card": {change: func(n *psp.NewCharge) { n.PaymentMethodID = "" },
			want: psp.Outcome{Status: psp.Refused, Code: "parameter_missing"}, sent: 1},
		"unknown card": {change: func(n *psp.NewCharge) { n.PaymentMethodID = "pm_no" },
			want: psp.Outcome{Status: psp.Declined, Code: "resource_missing"}, sent: 1},
		"another customer's card": {change: func(n *psp.NewCharge) { n.PaymentMethodID = "pm_bob" },
			want: psp.Outcome{Status: psp.Declined, Code: "payment_method_unusable"}, sent: 1},
		"unknown customer": {change: func(n *psp.NewCharge) { n.CustomerID = "cus_no" },
			want: psp.Outcome{Status: psp.Declined, Code: "resource_missing"}, sent: 1},
		"another charge's key": {change: func(n *psp.NewCharge) { n.Key = "used" },
			want: psp.Outcome{Status: psp.Mismatch, Code: "idempotency_error"}, sent: 1},
		"no key": {change: func(n *psp.NewCharge) { n.Key = "" },
			want: psp.Outcome{Status: psp.NotStarted, Code: "key_or_group_missing"}},
		"no group": {change: func(n *psp.NewCharge) { n.Group = "" },
			want: psp.Outcome{Status: psp.NotStarted, Code: "key_or_group_missing"}},
		"at NotAfter": {change: func(n *psp.NewCharge) { n.NotAfter = sim.Epoch },
			want: psp.Outcome{Status: psp.Succeeded}, sent: 1, charges: 1},
		"too late": {change: func(n *psp.NewCharge) { n.NotAfter = sim.Epoch.Add(-1) },
			want: psp.Outcome{Status: psp.Unknown, Code: "too_late_to_send"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sim.New(sim.Options{})
			for customer, method := range map[string]string{cus: pm, "cus_bob": "pm_bob"} {
				if err := s.Adopt(customer, method, sim.CardOK); err != nil {
					t.Fatal(err)
				}
			}
			used := charge(s, "cus_bob", "pm_bob", "used")
			s.Processor().Charge(ctx, used)
			before := s.Received(sim.CreateIntent)
			if tt.fault != "" {
				if err := s.InjectFaults(sim.Fault{Kind: tt.fault}); err != nil {
					t.Fatal(err)
				}
			}
			c := charge(s, cus, pm, "k")
			if tt.change != nil {
				tt.change(&c)
			}
			got := s.Processor().Charge(ctx, c)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(psp.Outcome{}, "Payment", "RequestID")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if sent := s.Received(sim.CreateIntent) - before; sent != tt.sent {
				t.Errorf("%d requests, want %d", sent, tt.sent)
			}
			if charges := len(s.Entries()) - 1; charges != tt.charges {
				t.Errorf("%d charges, want %d", charges, tt.charges)
			}
		})
	}
}

// The reason for a failure is returned with the outcome and by later reads, until the payment
// succeeds.
func TestPayment_FailureReason(t *testing.T) {
	type reason struct {
		Status            psp.Status
		Code, DeclineCode string
		MayPass, Charged  bool
	}
	reasonOf := func(p psp.Payment) reason {
		return reason{p.Status, p.Code, p.DeclineCode, p.MayPass, p.ChargeID != ""}
	}
	for _, tt := range []struct {
		card  string
		fault string // a decline code to inject
		want  reason
	}{
		{sim.CardOK, "", reason{psp.Succeeded, "", "", false, true}},
		{"processing:1h", "", reason{psp.Pending, "", "", false, false}},
		{sim.CardChargeDeclined, "", reason{psp.Declined, "card_declined", "generic_decline", false, true}},
		{sim.CardAuthInsufficient, "", reason{psp.Declined, "card_declined", "insufficient_funds", true, true}},
		{sim.CardOK, "processing_error", reason{psp.Declined, "processing_error", "processing_error", true, true}},
		{sim.CardOK, "expired_card", reason{psp.Declined, "expired_card", "expired_card", false, true}},
		{sim.CardAuthAlways, "",
			reason{psp.NeedsAction, "authentication_required", "authentication_required", false, false}},
	} {
		t.Run(tt.card+tt.fault, func(t *testing.T) {
			s := sim.New(sim.Options{})
			p := s.Processor()
			cus, pm := saveCard(t, s, tt.card)
			if tt.fault != "" {
				if err := s.InjectFaults(sim.Fault{Kind: sim.Decline, DeclineCode: tt.fault}); err != nil {
					t.Fatal(err)
				}
			}
			o := p.Charge(ctx, charge(s, cus, pm, "k"))
			got := reason{o.Status, o.Code, o.DeclineCode, o.MayPass, o.Payment.ChargeID != ""}
			read, err := p.Payment(ctx, o.Payment.ID)
			if diff := cmp.Diff([]reason{tt.want, tt.want, tt.want},
				[]reason{got, reasonOf(o.Payment), reasonOf(read)}); diff != "" ||
				err != nil {
				t.Errorf("error, payment in the outcome, and Payment: %v (-want +got):\n%s", err, diff)
			}
			if tt.want.Code == "" {
				return
			}
			ended, err := p.CancelPayment(ctx, o.Payment.ID, "cancel")
			if want := (reason{Status: psp.Canceled, Charged: tt.want.Charged}); err != nil || reasonOf(ended) != want {
				t.Errorf("canceled: %+v, %v, want %+v", reasonOf(ended), err, want)
			}
		})
	}
}

// An approval includes the card.
func TestApproval(t *testing.T) {
	s := sim.New(sim.Options{})
	p := s.Processor()
	cus, pm := saveCard(t, s, sim.CardAuthAlways)
	o := p.Charge(ctx, charge(s, cus, pm, "k"))
	a, err := p.Approval(ctx, o.Payment.ID)
	want := psp.Approval{PaymentID: o.Payment.ID, ClientSecret: a.ClientSecret, PaymentMethodID: pm,
		Amount: 2500, Currency: "usd"}
	if diff := cmp.Diff(want, a); diff != "" || err != nil || a.ClientSecret == "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// An error's code and field identify the cause.
func TestErrors(t *testing.T) {
	long := strings.Repeat("k", 41)
	for name, tt := range map[string]struct {
		fault sim.FaultKind
		call  func(psp.Processor) error
		code  fault.Code
		field string
	}{
		"no session": {call: session("cs_test_no"), code: fault.NotFound, field: "id"},
		"no name":    {call: session(""), code: fault.NotFound},
		"no customer": {call: func(p psp.Processor) error {
			_, err := p.StartSetup(ctx, psp.NewSetup{Key: "k", CustomerID: "cus_no", UIMode: psp.Custom})
			return err
		}, code: fault.NotFound, field: "customer"},
		"malformed": {call: customer("k", map[string]string{long: "x"}), code: fault.Invalid,
			field: "metadata[" + long + "]"},
		"without a key": {call: customer("", nil), code: fault.Invalid, field: "key"},
		"broken":        {fault: sim.ServerError, call: customer("k", nil), code: fault.Unavailable},
		"limited":       {fault: sim.RateLimit, call: customer("k", nil), code: fault.Unavailable},
		"barred":        {fault: sim.APIKeyRevoked, call: customer("k", nil), code: fault.Unavailable},
		"garbled":       {fault: sim.CorruptBody, call: customer("k", nil), code: fault.Unavailable},
		"lost":          {fault: sim.DropAnswer, call: customer("k", nil), code: fault.Unavailable},
	} {
		s := sim.New(sim.Options{})
		if tt.fault != "" {
			if err := s.InjectFaults(sim.Fault{Kind: tt.fault}); err != nil {
				t.Fatal(err)
			}
		}
		err := tt.call(s.Processor())
		if e := fault.Of(err); e == nil || e.Code != tt.code || e.Field != tt.field {
			t.Errorf("%s: %v, want %s in %q", name, err, tt.code, tt.field)
		}
	}
}

func session(id string) func(psp.Processor) error {
	return func(p psp.Processor) error {
		_, err := p.Session(ctx, id)
		return err
	}
}

func customer(key string, metadata map[string]string) func(psp.Processor) error {
	return func(p psp.Processor) error {
		_, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: key, Metadata: metadata})
		return err
	}
}

// A trace describes one request and marks a replayed response.
func TestTrace(t *testing.T) {
	s := sim.New(sim.Options{})
	cus, pm := saveCard(t, s, sim.CardOK)
	for _, replayed := range []bool{false, true} {
		traced, trace := psp.WithTrace(ctx)
		o := s.Processor().Charge(traced, charge(s, cus, pm, "k"))
		want := psp.Trace{Requests: 1, HTTPStatus: 200, RequestID: o.RequestID, Replayed: replayed}
		if *trace != want || o.RequestID == "" {
			t.Errorf("%+v, want %+v", *trace, want)
		}
	}
}

func TestAccount(t *testing.T) {
	for given, want := range map[string]string{"": "acct_simulated", "acct_1": "acct_1"} {
		a, err := sim.New(sim.Options{Account: given}).Processor().Account(ctx)
		if (a != psp.Account{ID: want, At: sim.Epoch}) || err != nil {
			t.Errorf("account %q: %+v, %v", given, a, err)
		}
	}
	for mode, want := range map[psp.Mode]string{psp.Test: `"livemode":false`, psp.Live: `"livemode":true`} {
		c := call("GET", "/v1/account", "", "")
		c.APIKey = "sk_" + string(mode) + "_x"
		if a := sim.New(sim.Options{Mode: mode}).Serve(c); !strings.Contains(string(a.Body), want) {
			t.Errorf("in %s mode: %d %s", mode, a.Status, a.Body)
		}
	}
}

// Requests count when they arrive, even if they are rejected.
func TestReceived(t *testing.T) {
	s := sim.New(sim.Options{})
	keyless := call("GET", "/v1/account", "", "")
	keyless.APIKey = ""
	for _, c := range []sim.Call{call("GET", "/v1/events", "", ""), keyless, call("GET", "/v1/events", "", ""),
		call("GET", "/v1/nothing", "", "")} {
		s.Serve(c)
	}
	if err := s.InjectFaults(sim.Fault{Kind: sim.DropRequest}); err != nil {
		t.Fatal(err)
	}
	s.Serve(call("GET", "/v1/events", "", ""))
	for op, want := range map[sim.Op]int{"": 3, sim.ListEvents: 2, sim.RetrieveAccount: 1, sim.CreateIntent: 0} {
		if got := s.Received(op); got != want {
			t.Errorf("%q: %d requests, want %d", op, got, want)
		}
	}
}

// A card can be charged until the end of its expiry month.
func TestCard_Expiry(t *testing.T) {
	for _, tt := range []struct {
		card string
		want psp.Card
	}{
		{sim.CardOK, psp.Card{ExpiresYear: 2029, ExpiresMonth: time.December}},
		{"expires:720h", psp.Card{ExpiresYear: 2026, ExpiresMonth: time.February}},
		{"expires:1s", psp.Card{ExpiresYear: 2026, ExpiresMonth: time.January}},
	} {
		s := sim.New(sim.Options{})
		cus, pm := saveCard(t, s, tt.card)
		c, err := s.Processor().Card(ctx, pm)
		if tt.want.CustomerID = cus; c != tt.want || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", tt.card, c, err, tt.want)
		}
		end := time.Date(tt.want.ExpiresYear, tt.want.ExpiresMonth+1, 1, 0, 0, 0, 0, time.UTC)
		for _, step := range []struct {
			at   time.Time
			want psp.Status
			code string
		}{
			{s.Now(), psp.Succeeded, ""}, {end.Add(-1), psp.Succeeded, ""}, {end, psp.Declined, "expired_card"},
		} {
			s.Advance(step.at.Sub(s.Now()))
			if o := s.Processor().Charge(ctx, charge(s, cus, pm, fmt.Sprint(step.at))); o.Status != step.want ||
				o.Code != step.code {
				t.Errorf("%s at %s: %+v, want %s", tt.card, step.at, o, step.want)
			}
		}
	}
}
