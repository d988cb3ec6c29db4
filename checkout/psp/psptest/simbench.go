package psptest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// SimBench is a Bench with a simulator whose clock moves only with Advance. Adapters that send HTTP
// requests use Sim through simhttp.
type SimBench struct {
	Sim *sim.Sim

	mu  sync.Mutex
	now time.Time
}

var _ Labeller = (*SimBench)(nil)

const simSecret = "whsec_psptest"

// NewSimBench returns a bench with a test-mode simulator without rate limits. If change is not nil,
// it may modify the simulator's options.
func NewSimBench(change func(*sim.Options)) *SimBench {
	b := &SimBench{now: sim.Epoch}
	// Lists have shorter pages than requested, as a processor may return.
	o := sim.Options{Mode: psp.Test, Now: b.Now, WebhookSecret: simSecret, NoLimits: true, PageSize: 3}
	if change != nil {
		change(&o)
	}
	b.Sim = sim.New(o)
	return b
}

// Now implements Bench.
func (b *SimBench) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// Advance implements Bench.
func (b *SimBench) Advance(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// Complete implements Bench.
func (b *SimBench) Complete(t testing.TB, sessionID string, card Card) {
	t.Helper()
	name := map[Card]string{Good: sim.CardOK, Refused: sim.CardChargeDeclined, Authenticated: sim.CardAuthAlways,
		Partial: fmt.Sprintf("%s:%d", sim.CardPartial, int64(PartialCapture)), SlowRefund: sim.CardRefundPending,
		Poor: sim.CardAuthInsufficient, Slow: sim.CardProcessing + ":1h", Passing: sim.CardExpires + ":1s"}[card]
	if err := b.Sim.Complete(sessionID, name); err != nil {
		t.Fatalf("could not save card %s: %v", card, err)
	}
}

// Label implements Labeller.
func (b *SimBench) Label() psp.CardLabel { return psp.CardLabel{Brand: "visa", Last4: "4242"} }

// Authenticate implements Bench.
func (b *SimBench) Authenticate(t testing.TB, paymentID string) {
	t.Helper()
	if err := b.Sim.Authenticate(paymentID); err != nil {
		t.Fatal(err)
	}
}

// Detach implements Bench.
func (b *SimBench) Detach(t testing.TB, paymentMethodID string) {
	t.Helper()
	if err := b.Sim.Detach(paymentMethodID); err != nil {
		t.Fatal(err)
	}
}

// DeleteCustomer implements Bench.
func (b *SimBench) DeleteCustomer(t testing.TB, customerID string) {
	t.Helper()
	if err := b.Sim.DeleteCustomer(customerID); err != nil {
		t.Fatal(err)
	}
}

// Refund implements Bench.
func (b *SimBench) Refund(t testing.TB, paymentID string, amount money.Cents) string {
	t.Helper()
	id, err := b.Sim.Refund(paymentID, amount)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// FailRefund implements Bench.
func (b *SimBench) FailRefund(t testing.TB, refundID string) {
	t.Helper()
	if err := b.Sim.SettleRefund(refundID, false); err != nil {
		t.Fatal(err)
	}
}

// Dispute implements Bench.
func (b *SimBench) Dispute(t testing.TB, paymentID string, amount money.Cents) string {
	t.Helper()
	id, err := b.Sim.Dispute(paymentID, amount, "")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// CloseDispute implements Bench.
func (b *SimBench) CloseDispute(t testing.TB, disputeID string, won bool) {
	t.Helper()
	if err := b.Sim.CloseDispute(disputeID, won); err != nil {
		t.Fatal(err)
	}
}

// OpenInquiry implements Bench.
func (b *SimBench) OpenInquiry(t testing.TB, paymentID string, amount money.Cents, refundable bool) string {
	t.Helper()
	id, err := b.Sim.OpenDispute(sim.NewDispute{PaymentID: paymentID, Amount: amount,
		Status: psp.DisputeStatusWarningNeedsResponse, Refundable: refundable})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// MoveDispute implements Bench.
func (b *SimBench) MoveDispute(t testing.TB, disputeID string, to psp.DisputeStatus) {
	t.Helper()
	if err := b.Sim.MoveDispute(disputeID, to); err != nil {
		t.Fatal(err)
	}
}

// WarnOfFraud implements Bench.
func (b *SimBench) WarnOfFraud(t testing.TB, paymentID string) string {
	t.Helper()
	id, err := b.Sim.WarnOfFraud(paymentID, "")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// AutomaticPayout implements Bench.
func (b *SimBench) AutomaticPayout(t testing.TB) string {
	t.Helper()
	id, err := b.Sim.AutomaticPayout()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// ManualPayout implements Bench.
func (b *SimBench) ManualPayout(t testing.TB, amount money.Cents) string {
	t.Helper()
	id, err := b.Sim.ManualPayout(amount)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// FailPayout implements Bench.
func (b *SimBench) FailPayout(t testing.TB, payoutID string) {
	t.Helper()
	if err := b.Sim.FailPayout(payoutID); err != nil {
		t.Fatal(err)
	}
}

// Adjust implements Bench.
func (b *SimBench) Adjust(t testing.TB, category string, amount money.Cents) string {
	t.Helper()
	id, err := b.Sim.Adjust(category, amount, 0)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Break implements Bench.
func (b *SimBench) Break(t testing.TB, fault Fault) {
	t.Helper()
	kind := map[Fault]sim.FaultKind{RequestLost: sim.DropRequest, AnswerLost: sim.DropAnswer, AnswerCut: sim.CutAnswer,
		AnswerBad: sim.CorruptBody, Broken: sim.ServerError, BrokenAfter: sim.ServerErrorAfter, Proxy: sim.BadGateway,
		Limited: sim.RateLimit, Locked: sim.LockTimeout, InUse: sim.KeyInUse, Barred: sim.APIKeyRevoked,
		Challenged:  sim.Challenge,
		NotAccepted: sim.Refuse, WrongAmount: sim.Misreport, WrongReceived: sim.ShortCapture,
		WrongCustomer: sim.OtherCustomer,
		WrongCard:     sim.OtherMethod, WrongGroup: sim.OtherGroup, WrongMode: sim.OtherMode}[fault]
	if err := b.Sim.InjectFaults(sim.Fault{Kind: kind}); err != nil {
		t.Fatal(err)
	}
}

// Clear implements Bench.
func (b *SimBench) Clear() { b.Sim.ClearFaults() }

// Received implements Bench.
func (b *SimBench) Received() int { return b.Sim.Received("") }

// Books implements Bench.
func (b *SimBench) Books() []Entry {
	var out []Entry
	for _, e := range b.Sim.Entries() {
		out = append(out, Entry{PaymentID: e.PaymentID, CustomerID: e.CustomerID, Group: e.Group, Amount: e.Amount})
	}
	return out
}

// Delivery implements Bench.
func (b *SimBench) Delivery(t testing.TB, event psp.EventType) (body []byte, signature string) {
	t.Helper()
	for _, d := range b.Sim.Due() {
		if d.Type == event {
			body, signature = d.Body, d.Signature
		}
	}
	if body == nil {
		t.Fatalf("no delivery of %s", event)
	}
	return body, signature
}

// Sign implements Bench.
func (b *SimBench) Sign(body []byte, secret string, at time.Time) string {
	return sim.Sign(body, secret, at)
}

// Secret implements Bench.
func (b *SimBench) Secret() string { return simSecret }
