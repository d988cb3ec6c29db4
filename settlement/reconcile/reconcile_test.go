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

// planted returns an office with each kind of difference three times, among supporters without
// differences.
func planted(t *testing.T) *office {
	o := newOffice(t)
	var settled []*pledge.Pledge
	for i := range 30 {
		settled = append(settled, o.pledge(fmt.Sprintf("fan%d", i), 1000+money.Cents(i), []string{sim.CardOK, sim.CardOK, sim.CardChargeDeclined}[i%3]))
	}
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	_, err := o.settle.Settle(ctx, "film", false)
	o.ok(err)
	for i := range 3 { // the odd ones are a cent short, a cent over and far over
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

// All planted differences are found in one run, with messages. Corrected ones are resolved by the
// next complete pass.
//
// Proves REC-11, REC-12, REC-13, REC-14, REC-15, REC-16, REC-19, REC-20, KVR-14 and KVR-15.
func TestPlantedDifferences(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	for _, b := range o.sim.Entries() {
		if strings.HasSuffix(b.Group, ":1") && b.Amount == 1001 {
			o.wire.euros = b.PaymentID
		}
	}
	r := o.run(reconcile.MaxRetrievals)
	want := map[reconcile.Kind]int{reconcile.WithoutPayment: 3, reconcile.NotSucceeded: 3, reconcile.Unavailable: 3, reconcile.AmountDiffers: 3,
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
	if r.Processor != paid || r.Booked != booked || r.Difference != paid-booked || paid == booked || r.Critical != len(r.Breaks) {
		t.Errorf("the sums are %+v, the difference %s, %d of %d critical", r.Sums, r.Difference, r.Critical, r.OpenBreaks)
	}
	for _, b := range r.Breaks {
		stored, ok, err := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key())
		if diff := gocmp.Diff(b, stored); err != nil || !ok || diff != "" || b.Message == "" || b.Occurrences != 1 || b.Status != "open" {
			t.Errorf("the record of %s: %v %s", b.Key(), err, diff)
		}
		if !strings.HasPrefix(b.Key(), "reconciliation-break:v1:film:"+string(b.Kind)+":") {
			t.Errorf("the key is %s", b.Key())
		}
	}
	first, euros := o.now, o.wire.euros
	o.wire.euros = ""
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
	i := slices.IndexFunc(r.Breaks, func(b reconcile.Break) bool { return b.PaymentID == euros && b.Kind == reconcile.Currency })
	resolved, _, err := kv.Read[reconcile.Break](ctx, o.rec.Store, r.Breaks[i].Key())
	if err != nil || resolved.Status != "resolved" || !resolved.LastSeenAt.Equal(first) {
		t.Errorf("resolved: %+v, %v", resolved, err)
	}
	if n := len(o.sim.Entries()); n != 20+9 {
		t.Errorf("%d payments: reconciling has charged somebody", n)
	}
	for _, after := range []time.Duration{-time.Minute, time.Minute} {
		for _, b := range again.Breaks {
			o.now = b.LastSeenAt.Add(400*24*time.Hour + after)
			if _, ok, _ := kv.Read[reconcile.Break](ctx, o.rec.Store, b.Key()); ok != (after < 0) {
				t.Errorf("%s after 400 days %s is there: %t", after, b.Key(), ok)
			}
		}
		o.now = resolved.LastSeenAt.Add(400*24*time.Hour + after)
		if _, ok, _ := kv.Read[reconcile.Break](ctx, o.rec.Store, r.Breaks[i].Key()); ok != (after < 0) {
			t.Errorf("%s after 400 days the record is there: %t", after, ok)
		}
	}
}

// A payment in another currency is a break of that kind, whatever its amount, and the message
// names the payment's currency.
//
// Proves REC-15.
func TestCurrencies(t *testing.T) {
	for _, paid := range []psp.Payment{{Currency: "eur", Amount: 2500}, {Currency: "cad", Amount: 2500}, {Currency: "jpy", Amount: 390}, {Currency: "", Amount: 2500}} {
		o := newOffice(t)
		o.pledge("ana", 2500, sim.CardOK)
		other := o.pledge("bob", 700, sim.CardOK)
		o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
		_, err := o.settle.Settle(ctx, "film", false)
		o.ok(err)
		o.now = o.now.Add(3 * time.Hour)
		o.wire.says = func(p psp.Payment) (psp.Payment, error) {
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
		if want := "The pledge is in usd and its payment in " + paid.Currency; b.Message != want || b.Booked != 2500 || b.Processor != paid.Amount || b.OrderIDs[0] == other.OrderID {
			t.Errorf("it is %+v", b)
		}
	}
}

// A break that a pass no longer finds is resolved, and opens again as the same break when it is
// found again.
//
// Proves REC-19, REC-20 and REC-21.
func TestABreakComesAndGoes(t *testing.T) {
	o := newOffice(t)
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
		o.now, o.wire.euros = at(day), ""
		if tt.differs {
			o.wire.euros = payment
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
		if b.Status != tt.status || b.Occurrences != tt.times || !b.FirstSeenAt.Equal(start) || !b.LastSeenAt.Equal(at(tt.last)) ||
			(b.ResolvedAt != nil) != (tt.resolved > 0) || tt.resolved > 0 && !b.ResolvedAt.Equal(at(tt.resolved)) {
			t.Errorf("on day %d it is %+v", day, b)
		}
	}
}

// A settlement that stopped and a charge without a known outcome are reported. A settlement that
// is slow or completed is not.
//
// Proves REC-17, REC-20.
func TestWarnings(t *testing.T) {
	o := newOffice(t)
	for i := range 60 {
		o.pledge(fmt.Sprintf("fan%d", i), 1000, sim.CardOK)
	}
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	charges := 0
	o.wire.before = func() { // the outcome of nearly all is unknown
		if charges++; charges%15 != 0 && charges <= 64 {
			o.ok(o.sim.Order(sim.Fault{Kind: sim.DropRequest, Op: sim.CreateIntent}))
		}
	}
	for batch := range 2 {
		if _, err := o.settle.Dispatch(ctx, "film"); err != nil {
			t.Fatal(err)
		}
		o.now = o.now.Add(30 * time.Minute)
		if r := o.run(0); len(r.Breaks) != 0 {
			t.Errorf("on the way, after batch %d: %+v", batch+1, r.Breaks)
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
		t.Error("reconciling has charged somebody")
	}
}

// A break leads to no charge: not by reconciling, not by settlement, and not by a supporter of a
// pledge that is recorded as charged.
//
// Proves REC-20, REC-22.
func TestBreaksChargeNobody(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	asked, charges := o.sim.Received(sim.CreateIntent), len(o.sim.Entries())
	before := o.run(0)
	o.run(0)
	if n := o.sim.Received(sim.CreateIntent) - asked; n != 0 || before.Critical == 0 {
		t.Errorf("reconciling with %d critical breaks has asked for %d charges", before.Critical, n)
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
	delete(want, reconcile.NotBooked) // settlement has imported those payments
	if diff := gocmp.Diff(want, countByKind(o.run(0))); diff != "" || len(o.sim.Entries()) != charges {
		t.Errorf("%d charges and then %d, breaks (-want +got):\n%s", charges, len(o.sim.Entries()), diff)
	}
}

// Amounts in a report are whole cents.
//
// Proves MON-09.
func TestMoneyInReports(t *testing.T) {
	o := newOffice(t)
	p := o.pledge("ana", 2501, sim.CardOK)
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	o.chargedBy(p, o.pay(p, 1, 2499))
	report, err := json.Marshal(o.run(0))
	o.ok(err)
	var got []string
	for _, m := range amounts.FindAllStringSubmatch(string(report), -1) {
		got = append(got, m[1]+" "+m[2])
	}
	want := []string{"bookedGross 2501", "processorGross 2499", "pledged 2501", "collectable 2501", "collected 2501", "available 0",
		"difference -2", "bookedAmount 2501", "processorAmount 2499", "difference -2"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the report (-want +got):\n%s", diff)
	}
}

// amounts finds the amounts in a report, whatever their form.
var amounts = regexp.MustCompile(`"(bookedGross|processorGross|pledged|collectable|collected|available|difference|bookedAmount|processorAmount)":([^,}]*)`)

// A pass over a large campaign runs in bounded parts along the campaign's index and ends as one
// pass.
//
// Proves REC-10.
func TestBounds(t *testing.T) {
	const lists = reconcile.MaxRetrievals / 100 // as many payments as may be read one by one, in hundreds
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	o.wire.page = 2
	o.fail = func(op memkv.Op) error {
		if op.Kind == memkv.OpList {
			t.Errorf("the records of %q are walked", op.Key)
		}
		return nil
	}
	runs := 0
	var r reconcile.Report
	for r.Truncated = true; r.Truncated && runs < 100; runs++ {
		reads, pages, most := o.wire.reads, o.wire.lists, 1+runs%4
		r = o.run(most)
		if reads, pages = o.wire.reads-reads, o.wire.lists-pages; reads > most || pages > lists {
			t.Fatalf("a run of %d reads %d payments and %d pages", most, reads, pages)
		}
	}
	whole := planted(t)
	whole.now = whole.now.Add(3 * time.Hour)
	one := whole.run(0)
	if r.Retrieved < one.Retrieved || whole.wire.reads != one.Retrieved || o.wire.reads != r.Retrieved {
		t.Errorf("%d payments were read, and %d in one run", r.Retrieved, one.Retrieved)
	}
	r.Retrieved = one.Retrieved // a payment of several pledges may be read again
	if diff := gocmp.Diff(one.Sums, r.Sums) + gocmp.Diff(countByKind(one), countByKind(r)); diff != "" || runs < 10 || one.Truncated {
		t.Errorf("%d runs come to another end than one (-one +many):\n%s", runs, diff)
	}
}

// Payments of a campaign are found from a day before its first pledge on, whatever deadline its
// file has.
func TestReconcile_WindowBeginsWithTheFirstPledge(t *testing.T) {
	end := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	first := newOffice(t).now
	for _, tt := range []struct {
		at    time.Time
		found int
	}{
		{end.Add(-59 * time.Minute), 1}, {end.Add(3 * time.Hour), 1}, {first, 1}, {first.Add(-24*time.Hour + time.Second), 1}, {first.Add(-24*time.Hour - time.Second), 0},
	} {
		o := newOffice(t)
		p := o.pledge("ana", 2500, sim.CardOK)
		o.now = tt.at
		o.pay(p, 1, 2500)
		o.now = end.Add(6 * time.Hour)
		if r := o.run(0); r.Listed != tt.found || countByKind(r)[reconcile.NotBooked] != tt.found {
			t.Errorf("a payment of %s: %+v", tt.at, r)
		}
	}
}

// If the processor does not answer, nothing is known: no break is resolved or opened.
func TestSilence(t *testing.T) {
	o := planted(t)
	o.now = o.now.Add(3 * time.Hour)
	before := o.run(0)
	o.wire.silent = true
	if _, err := o.rec.Run(ctx, "film", 0); !fault.Is(err, fault.Unavailable) {
		t.Errorf("unanswered: %v", err)
	}
	empty := newOffice(t) // only the list has to be read
	empty.wire.silent = true
	if _, err := empty.rec.Run(ctx, "film", 0); !fault.Is(err, fault.Unavailable) {
		t.Errorf("the list is unanswered: %v", err)
	}
	after, err := o.rec.Report(ctx, "film")
	if diff := gocmp.Diff(countByKind(before), countByKind(after)); err != nil || diff != "" || after.Attempted {
		t.Errorf("after that (-before +after): %v\n%s", err, diff)
	}
	if _, err := o.rec.Run(ctx, "album", 0); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown campaign: %v", err)
	}
}

// Ten thousand supporters with all kinds of cards and an unreliable connection are settled
// completely: nothing differs, and no run reads more payments than allowed.
//
// Proves REC-10.
func TestCleanHistories(t *testing.T) {
	supporters := 10_000
	if testing.Short() {
		supporters = 300
	}
	o := newOffice(t)
	cards := []string{sim.CardOK, sim.CardOK, sim.CardOK, sim.CardOK, sim.CardOK, sim.CardChargeDeclined, sim.CardAuthAlways, sim.CardAuthInsufficient,
		sim.CardProcessing + ":30m", sim.CardRollsForward + ":1h", sim.CardProcessFails + ":1h"}
	for i := range supporters {
		o.pledge(fmt.Sprintf("fan%d", i), 1000+money.Cents(i), cards[i%len(cards)])
	}
	o.now = time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	charges := 0
	o.wire.before = func() {
		if charges++; charges%20 == 0 && charges <= supporters {
			o.ok(o.sim.Order(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}, sim.Fault{Kind: sim.ServerErrorAfter, Op: sim.CreateIntent}))
		}
	}
	for range 4 {
		_, err := o.settle.Settle(ctx, "film", false)
		o.ok(err)
		o.now = o.now.Add(time.Hour)
	}
	o.now = o.now.Add(3 * time.Hour)
	var r reconcile.Report
	for range supporters { // far more often than needed
		reads := o.wire.reads
		r = o.run(supporters)
		if reads = o.wire.reads - reads; reads > reconcile.MaxRetrievals {
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
