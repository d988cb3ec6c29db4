package sim_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
			want := psp.Dispute{ID: dispute, PaymentID: id, ChargeID: payment(t, s, id).ChargeID, Amount: 2000,
				Currency: money.USD, Status: psp.DisputeStatusNeedsResponse,
				Reason: "product_not_received", NetworkReasonCode: "13.1",
				CreatedAt: sim.Epoch, EvidenceDueBy: sim.Epoch.Add(10 * 24 * time.Hour)}
			if diff := cmp.Diff([]psp.Dispute{want}, reversals(t, s, id).Disputes, withoutMovements); diff != "" {
				t.Errorf("open (-want +got):\n%s", diff)
			}
			if p := payment(t, s, id); !p.Disputed || p.Refunded != 0 || p.Status != psp.Succeeded {
				t.Errorf("payment %+v", p)
			}
			if err := s.CloseDispute(dispute, tt.won); err != nil {
				t.Fatal(err)
			}
			want.Status = tt.status
			if diff := cmp.Diff([]psp.Dispute{want}, reversals(t, s, id).Disputes, withoutMovements); diff != "" {
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

// withoutMovements ignores what a dispute moved, which the contract's tests compare with the balance.
var withoutMovements = cmpopts.IgnoreFields(psp.Dispute{}, "Movements")

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

// The states of disputes: each step is followed by the money that moved since the dispute was opened,
// whether the payment can be refunded, and the events so far.
func TestMoveDispute(t *testing.T) {
	const (
		inquiry  = psp.DisputeStatusWarningNeedsResponse
		reviewed = psp.DisputeStatusWarningUnderReview
		closed   = psp.DisputeStatusWarningClosed
		open     = psp.DisputeStatusNeedsResponse
		review   = psp.DisputeStatusUnderReview
		won      = psp.DisputeStatusWon
		lost     = psp.DisputeStatusLost
	)
	type step struct {
		to         psp.DisputeStatus
		moved      money.Cents
		refundable bool
	}
	for name, tt := range map[string]struct {
		refundable bool
		steps      []step // the first opens the dispute
		events     []psp.EventType
	}{
		"inquiry closed": {false, []step{{inquiry, 0, false}, {reviewed, 0, false}, {closed, 0, true}},
			[]psp.EventType{psp.DisputeCreated, psp.DisputeUpdated, psp.DisputeClosed}},
		"refundable inquiry closed": {true, []step{{inquiry, 0, true}, {closed, 0, true}},
			[]psp.EventType{psp.DisputeCreated, psp.DisputeClosed}},
		"inquiry escalates and is won": {true, []step{{inquiry, 0, true}, {reviewed, 0, true}, {open, -3500, false},
			{review, -3500, false}, {won, -1500, true}},
			[]psp.EventType{psp.DisputeCreated, psp.DisputeUpdated, psp.DisputeUpdated, psp.DisputeWithdrawn,
				psp.DisputeUpdated, psp.DisputeClosed, psp.DisputeReinstated}},
		"chargeback reviewed and lost": {false, []step{{open, -3500, false}, {review, -3500, false},
			{lost, -3500, false}},
			[]psp.EventType{psp.DisputeCreated, psp.DisputeWithdrawn, psp.DisputeUpdated, psp.DisputeClosed}},
		"prevented": {false, []step{{psp.DisputeStatusPrevented, 0, true}}, []psp.EventType{psp.DisputeCreated}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sim.New(sim.Options{WebhookSecret: secret, NoLimits: true})
			id := makePayment(t, s, sim.CardOK)
			before, _ := s.Balance()
			dispute := ""
			refunded := money.Cents(0)
			for _, step := range tt.steps {
				var err error
				if dispute == "" {
					dispute, err = s.OpenDispute(sim.NewDispute{PaymentID: id, Amount: 2000, Status: step.to,
						Refundable: tt.refundable})
				} else {
					err = s.MoveDispute(dispute, step.to)
				}
				if err != nil {
					t.Fatal(err)
				}
				if after, _ := s.Balance(); after-before+refunded != step.moved {
					t.Errorf("%s moved %s, want %s", step.to, after-before+refunded, step.moved)
				}
				d := reversals(t, s, id).Disputes[0]
				openInquiry := step.to == inquiry || step.to == reviewed
				if d.Status != step.to || d.Refundable != (openInquiry && tt.refundable) {
					t.Errorf("after %s: %+v", step.to, d)
				}
				_, err = s.Refund(id, 1)
				if (err == nil) != step.refundable || err != nil && !fault.Is(err, fault.Conflict) {
					t.Errorf("refund while %s: %v, want possible: %v", step.to, err, step.refundable)
				}
				if err == nil {
					refunded++
				}
				checkBooks(t, s)
			}
			if diff := cmp.Diff(tt.events, events(s, "du_")); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMoveDispute_NotAllowed(t *testing.T) {
	all := []psp.DisputeStatus{psp.DisputeStatusWarningNeedsResponse, psp.DisputeStatusWarningUnderReview,
		psp.DisputeStatusWarningClosed, psp.DisputeStatusNeedsResponse, psp.DisputeStatusUnderReview,
		psp.DisputeStatusWon, psp.DisputeStatusLost, psp.DisputeStatusPrevented}
	for from, want := range map[psp.DisputeStatus]string{
		psp.DisputeStatusWarningNeedsResponse: "warning_under_review warning_closed needs_response",
		psp.DisputeStatusNeedsResponse:        "under_review won lost",
		psp.DisputeStatusPrevented:            "",
	} {
		var allowed []string
		for _, to := range all {
			s := sim.New(sim.Options{})
			d, err := s.OpenDispute(sim.NewDispute{PaymentID: makePayment(t, s, sim.CardOK), Status: from})
			if err != nil {
				t.Fatal(err)
			}
			err = s.MoveDispute(d, to)
			if err == nil {
				allowed = append(allowed, string(to))
			} else if !fault.Is(err, fault.Conflict) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
		if got := strings.Join(allowed, " "); got != want {
			t.Errorf("%s can become %s, want %s", from, got, want)
		}
	}
	s := sim.New(sim.Options{})
	id := makePayment(t, s, sim.CardOK)
	if _, err := s.OpenDispute(sim.NewDispute{PaymentID: id, Status: psp.DisputeStatusWon}); !fault.Is(err,
		fault.Invalid) {
		t.Errorf("opened as won: %v", err)
	}
	d, err := s.OpenDispute(sim.NewDispute{PaymentID: id, Status: psp.DisputeStatusWarningNeedsResponse,
		Refundable: true})
	if err == nil {
		_, err = s.Refund(id, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.MoveDispute(d, psp.DisputeStatusNeedsResponse); !fault.Is(err, fault.Conflict) {
		t.Errorf("escalation after a full refund: %v", err)
	}
}

// A chargeback makes the payment's pending refund fail, so that the supporter is not paid twice.
func TestDispute_PendingRefund(t *testing.T) {
	s := sim.New(sim.Options{})
	id := makePayment(t, s, sim.CardRefundPending)
	if _, err := s.Refund(id, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Dispute(id, 0, ""); err != nil {
		t.Fatal(err)
	}
	s.Advance(time.Minute)
	if f := reversals(t, s, id).Refunds[0]; f.Status != psp.RefundStatusFailed ||
		f.FailureReason != "charge_for_pending_refund_disputed" || f.BalanceTransactionID != "" {
		t.Errorf("refund %+v", f)
	}
	checkBooks(t, s)
}

// A fraud warning is actionable until the payment is disputed or fully refunded.
func TestWarnOfFraud(t *testing.T) {
	s := sim.New(sim.Options{WebhookSecret: secret})
	id, failed := makePayment(t, s, sim.CardOK), makePayment(t, s, sim.CardChargeDeclined)
	for payment, want := range map[string]fault.Code{"pi_no": fault.NotFound, failed: fault.Conflict} {
		if _, err := s.WarnOfFraud(payment, ""); fault.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", payment, err, want)
		}
	}
	if _, err := s.WarnOfFraud(id, ""); err != nil {
		t.Fatal(err)
	}
	actionable := func() bool {
		t.Helper()
		page, err := s.Processor().FraudWarnings(ctx, psp.FraudWarningQuery{Limit: 10})
		if err != nil || len(page.Warnings) != 1 || page.Warnings[0].PaymentID != id {
			t.Fatalf("%+v, %v", page, err)
		}
		return page.Warnings[0].Actionable
	}
	refund := func(amount money.Cents) string {
		t.Helper()
		f, err := s.Refund(id, amount)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	refund(100)
	if !actionable() {
		t.Error("not actionable after a partial refund")
	}
	rest := refund(0)
	if actionable() {
		t.Error("actionable after a full refund")
	}
	if err := s.SettleRefund(rest, false); err != nil || !actionable() {
		t.Errorf("not actionable after the refund failed: %v", err)
	}
	if _, err := s.Dispute(id, 0, ""); err != nil || actionable() {
		t.Errorf("actionable after a dispute: %v", err)
	}
	want := []psp.EventType{psp.FraudWarningCreated, psp.FraudWarningUpdated, psp.FraudWarningUpdated,
		psp.FraudWarningUpdated}
	if diff := cmp.Diff(want, events(s, "issfr_")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
