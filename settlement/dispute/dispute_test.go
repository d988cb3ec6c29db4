package dispute_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
)

var start = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// readHead reads the balances of the ledger.
type readHead struct{}

func (readHead) Kind() string { return "head" }

func runReadHead(tx kv.Tx, _ time.Time, _ readHead) (ledger.Head, error) { return ledger.ReadHead(tx) }

// fixture is a settlement object without disputes.
type fixture struct {
	dispute.Client
	t   *testing.T
	now time.Time
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, now: start.Add(70 * time.Hour)}
	class := kv.NewClass("settlement")
	dispute.Register(class)
	kv.OnQuery(class, runReadHead)
	db := memkv.New(memkv.Options{Now: func() time.Time { return f.now }, Classes: []*kv.Class{class}})
	f.Client = dispute.Client{Coordinator: db.Coordinator(), Object: kv.Object{Class: "settlement", Name: "film"}}
	return f
}

func (f *fixture) observe(observations ...dispute.Dispute) (last dispute.Dispute) {
	f.t.Helper()
	for _, o := range observations {
		f.now = f.now.Add(time.Second)
		recorded, err := f.Observe(f.t.Context(), []dispute.Dispute{o}, nil)
		if err != nil || len(recorded.Disputes) != 1 {
			f.t.Fatal(recorded, err)
		}
		last = recorded.Disputes[0]
	}
	return last
}

// balances returns the accounts that are not zero.
func (f *fixture) balances() map[ledger.Account]money.Cents {
	f.t.Helper()
	h, err := kv.Ask[ledger.Head](f.t.Context(), f.Coordinator, f.Object, readHead{})
	if err != nil {
		f.t.Fatal(err)
	}
	for a, sum := range h.Balances {
		if sum == 0 {
			delete(h.Balances, a)
		}
	}
	return h.Balances
}

type balances = map[ledger.Account]money.Cents

func (f *fixture) want(when string, want balances) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.balances()); diff != "" {
		f.t.Errorf("balances, %s (-want +got):\n%s", when, diff)
	}
}

var (
	withdrawal = psp.BalanceTransaction{ID: "txn_1", Category: psp.BalanceDispute, Amount: -2500, Fee: 1500, Net: -4000,
		Currency: money.USD, CreatedAt: start}
	reinstated = psp.BalanceTransaction{ID: "txn_2", Category: psp.BalanceDisputeReversal, Amount: 2500, Net: 2500,
		Currency: money.USD, CreatedAt: start.Add(40 * time.Hour)}
)

// after returns an observation of the dispute that was asked for some time after the start.
func after(d time.Duration, s psp.DisputeStatus, moved ...psp.BalanceTransaction) dispute.Dispute {
	return dispute.Observed(psp.Dispute{ID: "du_1", PaymentID: "pi_1", ChargeID: "ch_1", Amount: 2500,
		Currency: money.USD, Status: s, Reason: "product_not_received", NetworkReasonCode: "13.1", CreatedAt: start,
		EvidenceDueBy: start.Add(240 * time.Hour), Movements: moved}, "film", "g1", start.Add(d))
}

func TestObserve_Money(t *testing.T) {
	f := newFixture(t)
	f.observe(after(1*time.Hour, psp.DisputeStatusWarningNeedsResponse))
	f.want("inquiry", balances{})
	for range 2 { // repeated
		f.observe(after(2*time.Hour, psp.DisputeStatusNeedsResponse, withdrawal))
		f.want("chargeback", balances{ledger.Disputed: 2500, ledger.Fees: 1500, ledger.Clearing: -4000})
	}
	f.observe(after(3*time.Hour, psp.DisputeStatusUnderReview, withdrawal),
		after(4*time.Hour, psp.DisputeStatusLost, withdrawal))
	lost := balances{ledger.Losses: 2500, ledger.Fees: 1500, ledger.Clearing: -4000}
	f.want("lost", lost)
	won := f.observe(after(50*time.Hour, psp.DisputeStatusWon, withdrawal, reinstated))
	f.want("won after all", balances{ledger.Fees: 1500, ledger.Clearing: -1500})
	if won.Disputed() != 0 || won.Fees() != 1500 || won.LossEntries != 2 {
		t.Errorf("won: %+v", won)
	}
	f.observe(after(60*time.Hour, psp.DisputeStatusLost, withdrawal))
	f.want("lost again", balances{ledger.Fees: 1500, ledger.Clearing: -1500})
}

// A later release of the processor adds a fee for an answer, and movements of other kinds.
func TestObserve_OtherMovements(t *testing.T) {
	f := newFixture(t)
	move := func(id string, c psp.BalanceCategory, amount, fee money.Cents, currency string) psp.BalanceTransaction {
		return psp.BalanceTransaction{ID: id, Category: c, Amount: amount, Fee: fee, Net: amount - fee, Currency: currency,
			CreatedAt: start}
	}
	d := f.observe(after(time.Hour, psp.DisputeStatusNeedsResponse, withdrawal,
		move("txn_fee", psp.BalanceFee, -1500, 0, money.USD), move("txn_back", psp.BalanceDisputeReversal, 0, -1500, money.USD),
		move("txn_new", "dispute_surcharge", -300, 0, money.USD), move("txn_eur", psp.BalanceDispute, -100, 0, "eur")))
	f.want("other movements", balances{ledger.Disputed: 2500, ledger.Fees: 1500, ledger.Suspense: 300,
		ledger.Clearing: -4300})
	if d.Disputed() != 2500 || d.Fees() != 1500 || len(d.Movements) != 5 {
		t.Errorf("dispute %+v", d)
	}
}

// Every order of the observations, each repeated, ends in the same state.
func TestObserve_AnyOrder(t *testing.T) {
	steps := []dispute.Dispute{
		after(1*time.Hour, psp.DisputeStatusWarningNeedsResponse),
		after(20*time.Hour, psp.DisputeStatusNeedsResponse, withdrawal),
		after(30*time.Hour, psp.DisputeStatusUnderReview, withdrawal),
		after(40*time.Hour, psp.DisputeStatusLost, withdrawal),
		after(50*time.Hour, psp.DisputeStatusWon, withdrawal, reinstated),
	}
	for _, n := range []int{4, 5} {
		var want dispute.Dispute
		var sums balances
		orders := 0
		permute(steps[:n], func(order []dispute.Dispute) {
			f := newFixture(t)
			for i, o := range order {
				f.observe(o, order[max(0, i-1)], o)
			}
			got, err := f.Get(t.Context(), "du_1")
			if err != nil {
				t.Fatal(err)
			}
			if orders++; orders == 1 {
				want, sums = got, f.balances()
				return
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(dispute.Dispute{}, "DecidedAt", "UpdatedAt", "LossEntries")); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", statuses(order), diff)
			}
			f.want(statuses(order), sums)
		})
		if want.Status != steps[n-1].Status || want.Disputed() != 0 {
			t.Errorf("after %d steps: %+v", n, want)
		}
	}
}

func statuses(all []dispute.Dispute) (s string) {
	for _, d := range all {
		s += fmt.Sprint(d.Status, " ")
	}
	return s
}

func permute(all []dispute.Dispute, do func([]dispute.Dispute)) {
	var place func(at int)
	place = func(at int) {
		if at == len(all) {
			do(all)
			return
		}
		for i := at; i < len(all); i++ {
			all[at], all[i] = all[i], all[at]
			place(at + 1)
			all[at], all[i] = all[i], all[at]
		}
	}
	place(0)
}

// Two servers whose clocks differ look up a dispute at about the same time.
func TestObserve_ClocksDiffer(t *testing.T) {
	f := newFixture(t)
	lost := after(10*time.Hour, psp.DisputeStatusLost, withdrawal)
	f.observe(lost)
	if d := f.observe(after(10*time.Hour+20*time.Minute, psp.DisputeStatusUnderReview, withdrawal)); d.Status != lost.Status {
		t.Errorf("a lookup by a clock that is fast returned the dispute to %s", d.Status)
	}
	f.observe(after(9000*time.Hour, psp.DisputeStatusUnderReview, withdrawal)) // by a clock that is a year fast
	if d := f.observe(after(11*time.Hour, psp.DisputeStatusNeedsResponse, withdrawal)); d.Status != psp.DisputeStatusNeedsResponse {
		t.Errorf("the dispute was reopened, but is %s", d.Status)
	}
}

func TestDispute_Statuses(t *testing.T) {
	type answer struct{ Open, Blocks, Due bool }
	for status, want := range map[psp.DisputeStatus]answer{
		psp.DisputeStatusWarningNeedsResponse: {true, true, true},
		psp.DisputeStatusWarningUnderReview:   {true, true, false},
		psp.DisputeStatusWarningClosed:        {false, false, false},
		psp.DisputeStatusNeedsResponse:        {true, true, true},
		psp.DisputeStatusUnderReview:          {true, true, false},
		psp.DisputeStatusWon:                  {false, false, false},
		psp.DisputeStatusLost:                 {false, true, false},
		psp.DisputeStatusPrevented:            {false, false, false},
		"arbitration":                         {true, true, true},
	} {
		d := after(time.Hour, status)
		by, due := d.AnswerDue()
		if got := (answer{d.IsOpen(), d.BlocksRefunds(), due}); got != want || due && !by.Equal(start.Add(240*time.Hour)) {
			t.Errorf("%s: %+v, due by %v, want %+v", status, got, by, want)
		}
		if d.Refundable = d.IsOpen(); d.Refundable && d.BlocksRefunds() {
			t.Errorf("%s blocks refunds although the processor allows them", status)
		}
		if d.DueBy = nil; d.IsOpen() {
			if _, due := d.AnswerDue(); due {
				t.Errorf("%s: an answer is due although none can be submitted", status)
			}
		}
	}
}

func TestDispute_NextLookup(t *testing.T) {
	open, decided := after(time.Hour, psp.DisputeStatusUnderReview), after(time.Hour, psp.DisputeStatusWon)
	decidedAt := decided.AskedAt
	decided.DecidedAt = &decidedAt
	if at, ok := open.NextLookup(); !ok || !at.Equal(start.Add(2*time.Hour)) {
		t.Errorf("open: %v, %v", at, ok)
	}
	if at, ok := decided.NextLookup(); !ok || !at.Equal(start.Add(25*time.Hour)) {
		t.Errorf("decided: %v, %v", at, ok)
	}
	decided.AskedAt = decided.AskedAt.AddDate(0, 3, 0)
	if at, ok := decided.NextLookup(); ok {
		t.Errorf("decided three months ago: %v", at)
	}
}

func TestList_OpenAndOfPayment(t *testing.T) {
	f := newFixture(t)
	other := after(time.Hour, "arbitration", withdrawal)
	other.ID, other.PaymentID = "du_2", "pi_2"
	f.observe(after(time.Hour, psp.DisputeStatusLost, withdrawal), other)
	ids := func(all []dispute.Dispute) (out []string) {
		for _, d := range all {
			out = append(out, d.ID)
		}
		return out
	}
	all, err := f.List(t.Context(), false, "", 1)
	if err != nil || !cmp.Equal(ids(all.Disputes), []string{"du_1"}) {
		t.Errorf("first page: %+v, %v", all, err)
	}
	if rest, err := f.List(t.Context(), false, all.Next, 10); err != nil || !cmp.Equal(ids(rest.Disputes), []string{"du_2"}) {
		t.Errorf("second page: %+v, %v", rest, err)
	}
	if open, err := f.List(t.Context(), true, "", 10); err != nil || !cmp.Equal(ids(open.Disputes), []string{"du_2"}) {
		t.Errorf("open: %+v, %v", open, err)
	}
	if of, err := f.OfPayment(t.Context(), "pi_1"); err != nil || !cmp.Equal(ids(of.Disputes), []string{"du_1"}) ||
		!of.Disputes[0].BlocksRefunds() {
		t.Errorf("of the payment: %+v, %v", of, err)
	}
	if _, err := f.Get(t.Context(), "du_3"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown dispute: %v", err)
	}
}

func TestObserve_Warnings(t *testing.T) {
	f := newFixture(t)
	at := func(d time.Duration, actionable bool) {
		t.Helper()
		w := dispute.ObservedWarning(psp.FraudWarning{ID: "issfr_1", PaymentID: "pi_1", ChargeID: "ch_1", Actionable: actionable,
			Reason: "misc", CreatedAt: start}, "film", "g1", start.Add(d))
		if _, err := f.Observe(t.Context(), nil, []dispute.Warning{w}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(actionable bool) {
		t.Helper()
		of, err := f.OfPayment(t.Context(), "pi_1")
		if err != nil || len(of.Warnings) != 1 || of.Warnings[0].Actionable != actionable {
			t.Errorf("warnings %+v, %v, want actionable: %v", of.Warnings, err, actionable)
		}
	}
	at(2*time.Hour, true)
	want(true)
	at(3*time.Hour, false)
	want(false)
	at(1*time.Hour, true)
	want(false)
}

// A warning awaits a decision until an operator leaves the payment, the payment is disputed, or the processor
// reports that nothing can be done. A decision to leave the payment lasts.
func TestAwaitedWarnings(t *testing.T) {
	f := newFixture(t)
	observe := func(id string, after time.Duration, actionable bool) {
		t.Helper()
		w := dispute.ObservedWarning(psp.FraudWarning{ID: id, PaymentID: "pi_" + id, Actionable: actionable,
			Reason: "misc", CreatedAt: start}, "film", "g1", start.Add(after))
		if _, err := f.Observe(t.Context(), nil, []dispute.Warning{w}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, want ...string) {
		t.Helper()
		all, err := f.AwaitedWarnings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range all {
			got = append(got, w.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	want("none")
	for _, id := range []string{"a", "b", "c"} {
		observe(id, time.Hour, true)
	}
	want("observed", "a", "b", "c")
	for range 2 {
		if w, err := f.Acknowledge(t.Context(), "a", "ada@example.org"); err != nil || w.AcknowledgedBy != "ada@example.org" ||
			!w.AcknowledgedAt.Equal(f.now) {
			t.Errorf("acknowledged: %+v, %v", w, err)
		}
	}
	want("left by an operator", "b", "c")
	if _, err := f.Acknowledge(t.Context(), "d", "ada@example.org"); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown warning: %v", err)
	}
	f.observe(dispute.Dispute{ID: "du_1", PaymentID: "pi_b", Status: psp.DisputeStatusWarningNeedsResponse, AskedAt: start})
	want("disputed", "c")
	for after, id := range []string{"a", "c"} {
		observe(id, time.Duration(2+after)*time.Hour, false)
	}
	want("not actionable")
	for after, id := range []string{"a", "c"} {
		observe(id, time.Duration(5+after)*time.Hour, true)
	}
	want("a refund failed", "c")
}

func TestPlaces(t *testing.T) {
	f := newFixture(t)
	p, ctx := dispute.Platform(f.Client), t.Context()
	soon, later := start.Add(time.Minute), start.Add(time.Hour)
	places := []dispute.Place{{ID: "du_1", PaymentID: "pi_1", Slug: "film", NextAt: &soon},
		{ID: "du_2", PaymentID: "pi_2", Slug: "film", NextAt: &later}, {ID: "du_3", PaymentID: "pi_3"}}
	if err := p.SetPlaces(ctx, places); err != nil {
		t.Fatal(err)
	}
	known, err := p.Places(ctx, []string{"du_1", "du_3", "du_4"})
	if want := map[string]dispute.Place{"du_1": places[0], "du_3": places[2]}; err != nil || !cmp.Equal(known, want) {
		t.Errorf("places %+v, %v", known, err)
	}
	for _, tt := range []struct {
		at   time.Time
		want []dispute.Place
	}{{start, nil}, {soon, places[:1]}, {later, places[:2]}} {
		f.now = tt.at
		if in, err := p.Import(ctx, 10); err != nil || !cmp.Equal(in.Due, tt.want, cmpopts.EquateEmpty()) {
			t.Errorf("due at %v: %+v, %v", tt.at, in.Due, err)
		}
	}
	places[0].NextAt = nil
	if err := p.SetPlaces(ctx, places[:1]); err != nil {
		t.Fatal(err)
	}
	if in, err := p.Import(ctx, 10); err != nil || len(in.Due) != 1 || in.Due[0].ID != "du_2" {
		t.Errorf("due after the last lookup: %+v, %v", in.Due, err)
	}
}
