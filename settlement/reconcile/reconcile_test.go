package reconcile_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/settlement/reconcile"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// planted returns a fixture with three differences of each kind, and some supporters without
// differences.
func planted(t *testing.T) *fixture {
	o := newFixture(t)
	var settled []*pledge.Pledge
	for i := range 30 {
		settled = append(settled, o.pledge(fmt.Sprintf("fan%d", i), 1000+money.Cents(i),
			[]string{sim.CardOK, sim.CardOK, sim.CardChargeDeclined}[i%3]))
	}
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	for i := range 3 { // the amounts are a cent short, a cent over and far over
		late := func(name string, card string) *pledge.Pledge {
			return o.pledge(fmt.Sprintf("%s%d", name, i), 2500, card)
		}
		o.chargedBy(late("nameless", sim.CardOK), "")
		refused := late("refused", sim.CardChargeDeclined)
		o.chargedBy(refused, o.pay(refused, 1, 2500))
		o.chargedBy(late("unknown", sim.CardOK), fmt.Sprintf("pi_gone%d", i))
		uneven := late("uneven", sim.CardOK)
		o.chargedBy(uneven, o.pay(uneven, 1, []money.Cents{2499, 2501, 5000}[i]))
		o.pay(late("unbooked", sim.CardOK), 1, 2500)
		o.pay(settled[3*i], 2, 1000)
	}
	return o
}

// One run finds all planted differences and describes them. After they are corrected, the next
// complete pass resolves them.
//
// Proves REC-11, REC-12, REC-13, REC-14, REC-15, REC-16, REC-19, REC-20 and KVR-14.
func TestPlantedDifferences(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	for _, b := range o.sim.Entries() {
		if strings.HasSuffix(b.Group, ":1") && b.Amount == 1001 {
			o.conn.euros = b.PaymentID
		}
	}
	r := o.run(reconcile.MaxRetrievals)
	want := map[reconcile.Kind]int{reconcile.WithoutPayment: 3, reconcile.NotSucceeded: 3,
		reconcile.Unavailable: 3, reconcile.AmountDiffers: 3,
		reconcile.NotBooked: 3 + 3, reconcile.ChargedTwice: 3, reconcile.Currency: 1}
	if diff := gocmp.Diff(want, countByKind(r)); diff != "" || r.Truncated || r.ReconciledAt == nil {
		t.Fatalf("the first run (-want +got):\n%s%+v", diff, r.Breaks)
	}
	var paid, booked money.Cents
	for _, b := range o.sim.Entries() {
		paid += b.Amount
	}
	for _, p := range o.allPledges() {
		if p.Charged {
			booked += p.Amount
		}
	}
	if r.Processor != paid || r.Booked != booked || r.Difference != paid-booked ||
		paid == booked || r.Critical != len(r.Breaks) {
		t.Errorf("the sums are %+v, the difference %s, %d of %d critical", r.Sums, r.Difference, r.Critical, r.OpenBreaks)
	}
	for _, b := range r.Breaks {
		stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key())
		if diff := gocmp.Diff(b, stored); err != nil || !ok || diff != "" || b.Message == "" ||
			b.Occurrences != 1 || b.Status != "open" {
			t.Errorf("the record of %s: %v %s", b.Key(), err, diff)
		}
		if !strings.HasPrefix(b.Key(), "reconciliation-break:v1:film:"+string(b.Kind)+":") {
			t.Errorf("the key is %s", b.Key())
		}
	}
	first, euros := o.now, o.conn.euros
	o.conn.euros = ""
	o.now = o.now.Add(24 * time.Hour)
	delete(want, reconcile.Currency)
	again := o.run(0)
	if diff := gocmp.Diff(want, countByKind(again)); diff != "" {
		t.Errorf("a day later (-want +got):\n%s", diff)
	}
	for _, b := range again.Breaks {
		if b.Occurrences != 2 || !b.FirstSeenAt.Equal(first) || !b.LastSeenAt.Equal(o.now) {
			t.Errorf("seen twice: %+v", b)
		}
	}
	i := slices.IndexFunc(r.Breaks,
		func(b reconcile.Break) bool { return b.PaymentID == euros && b.Kind == reconcile.Currency })
	resolved, _, err := kv.Read[reconcile.Break](ctx, o.rec.Store, r.Breaks[i].Key())
	if err != nil || resolved.Status != "resolved" || !resolved.LastSeenAt.Equal(first) {
		t.Errorf("resolved: %+v, %v", resolved, err)
	}
	if n := len(o.sim.Entries()); n != 20+9 {
		t.Errorf("%d payments: reconciliation made a charge", n)
	}
	for _, after := range []time.Duration{-time.Minute, time.Minute} {
		for _, b := range again.Breaks {
			o.now = b.LastSeenAt.Add(730*24*time.Hour + after)
			if _, ok, _ := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key()); ok != (after < 0) {
				t.Errorf("%s after 730 days the copy of %s exists: %t", after, b.Key(), ok)
			}
		}
		o.now = resolved.LastSeenAt.Add(730*24*time.Hour + after)
		if _, ok, _ := kv.Read[reconcile.Break](ctx, o.rec.Store, r.Breaks[i].Key()); ok != (after < 0) {
			t.Errorf("%s after 730 days the record exists: %t", after, ok)
		}
	}
}

// A payment in another currency is a break of that kind, regardless of its amount, and the
// message names the payment's currency.
//
// Proves REC-15.
func TestCurrencies(t *testing.T) {
	for _, paid := range []psp.Payment{{Currency: "eur", Amount: 2500}, {Currency: "cad", Amount: 2500},
		{Currency: "jpy", Amount: 390}, {Currency: "", Amount: 2500}} {
		o := newFixture(t)
		o.pledge("ana", 2500, sim.CardOK)
		other := o.pledge("bob", 700, sim.CardOK)
		o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
		_, err := o.settle.Settle(ctx, "film", false)
		o.ok(err)
		o.now = o.now.Add(3 * time.Hour)
		o.conn.replace = func(p psp.Payment) (psp.Payment, error) {
			if p.Amount != other.Amount {
				p.Currency, p.Amount, p.Received = paid.Currency, paid.Amount, paid.Amount
			}
			return p, nil
		}
		r := o.run(0)
		if diff := gocmp.Diff(map[reconcile.Kind]int{reconcile.Currency: 1}, countByKind(r)); diff != "" {
			t.Fatalf("a payment of %d %s (-want +got):\n%s", paid.Amount, paid.Currency, diff)
		}
		b := r.Breaks[0]
		if want := "The pledge is in usd and its payment in " + paid.Currency; b.Message != want ||
			b.Booked != 2500 || b.Processor != paid.Amount || b.OrderIDs[0] == other.OrderID {
			t.Errorf("it is %+v", b)
		}
	}
}

// A break that a pass no longer finds is resolved. If it is found again, the same break is
// opened again.
//
// Proves REC-19, REC-20 and REC-21.
func TestBreak_ResolvedAndReopened(t *testing.T) {
	o := newFixture(t)
	o.pledge("ana", 2500, sim.CardOK)
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	payment, start := o.sim.Entries()[0].PaymentID, o.now
	key := ""
	for day, tt := range []struct {
		differs  bool
		status   reconcile.Status
		times    int
		last     int // day
		resolved int // day, if it is resolved
	}{
		{true, "open", 1, 0, 0}, {true, "open", 2, 1, 0}, {false, "resolved", 2, 1, 2}, {false, "resolved", 2, 1, 2},
		{true, "open", 3, 4, 0}, {false, "resolved", 3, 4, 5},
	} {
		at := func(day int) time.Time { return start.AddDate(0, 0, day) }
		o.now, o.conn.euros = at(day), ""
		if tt.differs {
			o.conn.euros = payment
		}
		r := o.run(0)
		if (len(r.Breaks) == 1) != tt.differs {
			t.Fatalf("on day %d the breaks are %+v", day, r.Breaks)
		}
		if day == 0 {
			key = r.Breaks[0].Key()
		}
		b, _, err := kv.Read[reconcile.Break](ctx, o.rec.Store, key)
		o.ok(err)
		if b.Status != tt.status || b.Occurrences != tt.times || !b.FirstSeenAt.Equal(start) ||
			!b.LastSeenAt.Equal(at(tt.last)) ||
			(b.ResolvedAt != nil) != (tt.resolved > 0) || tt.resolved > 0 && !b.ResolvedAt.Equal(at(tt.resolved)) {
			t.Errorf("on day %d the break is %+v", day, b)
		}
	}
}

// A stopped settlement and a charge with an unknown outcome are reported. A slow or completed
// settlement is not.
//
// Proves REC-17, REC-20.
func TestWarnings(t *testing.T) {
	o := newFixture(t)
	for i := range 60 {
		o.pledge(fmt.Sprintf("fan%d", i), 1000, sim.CardOK)
	}
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	charges := 0
	o.conn.before = func() { // the outcome of nearly all is unknown
		if charges++; charges%15 != 0 && charges <= 64 {
			o.ok(o.sim.InjectFaults(sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent}))
		}
	}
	for batch := range 2 {
		if _, err := o.settle.Dispatch(ctx, "film"); err != nil {
			t.Fatal(err)
		}
		o.now = o.now.Add(30 * time.Minute)
		if r := o.run(0); len(r.Breaks) != 0 {
			t.Errorf("while running, after batch %d: %+v", batch+1, r.Breaks)
		}
	}
	o.now = o.now.Add(time.Second)
	if diff := gocmp.Diff(map[reconcile.Kind]int{reconcile.StaleJob: 1}, countByKind(o.run(0))); diff != "" {
		t.Errorf("half an hour later (-want +got):\n%s", diff)
	}
	if p, err := o.settle.Dispatch(ctx, "film"); err != nil || p.Status == state.JobRunning {
		t.Fatalf("the last batch: %+v, %v", p, err)
	}
	o.now = o.now.Add(time.Hour)
	if r := o.run(0); len(r.Breaks) != 0 {
		t.Errorf("after the job: %+v", r.Breaks)
	}
	o.now = o.now.Add(24 * time.Hour)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	r := o.run(0)
	if got := countByKind(r)[reconcile.Ambiguous]; got == 0 || r.Critical != 0 {
		t.Errorf("a day later: %v, %d critical", countByKind(r), r.Critical)
	}
	before := len(o.sim.Entries())
	o.run(0)
	if len(o.sim.Entries()) != before {
		t.Error("reconciliation made a charge")
	}
}

// A break never causes a charge: neither reconciliation nor settlement nor a supporter's new
// card charges a pledge that is recorded as charged.
//
// Proves REC-20, REC-22.
func TestBreak_CausesNoCharge(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	asked, charges := o.sim.Received(sim.CreateIntent), len(o.sim.Entries())
	before := o.run(0)
	o.run(0)
	if n := o.sim.Received(sim.CreateIntent) - asked; n != 0 || before.Critical == 0 {
		t.Errorf("reconciliation with %d critical breaks made %d charges", before.Critical, n)
	}
	for range 3 {
		if _, err := o.settle.Settle(ctx, "film", false); err != nil {
			t.Fatal(err)
		}
		for _, p := range o.allPledges() {
			o.ok(o.settle.RetryCard(ctx, "film", p.Email))
		}
		o.now = o.now.Add(time.Hour)
	}
	want := countByKind(before)
	delete(want, reconcile.NotBooked) // settlement imported those payments
	if diff := gocmp.Diff(want, countByKind(o.run(0))); diff != "" || len(o.sim.Entries()) != charges {
		t.Errorf("%d charges and then %d, breaks (-want +got):\n%s", charges, len(o.sim.Entries()), diff)
	}
}

// Amounts in a report are whole cents.
//
// Proves MON-09.
func TestMoneyInReports(t *testing.T) {
	o := newFixture(t)
	p := o.pledge("ana", 2501, sim.CardOK)
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	o.chargedBy(p, o.pay(p, 1, 2499))
	report, err := json.Marshal(o.run(0))
	o.ok(err)
	var got []string
	for _, m := range amounts.FindAllStringSubmatch(string(report), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	want := []string{"bookedGross 2501", "processorGross 2499", "pledged 2501", "collectable 2501",
		"collected 2501", "available 0",
		"difference -2", "bookedAmount 2501", "processorAmount 2499", "difference -2"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the report (-want +got):\n%s", diff)
	}
}

// amounts finds the amounts in a report, whatever their form.
var amounts = regexp.MustCompile(`"(bookedGross|processorGross|pledged|collectable|collected|available|difference|bookedAmount|processorAmount)":([^,}]*)`)

// A pass over a large campaign is divided into bounded runs along the campaign's index, and
// ends as one pass.
//
// Proves REC-10.
func TestBounds(t *testing.T) {
	const lists = reconcile.MaxRetrievals / 100 // pages of the list per run
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	o.conn.page = 2
	o.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpList {
			t.Errorf("the prefix %q was listed", op.Key)
		}
		return nil
	}
	runs := 0
	var r reconcile.Report
	for r.Truncated = true; r.Truncated && runs < 100; runs++ {
		reads, pages, most := o.conn.reads, o.conn.lists, 1+runs%4
		r = o.run(most)
		if reads, pages = o.conn.reads-reads, o.conn.lists-pages; reads > most || pages > lists {
			t.Fatalf("a run of %d reads %d payments and %d pages", most, reads, pages)
		}
	}
	whole := planted(t)
	whole.now = whole.now.Add(3 * time.Hour)
	one := whole.run(0)
	if r.Retrieved < one.Retrieved || whole.conn.reads != one.Retrieved || o.conn.reads != r.Retrieved {
		t.Errorf("%d payments were read, and %d in one run", r.Retrieved, one.Retrieved)
	}
	r.Retrieved = one.Retrieved // a payment of several pledges may be read again
	if diff := gocmp.Diff(one.Sums, r.Sums) + gocmp.Diff(countByKind(one), countByKind(r)); diff != "" ||
		runs < 10 || one.Truncated {
		t.Errorf("%d runs have another result than one (-one +many):\n%s", runs, diff)
	}
}

// Payments of a campaign are found from a day before its first pledge on, regardless of the
// deadline in its file.
func TestReconcile_WindowStartsAtFirstPledge(t *testing.T) {
	end := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	first := newFixture(t).now
	for _, tt := range []struct {
		at    time.Time
		found int
	}{
		{end.Add(-59 * time.Minute), 1}, {end.Add(3 * time.Hour), 1}, {first, 1}, {first.Add(-24*time.Hour + time.Second), 1},
		{first.Add(-24*time.Hour - time.Second), 0},
	} {
		o := newFixture(t)
		p := o.pledge("ana", 2500, sim.CardOK)
		o.now = tt.at
		o.pay(p, 1, 2500)
		o.now = end.Add(6 * time.Hour)
		if r := o.run(0); r.Listed != tt.found || countByKind(r)[reconcile.NotBooked] != tt.found {
			t.Errorf("a payment of %s: %+v", tt.at, r)
		}
	}
}

// If the processor does not answer, no break is resolved or opened.
func TestReconcile_ProcessorUnavailable(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	before := o.run(0)
	o.conn.readsFail = true
	if _, err := o.rec.Run(ctx, "film", 0); !fault.Is(err, fault.Unavailable) {
		t.Errorf("unanswered: %v", err)
	}
	empty := newFixture(t) // only the list has to be read
	empty.conn.readsFail = true
	if _, err := empty.rec.Run(ctx, "film", 0); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without the list: %v", err)
	}
	after, err := o.rec.Report(ctx, "film")
	if diff := gocmp.Diff(countByKind(before), countByKind(after)); err != nil || diff != "" || after.Attempted {
		t.Errorf("after the failed runs (-before +after): %v\n%s", err, diff)
	}
	if _, err := o.rec.Run(ctx, "album", 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown campaign: %v", err)
	}
}

// Ten thousand supporters with all kinds of cards and an unreliable connection are settled
// completely. Then nothing differs, and no run reads more payments than allowed.
//
// Proves REC-10.
func TestReconcile_LargeCampaignWithoutBreaks(t *testing.T) {
	supporters := 10_000
	if testing.Short() {
		supporters = 300
	}
	o := newFixture(t)
	cards := []string{sim.CardOK, sim.CardOK, sim.CardOK, sim.CardOK, sim.CardOK, sim.CardChargeDeclined,
		sim.CardAuthAlways, sim.CardAuthInsufficient,
		sim.CardProcessing + ":30m", sim.CardRollsForward + ":1h", sim.CardProcessFails + ":1h"}
	for i := range supporters {
		o.pledge(fmt.Sprintf("fan%d", i), 1000+money.Cents(i), cards[i%len(cards)])
	}
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	charges := 0
	o.conn.before = func() {
		if charges++; charges%20 == 0 && charges <= supporters {
			o.ok(o.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent},
				sim.Fault{Kind: sim.ServerErrorAfter, Op: sim.CreateIntent}))
		}
	}
	for range 4 {
		_, err := o.settle.Settle(ctx, "film", false)
		o.ok(err)
		o.now = o.now.Add(time.Hour)
	}
	o.now = o.now.Add(3 * time.Hour)
	var r reconcile.Report
	for range supporters { // many more runs than needed
		reads := o.conn.reads
		r = o.run(supporters)
		if reads = o.conn.reads - reads; reads > reconcile.MaxRetrievals {
			t.Errorf("a run reads %d payments", reads)
		}
		if !r.Truncated {
			break
		}
	}
	if len(r.Breaks) > 0 || r.Difference != 0 || r.Checked != supporters || r.Listed != len(o.sim.Entries()) {
		t.Errorf("%d breaks, difference %s: %+v\n%+v", r.OpenBreaks, r.Difference, r.Sums, r.Breaks[:min(len(r.Breaks), 3)])
	}
	t.Logf("%d supporters, %d payments, %s: %d breaks", r.Checked, r.Listed, r.Processor, r.OpenBreaks)
}
