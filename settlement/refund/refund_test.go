package refund_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// charge adds a payment of two pledges to the ledger.
type charge struct{}

func (charge) Kind() string { return "charge" }

var paid = []ledger.PledgeComponents{{Pledge: "pw-1", Components: ledger.Components{Pledges: 2500, Tax: 197}},
	{Pledge: "pw-2", Components: ledger.Components{Pledges: 1000, Shipping: 500}}}

func runCharge(tx kv.Tx, now time.Time, _ charge) (ledger.Entry, error) {
	return ledger.Append(tx, now, ledger.NewCharge(ledger.Payment{ID: "pi_1", At: now}, paid))
}

// readHead reads the balances of the ledger.
type readHead struct{}

func (readHead) Kind() string { return "head" }

func runReadHead(tx kv.Tx, _ time.Time, _ readHead) (ledger.Head, error) { return ledger.ReadHead(tx) }

// fixture is a settlement object with one payment of $41.97.
type fixture struct {
	refund.Client
	t   *testing.T
	now time.Time
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, now: time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)}
	class := kv.NewClass("settlement")
	refund.Register(class)
	kv.On(class, runCharge)
	kv.OnQuery(class, runReadHead)
	db := memkv.New(memkv.Options{Now: func() time.Time { return f.now }, Classes: []*kv.Class{class}})
	f.Client = refund.Client{Coordinator: db.Coordinator(), Object: kv.Object{Class: "settlement", Name: "film"}}
	if _, err := kv.Send[ledger.Entry](t.Context(), f.Coordinator, f.Object, "charge", charge{}); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) balances() map[ledger.Account]money.Cents {
	f.t.Helper()
	h, err := kv.Ask[ledger.Head](f.t.Context(), f.Coordinator, f.Object, readHead{})
	if err != nil {
		f.t.Fatal(err)
	}
	return h.Balances
}

// remains returns the amount that is neither refunded nor taken for a refund.
func (f *fixture) remains() money.Cents {
	f.t.Helper()
	o, err := f.OfPayment(f.t.Context(), "pi_1")
	if err != nil {
		f.t.Fatal(err)
	}
	return o.Outstanding.Sum()
}

func of(id string, pledges money.Cents) refund.Refund {
	return refund.Refund{ID: id, CampaignSlug: "film", PaymentID: "pi_1", Reason: refund.Requested, GrantedBy: "ada@example.org",
		Parts: []ledger.PledgeComponents{{Pledge: "pw-1", Components: ledger.Components{Pledges: pledges}}},
		Key:   refund.Key("acct_1", id)}
}

func (f *fixture) grant(id string, pledges money.Cents) refund.Refund {
	f.t.Helper()
	r, err := f.Grant(f.t.Context(), of(id, pledges), 50_000)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *fixture) sent(r refund.Refund) refund.Refund {
	f.t.Helper()
	r, err := f.Attempt(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *fixture) learn(r refund.Refund, status psp.RefundStatus) refund.Refund {
	f.t.Helper()
	r, err := f.RecordResult(f.t.Context(), r,
		refund.Accepted(psp.Refund{ID: "re_" + r.ID, Status: status, FailureReason: "lost_or_stolen_card"}, false))
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func wantCode(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want code %s", what, err, code)
	}
}

// A refund is decided once: the same request returns it, another one for its ID is refused, and two
// refunds never take more than was paid for a component.
func TestGrant(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	first := f.grant("a", 2000)
	f.now = f.now.Add(time.Hour)
	if again := f.grant("a", 2000); !again.GrantedAt.Equal(first.GrantedAt) || f.remains() != 4197-2000 {
		t.Errorf("repeated: %+v; %s remains", again, f.remains())
	}
	_, err := f.Grant(ctx, of("a", 1999), 50_000)
	wantCode(t, "another amount", err, fault.Conflict)
	_, err = f.Grant(ctx, of("b", 501), 50_000)
	wantCode(t, "more than remains of the component", err, fault.Conflict)
	unknown := of("c", 1)
	unknown.PaymentID = "pi_2"
	_, err = f.Grant(ctx, unknown, 50_000)
	wantCode(t, "unknown payment", err, fault.NotFound)
	stranger := of("d", 1)
	stranger.Parts[0].Pledge = "pw-9"
	_, err = f.Grant(ctx, stranger, 50_000)
	wantCode(t, "pledge of another payment", err, fault.Conflict)
	f.grant("e", 500)
	if f.remains() != 4197-2500 {
		t.Errorf("%s remains", f.remains())
	}
	if o, err := f.OfPayment(ctx, "pi_1"); err != nil || len(o.Refunds) != 2 {
		t.Errorf("refunds of the payment: %+v, %v", o, err)
	}
}

// A refund above the limit waits for another operator.
func TestConfirm(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	r, err := f.Grant(ctx, of("a", 2000), 0)
	if err != nil || r.Status != refund.Waiting || refund.NextStep(r, f.now) != refund.Wait {
		t.Fatalf("granted: %+v, %v", r, err)
	}
	_, err = f.Attempt(ctx, r)
	wantCode(t, "sent before the confirmation", err, fault.Conflict)
	_, err = f.Confirm(ctx, "a", "ada@example.org")
	wantCode(t, "confirmed by the same operator", err, fault.Conflict)
	r, err = f.Confirm(ctx, "a", "ben@example.org")
	if err != nil || r.Status != refund.Granted || refund.NextStep(r, f.now) != refund.Send {
		t.Fatalf("confirmed: %+v, %v", r, err)
	}
}

// A refund can be withdrawn until a request may have arrived, and then another can have its amount.
func TestWithdraw(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	f.grant("a", 2500)
	if r, err := f.Withdraw(ctx, "a"); err != nil || r.Status != refund.Withdrawn || f.remains() != 4197 {
		t.Fatalf("withdrawn: %+v, %v; %s remains", r, err, f.remains())
	}
	_, err := f.Attempt(ctx, of("a", 2500))
	wantCode(t, "sent after it was withdrawn", err, fault.Conflict)
	r := f.sent(f.grant("b", 2500))
	_, err = f.Withdraw(ctx, "b")
	wantCode(t, "withdrawn after it was sent", err, fault.Conflict)
	if _, err = f.RecordResult(ctx, r, refund.Result{Status: psp.NotStarted}); err != nil {
		t.Fatal(err)
	}
	if r, err := f.Withdraw(ctx, "b"); err != nil || r.Status != refund.Withdrawn || f.remains() != 4197 {
		t.Errorf("withdrawn after no request arrived: %+v, %v", r, err)
	}
}

// What the processor moved is in the ledger: a refund once it succeeded, its return if it fails later,
// and the repayment in another way.
func TestMovements(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	r := f.learn(f.sent(f.grant("a", 2000)), psp.RefundStatusPending)
	if r.Status != refund.Pending || f.balances()[ledger.Clearing] != 4197 {
		t.Fatalf("pending: %+v, %v", r, f.balances())
	}
	for range 2 {
		r = f.learn(r, psp.RefundStatusSucceeded)
		if r.Status != refund.Succeeded || f.balances()[ledger.Clearing] != 2197 || f.balances()[ledger.Pledges] != -1500 {
			t.Fatalf("succeeded: %+v, %v", r, f.balances())
		}
	}
	_, err := f.MarkRepaid(ctx, "a", "ada@example.org")
	wantCode(t, "repaid without a failure", err, fault.Conflict)
	for range 2 {
		r = f.learn(r, psp.RefundStatusFailed)
		if r.Status != refund.Failed || f.balances()[ledger.Clearing] != 4197 || f.balances()[ledger.Owed] != -2000 {
			t.Fatalf("failed: %+v, %v", r, f.balances())
		}
	}
	if r = f.learn(r, psp.RefundStatusSucceeded); r.Status != refund.Failed {
		t.Errorf("an old answer made the failed refund %s", r.Status)
	}
	for range 2 { // the same operator twice is one statement
		if r, err = f.MarkRepaid(ctx, "a", "ada@example.org"); err != nil || r.Status != refund.Failed {
			t.Errorf("stated by one operator: %+v, %v", r, err)
		}
	}
	_, err = f.MarkRepaid(ctx, "a", "ada")
	wantCode(t, "stated with an operator key, maybe by the same person", err, fault.Conflict)
	r, err = f.MarkRepaid(ctx, "a", "bob@example.org")
	if err != nil || r.Status != refund.Repaid || f.balances()[ledger.Owed] != 0 || f.balances()[ledger.Bank] != -2000 ||
		f.remains() != 2197 {
		t.Errorf("repaid: %+v, %v, %v; %s remains", r, err, f.balances(), f.remains())
	}
}

// A refund that came back before it was observed as succeeded has both entries, and is owed.
func TestMovements_ReturnedUnseen(t *testing.T) {
	f := newFixture(t)
	returned := psp.Refund{ID: "re_1", PaymentID: "pi_1", Amount: 2000, Status: psp.RefundStatusFailed,
		BalanceTransactionID: "txn_1", FailureBalanceTransactionID: "txn_2"}
	r := f.learn(f.sent(f.grant("ours", 2000)), psp.RefundStatusPending)
	var err error
	for range 2 {
		r, err = f.RecordResult(t.Context(), r, refund.Accepted(returned, true))
		if err != nil || r.Status != refund.Failed {
			t.Fatalf("returned: %+v, %v", r, err)
		}
	}
	returned.ID, returned.Amount = "re_0000002", 500
	for range 2 {
		r, err = f.Adopt(t.Context(), refund.Found(returned, "film", "g"), refund.Accepted(returned, true))
		if err != nil || r.Status != refund.Failed || !r.NeedsPerson() {
			t.Fatalf("adopted: %+v, %v", r, err)
		}
	}
	if b := f.balances(); b[ledger.Clearing] != 4197 || b[ledger.Owed] != -2500 || f.remains() != 1697 {
		t.Errorf("balances %v; %s remains", b, f.remains())
	}
}

// A refund that the processor never received can be withdrawn once that is certain.
func TestWithdraw_Unanswered(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	r := f.sent(f.grant("a", 2500))
	f.now = f.now.Add(24 * time.Hour)
	r, err := f.MarkUnanswered(ctx, r.ID)
	if err != nil || r.Status != refund.NeedsAttention || !r.NeedsPerson() {
		t.Fatalf("unanswered: %+v, %v", r, err)
	}
	_, err = f.RecordResult(ctx, r, refund.Result{FromLookup: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Withdraw(ctx, "a")
	wantCode(t, "withdrawn after a day", err, fault.Conflict)
	f.now = f.now.Add(25 * time.Hour)
	if _, err := f.RecordResult(ctx, r, refund.Result{FromLookup: true, Code: "again"}); err != nil {
		t.Fatal(err)
	}
	if r, err := f.Withdraw(ctx, "a"); err != nil || r.Status != refund.Withdrawn || f.remains() != 4197 {
		t.Errorf("withdrawn after two days: %+v, %v", r, err)
	}
}

// A refund that the processor has without a record is adopted once: with the parts that it names, or
// with its share of what remains, even of an amount held for another refund.
func TestAdopt(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	made := psp.Refund{ID: "re_1", PaymentID: "pi_1", Amount: 1000, Status: psp.RefundStatusSucceeded,
		OurID: "lost-refund", Parts: `[{"pledge":"pw-2","pledges":600,"shipping":400}]`}
	for range 2 {
		r, err := f.Adopt(ctx, refund.Found(made, "film", "g"), refund.Accepted(made, true))
		if err != nil || r.ID != "lost-refund" || !r.Adopted || r.Status != refund.Succeeded || r.Parts[0].Shipping != 400 {
			t.Fatalf("adopted: %+v, %v", r, err)
		}
	}
	if b := f.balances(); b[ledger.Clearing] != 3197 || b[ledger.Shipping] != -100 || f.remains() != 3197 {
		t.Errorf("balances %v; %s remains", b, f.remains())
	}
	f.grant("held", 2500)
	stranger := psp.Refund{ID: "re_00002", PaymentID: "pi_1", Amount: 3000, Status: psp.RefundStatusPending}
	r, err := f.Adopt(ctx, refund.Found(stranger, "film", "g"), refund.Accepted(stranger, true))
	if err != nil || r.ID != "re_00002" || r.Status != refund.Pending || ledger.SumOf(r.Parts) != 3000 || f.remains() != -2303 {
		t.Fatalf("adopted: %+v, %v; %s remains", r, err, f.remains())
	}
	if _, err := f.Withdraw(ctx, "held"); err != nil || f.remains() != 197 {
		t.Errorf("%v; %s remains", err, f.remains())
	}
	_, err = f.Adopt(ctx, refund.Found(psp.Refund{ID: "re_3", PaymentID: "pi_9"}, "film", "g"), refund.Result{})
	wantCode(t, "unknown payment", err, fault.NotFound)
}

// Refunds are listed when their next step is due, the oldest first, and while they wait for a person.
func TestDue(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	start := f.now
	ids := func(limit int) (all []string) {
		t.Helper()
		due, err := f.Due(ctx, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range due {
			all = append(all, r.ID)
		}
		return all
	}
	if _, err := f.Grant(ctx, of("waits", 100), 0); err != nil {
		t.Fatal(err)
	}
	b := f.grant("b", 100)
	f.now = f.now.Add(time.Minute)
	f.grant("a", 100)
	if got := ids(10); !slices.Equal(got, []string{"b", "a"}) || !slices.Equal(ids(1), []string{"b"}) {
		t.Errorf("due %v", got)
	}
	f.learn(f.sent(b), psp.RefundStatusPending)
	if got := ids(10); !slices.Equal(got, []string{"a"}) {
		t.Errorf("due %v", got)
	}
	f.now = start.Add(time.Hour)
	if got := ids(10); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("due after an hour %v", got)
	}
	f.now = start
	if open, err := f.Open(ctx); err != nil || !open {
		t.Errorf("open before they are due: %v, %v", open, err)
	}
	page, err := f.List(ctx, true, "", 10)
	if err != nil || len(page.Refunds) != 1 || page.Refunds[0].ID != "waits" || page.Next != "" {
		t.Errorf("waiting for a person: %+v, %v", page, err)
	}
	first, err := f.List(ctx, false, "", 2)
	if err != nil || len(first.Refunds) != 2 || first.Next != "b" {
		t.Fatalf("first page: %+v, %v", first, err)
	}
	if rest, err := f.List(ctx, false, first.Next, 2); err != nil || len(rest.Refunds) != 1 || rest.Refunds[0].ID != "waits" {
		t.Errorf("second page: %+v, %v", rest, err)
	}
}

// A refund that the processor refused, or that failed before it moved anything, frees its amount.
func TestRefused(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	r, err := f.RecordResult(ctx, f.sent(f.grant("a", 2000)),
		refund.Result{Status: psp.Refused, Code: "charge_disputed", Refusal: psp.RefusalDisputed})
	if err != nil || r.Status != refund.Refused || r.Refusal != psp.RefusalDisputed || f.remains() != 4197 {
		t.Fatalf("refused: %+v, %v; %s remains", r, err, f.remains())
	}
	r = f.learn(f.sent(f.grant("b", 2000)), psp.RefundStatusPending)
	if r = f.learn(r, psp.RefundStatusFailed); r.Status != refund.Refused || f.remains() != 4197 ||
		f.balances()[ledger.Clearing] != 4197 {
		t.Errorf("failed while pending: %+v, %v; %s remains", r, f.balances(), f.remains())
	}
}

// The request is repeated only after a lookup, with pauses, and never after 23 hours.
func TestNextStep(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	r := f.grant("a", 2000)
	step := func(want refund.Step) {
		t.Helper()
		if got := refund.NextStep(r, f.now); got != want {
			t.Errorf("at %s: %s, want %s", f.now.Format(time.TimeOnly), got, want)
		}
	}
	told := func(res refund.Result) {
		t.Helper()
		var err error
		if r, err = f.RecordResult(ctx, r, res); err != nil {
			t.Fatal(err)
		}
	}
	step(refund.Send)
	r = f.sent(r)
	told(refund.Result{Status: psp.Unknown})
	step(refund.Find)
	told(refund.Result{FromLookup: true})
	step(refund.Wait)
	f.now = f.now.Add(6 * time.Minute)
	step(refund.Send)
	r = f.sent(r)
	step(refund.Find)
	f.now = f.now.Add(23 * time.Hour)
	step(refund.Stop)
	_, err := f.Attempt(ctx, r)
	wantCode(t, "sent with an old key", err, fault.Conflict)
	if r, err = f.MarkUnanswered(ctx, "a"); err != nil || r.Status != refund.NeedsAttention {
		t.Fatalf("%+v, %v", r, err)
	}
	step(refund.Find)
	told(refund.Accepted(psp.Refund{ID: "re_1", Status: psp.RefundStatusSucceeded}, true))
	step(refund.Tell)
	if r, err = f.MarkTold(ctx, "a", refund.Succeeded); err != nil {
		t.Fatal(err)
	}
	step(refund.Wait)
	f.now = f.now.Add(13 * time.Hour)
	step(refund.Find)
	f.now = f.now.Add(36 * 24 * time.Hour)
	step(refund.Finished)
}
