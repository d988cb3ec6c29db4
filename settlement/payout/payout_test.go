package payout_test

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
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/payout"
)

var start = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// appendEntries appends entries to the ledger.
type appendEntries struct {
	Entries []ledger.Entry `json:"entries"`
}

func (appendEntries) Kind() string { return "append" }

func runAppend(tx kv.Tx, now time.Time, cmd appendEntries) (int, error) {
	for _, e := range cmd.Entries {
		if _, err := ledger.Append(tx, now, e); err != nil {
			return 0, err
		}
	}
	return len(cmd.Entries), nil
}

type readEntries struct{}

func (readEntries) Kind() string { return "entries" }

func runReadEntries(tx kv.Tx, _ time.Time, _ readEntries) ([]ledger.Entry, error) {
	return ledger.Read(tx, 0, 100)
}

// fixture has the object of all campaigns and that of one campaign.
type fixture struct {
	payout.Platform
	campaign payout.Campaign
	t        *testing.T
	now      time.Time
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, now: start}
	class := kv.NewClass("settlement")
	payout.Register(class)
	kv.OnRepeatable(class, runAppend)
	kv.OnQuery(class, runReadEntries)
	db := memkv.New(memkv.Options{Now: func() time.Time { return f.now }, Classes: []*kv.Class{class}})
	f.Platform = payout.Platform{Coordinator: db.Coordinator(), Object: kv.Object{Class: "settlement", Name: "*platform"}}
	f.campaign = payout.Campaign{Coordinator: db.Coordinator(), Object: kv.Object{Class: "settlement", Name: "film"}}
	return f
}

func (f *fixture) must(p payout.Payout, err error) payout.Payout {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

func (f *fixture) observe(o psp.Payout) payout.Payout {
	f.t.Helper()
	recorded, err := f.Observe(f.t.Context(), []payout.Payout{payout.Observed(o)})
	if err != nil || len(recorded) != 1 {
		f.t.Fatal(recorded, err)
	}
	return recorded[0]
}

func (f *fixture) add(p payout.Payout, page payout.Contents) payout.Payout {
	f.t.Helper()
	return f.must(f.AddRows(f.t.Context(), p, page))
}

// completed is an automatic payout of $50 whose rows are listed.
var completed = psp.Payout{ID: "po_1", Amount: 5000, Currency: money.USD, Status: psp.PayoutStatusPaid, Automatic: true,
	ReconciliationStatus: psp.ReconciliationCompleted, ArrivalDate: start.Add(24 * time.Hour),
	CreatedAt:            start.Add(-24 * time.Hour),
	BalanceTransactionID: "txn_po"}

func with(o psp.Payout, change func(o *psp.Payout)) psp.Payout {
	change(&o)
	return o
}

// page returns the totals of rows of a campaign, all in its ledger.
func page(after, slug string, nets ...money.Cents) payout.Contents {
	c := payout.Contents{After: after}
	for i, net := range nets {
		c.AddRow(slug, payout.Row{ID: fmt.Sprint("txn_", i), Net: net}, true)
	}
	return c
}

func TestObserve_AnyOrder(t *testing.T) {
	reports := []psp.Payout{
		with(completed, func(o *psp.Payout) {
			o.Status, o.ReconciliationStatus = psp.PayoutStatusPending, psp.ReconciliationInProgress
		}),
		with(completed, func(o *psp.Payout) {
			o.Status, o.ReconciliationStatus = psp.PayoutStatusInTransit, psp.ReconciliationInProgress
		}),
		completed,
		with(completed, func(o *psp.Payout) {
			o.Status, o.FailureBalanceTransactionID = psp.PayoutStatusFailed, "txn_back"
		}),
	}
	for i := range reports {
		for j := range reports {
			f := newFixture(t)
			var last payout.Payout
			for _, o := range []psp.Payout{reports[i], reports[j], reports[3], reports[i], reports[j]} {
				last = f.observe(o)
			}
			if last.Status != psp.PayoutStatusFailed || last.Reconciliation != psp.ReconciliationCompleted ||
				last.FailureBalanceTransactionID != "txn_back" || last.FailedAt == nil {
				t.Errorf("reports %d and %d: %+v", i, j, last)
			}
		}
	}
}

func TestExplanation(t *testing.T) {
	for name, tc := range map[string]struct {
		payout psp.Payout
		pages  []payout.Contents
		want   payout.Explanation
		reason payout.Reason
		next   payout.Step
	}{
		"in progress": {with(completed, func(o *psp.Payout) { o.ReconciliationStatus = psp.ReconciliationInProgress }), nil,
			payout.Waiting, "", payout.None},
		"not read": {completed, nil, payout.Waiting, "", payout.Read},
		"partly read": {completed, []payout.Contents{page("txn_1", "film", 3000, 2000)},
			payout.Waiting, "", payout.Read},
		"no rows": {with(completed, func(o *psp.Payout) { o.Amount = 0 }), []payout.Contents{{}},
			payout.Explained, "", payout.Book},
		"one row": {completed, []payout.Contents{page("", "film", 5000)}, payout.Explained, "", payout.Book},
		"two pages": {completed, []payout.Contents{page("txn_1", "film", 6000, -1500), page("", "game", 500)},
			payout.Explained, "", payout.Book},
		"other rows": {completed, []payout.Contents{page("txn_1", "film", 5100), {Rows: 1, Other: -100}},
			payout.Explained, "", payout.Book},
		"negative share": {completed, []payout.Contents{page("txn_1", "film", 6000), page("", "game", -1000)},
			payout.Explained, "", payout.Book},
		"rows do not add up": {completed, []payout.Contents{page("", "film", 4999)}, payout.Unexplained, "", payout.None},
		"unmatched row": {completed, []payout.Contents{{Rows: 1, Shares: []payout.Share{{Slug: "film", Amount: 5000, Rows: 1,
			Unmatched: 1}}}}, payout.Unexplained, "", payout.Book},
		"manual": {with(completed, func(o *psp.Payout) {
			o.Automatic, o.ReconciliationStatus = false, psp.ReconciliationNotApplicable
		}), nil, payout.NotExplainable, payout.Manual, payout.None},
		"other currency": {with(completed, func(o *psp.Payout) { o.Currency = "eur" }), nil, payout.NotExplainable,
			payout.OtherCurrency, payout.None},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.observe(tc.payout)
			for _, page := range tc.pages {
				p = f.add(p, page)
			}
			if p.Explanation() != tc.want || p.Reason() != tc.reason || p.NextStep(f.now) != tc.next {
				t.Errorf("%s (%s), next %q, want %s (%s), %q: %+v", p.Explanation(), p.Reason(), p.NextStep(f.now), tc.want,
					tc.reason, tc.next, p)
			}
		})
	}
}

// Pages that are added again, or by two runs, count once.
func TestAddRows_Repeated(t *testing.T) {
	f := newFixture(t)
	p := f.observe(completed)
	first, second := page("txn_2", "film", 4000, 500), page("", "game", 500)
	one := f.add(p, first)
	f.add(p, first)
	two := f.add(one, second)
	f.add(one, second)
	f.add(p, first)
	got := f.must(f.Get(t.Context(), "po_1"))
	want := payout.Contents{Rows: 3, Shares: []payout.Share{{Slug: "film", Amount: 4500, Rows: 2},
		{Slug: "game", Amount: 500, Rows: 1}}}
	if diff := cmp.Diff(&want, got.Contents); diff != "" || got.Reading != nil || !cmp.Equal(two, got) {
		t.Errorf("contents (-want +got):\n%s\n%+v", diff, got)
	}
}

// A payout with unmatched rows is read again every day, for a limited time. Its shares do not change once
// they are booked.
func TestAddRows_ReadAgain(t *testing.T) {
	f := newFixture(t)
	unmatched := payout.Contents{}
	for i := range 7 {
		unmatched.AddRow("film", payout.Row{ID: fmt.Sprint("txn_", i), Net: 700}, false)
	}
	unmatched.AddOther(100)
	p := f.add(f.observe(completed), unmatched)
	share := payout.Share{Slug: "film", Amount: 4900, Rows: 7, Unmatched: 7,
		Examples: []string{"txn_0", "txn_1", "txn_2", "txn_3", "txn_4"}}
	if got, ok := p.ShareOf("film"); !ok || !cmp.Equal(got, share) {
		t.Errorf("share %+v", got)
	}
	p = f.must(f.MarkBooked(t.Context(), "po_1", false))
	if step := p.NextStep(f.now); step != payout.None {
		t.Errorf("next step %q", step)
	}
	f.now = f.now.Add(24 * time.Hour)
	p = f.observe(completed)
	if step := p.NextStep(f.now); step != payout.Read {
		t.Errorf("a day later: next step %q", step)
	}
	p = f.add(p, page("", "film", 700, 700, 700, 700, 700, 700, 1))
	share.Unmatched, share.Examples = 0, nil
	if got, _ := p.ShareOf("film"); p.Explanation() != payout.Explained || !cmp.Equal(got, share) {
		t.Errorf("%s, share %+v", p.Explanation(), got)
	}
	f.now = f.now.Add(70 * 24 * time.Hour)
	p = f.add(p, unmatched)
	if step := p.NextStep(f.now.Add(48 * time.Hour)); p.Unmatched() != 7 || step == payout.Read {
		t.Errorf("after two months: %d unmatched rows, next step %q", p.Unmatched(), step)
	}
}

func TestNextStep_Lookups(t *testing.T) {
	day := 24 * time.Hour
	moving := with(completed, func(o *psp.Payout) { o.Status = psp.PayoutStatusInTransit })
	manual := with(completed, func(o *psp.Payout) { o.Automatic = false })
	for name, tc := range map[string]struct {
		payout psp.Payout
		every  time.Duration // 0 for never
	}{
		"in transit":                {with(moving, func(o *psp.Payout) { o.Automatic = false }), time.Hour},
		"status of a later release": {with(manual, func(o *psp.Payout) { o.Status = "held" }), time.Hour},
		"paid":                      {manual, day},
		"paid, rows not listed": {with(completed, func(o *psp.Payout) {
			o.ReconciliationStatus = psp.ReconciliationInProgress
		}), time.Hour},
		"paid long ago": {with(manual, func(o *psp.Payout) { o.ArrivalDate = start.Add(-11 * day) }), 0},
		"failed":        {with(manual, func(o *psp.Payout) { o.Status = psp.PayoutStatusFailed }), 0},
		"canceled":      {with(manual, func(o *psp.Payout) { o.Status = psp.PayoutStatusCanceled }), 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.observe(tc.payout)
			due := func(after time.Duration) bool {
				f.now = start.Add(after)
				in, err := f.Import(t.Context(), 10)
				if err != nil {
					t.Fatal(err)
				}
				return len(in.Due) == 1 && in.Due[0].NextStep(f.now) == payout.LookUp
			}
			if tc.every == 0 {
				if due(100*day) || !p.IsFinished() {
					t.Errorf("looked up again: %+v", p)
				}
				return
			}
			if due(tc.every-time.Second) || !due(tc.every) {
				t.Errorf("not looked up every %v", tc.every)
			}
			f.now = start.Add(61 * day)
			if p = f.observe(tc.payout); due(100 * day) {
				t.Errorf("still looked up: %+v", p)
			}
		})
	}
}

func (f *fixture) entries() []ledger.Entry {
	f.t.Helper()
	all, err := kv.Ask[[]ledger.Entry](f.t.Context(), f.campaign.Coordinator, f.campaign.Object, readEntries{})
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// lines returns the kinds of entries with their changes of the clearing account.
func lines(all []ledger.Entry) (out []string) {
	for _, e := range all {
		out = append(out, fmt.Sprintf("%s %s %d", e.Kind, e.Identity, e.Balance(ledger.Clearing)))
	}
	return out
}

func TestBook(t *testing.T) {
	f := newFixture(t)
	paid := f.observe(completed)
	failed := f.observe(with(completed, func(o *psp.Payout) { o.Status = psp.PayoutStatusFailed }))
	book := func(p payout.Payout, share money.Cents) error {
		return f.campaign.Book(t.Context(), p, payout.Share{Slug: "film", Amount: share})
	}
	for range 2 {
		if err := book(paid, 5000); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"payout payout:po_1 -5000"}, lines(f.entries())); diff != "" {
		t.Errorf("paid (-want +got):\n%s", diff)
	}
	for _, p := range []payout.Payout{failed, failed, paid} { // the last one is late
		if err := book(p, 5000); err != nil {
			t.Fatal(err)
		}
	}
	both := []string{"payout payout:po_1 -5000", "payout_failed payout-failed:po_1 5000"}
	if diff := cmp.Diff(both, lines(f.entries())); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	if err := book(paid, 4000); !fault.Is(err, fault.Conflict) {
		t.Errorf("another share: %v", err)
	}
	got, err := f.campaign.Booked(t.Context(), []string{"po_1", "po_2"})
	want := map[string]payout.Booked{"po_1": {Share: 5000, Returned: 5000}, "po_2": {}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("booked: %v (-want +got):\n%s", err, diff)
	}
}

// A payout that failed before it was booked has both entries as well. A share of zero has none, and a
// negative one is the reverse.
func TestBook_FailedFirst(t *testing.T) {
	f := newFixture(t)
	for i, share := range []money.Cents{-700, 0} {
		p := f.observe(with(completed, func(o *psp.Payout) {
			o.ID, o.Status = fmt.Sprint("po_", i), psp.PayoutStatusCanceled
		}))
		if err := f.campaign.Book(t.Context(), p, payout.Share{Slug: "film", Amount: share}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"payout payout:po_0 700", "payout_failed payout-failed:po_0 -700"}
	if diff := cmp.Diff(want, lines(f.entries())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMatch(t *testing.T) {
	f := newFixture(t)
	paid := ledger.Payment{ID: "pi_1", ChargeID: "ch_1", At: start}
	parts := []ledger.PledgeComponents{{Pledge: "p1", Components: ledger.Components{Pledges: 2500}}}
	all := []ledger.Entry{ledger.NewCharge(paid, parts), ledger.NewFee(paid, "txn_1", 103),
		ledger.NewRefund(paid, "re_1", parts),
		ledger.NewRefundFailure(paid, "re_1", 2500),
		ledger.NewDispute(paid, "du_1", ledger.Change{ID: "txn_4", Amount: -2500, Fee: 1500}, ledger.Disputed)}
	c := f.campaign
	if _, err := kv.Send[int](t.Context(), c.Coordinator, c.Object, "append", appendEntries{all}); err != nil {
		t.Fatal(err)
	}
	row := func(id string, net money.Cents, refund, dispute string) psp.BalanceTransaction {
		return psp.BalanceTransaction{ID: id, Net: net, PaymentID: "pi_1", RefundID: refund, DisputeID: dispute}
	}
	for name, tc := range map[string]struct {
		row  psp.BalanceTransaction
		want payout.Match
	}{
		"charge with its fee":    {row("txn_1", 2397, "", ""), payout.Match{Ours: true, Booked: true}},
		"charge without its fee": {row("txn_9", 2397, "", ""), payout.Match{Ours: true}},
		"charge, other amount":   {row("txn_1", 2398, "", ""), payout.Match{Ours: true}},
		"refund":                 {row("txn_2", -2500, "re_1", ""), payout.Match{Ours: true, Booked: true}},
		"refund, other amount":   {row("txn_2", -2400, "re_1", ""), payout.Match{Ours: true}},
		"unknown refund":         {row("txn_2", -2500, "re_2", ""), payout.Match{Ours: true}},
		"refund that came back":  {row("txn_3", 2500, "re_1", ""), payout.Match{Ours: true, Booked: true}},
		"dispute":                {row("txn_4", -4000, "", "du_1"), payout.Match{Ours: true, Booked: true}},
		"unknown movement":       {row("txn_5", 2500, "", "du_1"), payout.Match{Ours: true}},
		"payment of another":     {psp.BalanceTransaction{ID: "txn_6", Net: 2397, PaymentID: "pi_2"}, payout.Match{}},
	} {
		got, err := f.campaign.Match(t.Context(), []payout.Row{payout.RowOf(tc.row)})
		if diff := cmp.Diff([]payout.Match{tc.want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// A failed payout is divided among the campaigns as it was paid.
func TestAddReturned(t *testing.T) {
	failed := payout.Contents{Rows: 3, Other: -100, Shares: []payout.Share{{Slug: "film", Amount: 4000, Rows: 1},
		{Slug: "game", Amount: 1100, Rows: 1, Unmatched: 1}}}
	next := page("", "game", 50)
	next.AddReturned(failed)
	want := payout.Contents{Rows: 2, Other: -100, Shares: []payout.Share{{Slug: "film", Amount: 4000, Rows: 1},
		{Slug: "game", Amount: 1150, Rows: 2}}}
	if diff := cmp.Diff(want, next); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestList_NewestFirst(t *testing.T) {
	f := newFixture(t)
	for i, age := range []int{3, 1, 2} {
		f.observe(with(completed, func(o *psp.Payout) {
			o.ID, o.CreatedAt = fmt.Sprint("po_", i), start.Add(-time.Duration(age)*time.Hour)
		}))
	}
	var got []string
	for after := ""; ; {
		page, err := f.List(t.Context(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Payouts {
			got = append(got, p.ID)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"po_1", "po_2", "po_0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := f.List(t.Context(), "po_9", 2); !fault.Is(err, fault.NotFound) {
		t.Errorf("after an unknown payout: %v", err)
	}
}

// The progress of a pass does not replace that of a later one.
func TestSetProgress_Overtaken(t *testing.T) {
	f := newFixture(t)
	later := payout.Progress{StartedAt: start.Add(time.Hour), From: start, After: "po_1"}
	for _, p := range []payout.Progress{{StartedAt: start}, later, {StartedAt: start, Done: true}} {
		if err := f.SetProgress(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if in, err := f.Import(t.Context(), 1); err != nil || !cmp.Equal(in.Progress, later, cmpopts.EquateEmpty()) {
		t.Errorf("progress %+v, %v", in.Progress, err)
	}
}
