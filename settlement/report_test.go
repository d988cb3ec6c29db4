package settlement

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// totals returns the counts of a job.
func totals(j *state.Job) map[string]int {
	return map[string]int{"charged": j.TotalCharged, "failed": j.TotalFailed,
		"dropped": j.TotalDropped, "skipped": j.TotalSkipped,
		"needs attention": j.TotalNeedsAttention, "processed": j.Processed, "cents": int(j.AmountCharged)}
}

// A job counts the results of all its batches, but nothing else.
func TestJob_Counts(t *testing.T) {
	w := newFixture(t)
	for i := range 28 {
		w.pledge(fmt.Sprintf("fan%02d", i), "film", 1000, sim.CardOK)
		w.pledge(fmt.Sprintf("lost%02d", i), "film", 1000, "none")
	}
	for i := range 5 {
		w.pledge(fmt.Sprintf("refused%d", i), "film", 1000, sim.CardChargeDeclined)
	}
	w.deadline()
	job := func(want map[string]int) {
		t.Helper()
		j, err := w.svc.Job(w.ctx, "film")
		w.ok(err)
		if diff := cmp.Diff(want, totals(j)); diff != "" {
			t.Errorf("the job's counts (-want +got):\n%s", diff)
		}
	}
	w.batches("chain", "film")
	first := map[string]int{"charged": 28, "failed": 5, "dropped": 0, "skipped": 28,
		"needs attention": 0, "processed": 61, "cents": 28_000}
	job(first)
	w.newCard("refused0", sim.CardOK, 0)
	w.ok(w.svc.RetryCard(w.ctx, "film", email("refused0")))
	job(first)
	for i := range 28 {
		w.pledge(fmt.Sprintf("fan%02d", i), "film", 500, sim.CardOK)
	}
	w.sendMails()
	w.now = w.now.Add(15 * day)
	w.run([]string{"due"})
	w.batches("chain", "film")
	job(map[string]int{"charged": 0, "failed": 0, "dropped": 4, "skipped": 28, "needs attention": 28,
		"processed": 4 + 28 + 2*28, "cents": 0})
}

// A report has the outcome of every supporter and the pledges without a card.
func TestReport(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 500, sim.CardOK)
	w.pledge("bob", "film", 700, sim.CardChargeDeclined)
	w.pledge("cleo", "film", 600, "none")
	w.pledge("dan", "film", 600, "none")
	w.pledge("dan", "film", 600, "none")
	w.deadline()
	report := func(faults string, want Result) {
		t.Helper()
		w.run([]string{"deaf", faults})
		r, err := w.svc.Settle(w.ctx, "film", false)
		w.ok(err)
		got := *r.Result
		got.Errors = got.Errors[:0]
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b []Detail) bool { return len(a) == len(b) })); diff != "" ||
			r.SkippedNoCustomer != 3 {
			t.Errorf("%d pledges without a card, the report (-want +got):\n%s", r.SkippedNoCustomer, diff)
		}
	}
	report("0", Result{Success: true, SupportersCharged: 1, SupportersFailed: 1, PledgesCharged: 2, TotalCharged: 3000})
	if j, err := w.svc.Job(w.ctx, "film"); j != nil || err != nil {
		t.Errorf("a job was created: %+v, %v", j, err)
	}
	w.pledge("eve", "film", 900, sim.CardOK)
	w.ok(w.sim.InjectFaults(sim.Fault{Kind: sim.DropAnswer, Op: sim.CreateIntent}))
	report("1", Result{})
	w.run([]string{"deaf", "1"})
	wantCode(t, "a retry without an answer", w.svc.RetryCard(w.ctx, "film", email("eve")), fault.Unavailable)
	report("0", Result{Success: true, SupportersCharged: 1, PledgesCharged: 1, TotalCharged: 900})
}

// Amounts are whole cents in every report: of a preview, a settlement and a batch.
//
// Proves MON-09.
func TestReport_WholeCents(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	w.pledge("ana", "film", 501, sim.CardOK)
	w.pledge("bob", "film", 49, sim.CardOK)
	w.deadline()
	says := func(what string, report any, err error, want ...string) {
		t.Helper()
		w.ok(err)
		body, err := json.Marshal(report)
		w.ok(err)
		var got []string
		for _, m := range amounts.FindAllStringSubmatch(string(body), -1) {
			got = append(got, m[1]+" "+m[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	r, err := w.svc.Settle(w.ctx, "film", true)
	says("the preview", r, err, "pledged 3050", "collectable 3050", "collected 0", "available 0",
		"amount 49", "totalAmount 3001", "totalAmount 3001")
	w.svc.BatchSize = 1
	for _, want := range [][]string{ // totalCharged counts pledges here
		{"amount 49", "totalCharged 0", "amountCharged 0"},
		{"amount 3001", "totalCharged 2", "amountCharged 3001"},
	} {
		p, err := w.svc.Dispatch(w.ctx, "film")
		says("a batch", p, err, want...)
	}
	w.pledge("cleo", "film", 1999, sim.CardOK)
	r, err = w.svc.Settle(w.ctx, "film", false)
	says("the settlement", r, err, "pledged 5049", "collectable 5049", "collected 5000",
		"available 4795", "amount 49", "totalCharged 1999")
}

// amounts finds the amounts in a report, whatever their form.
var amounts = regexp.MustCompile(`"(pledged|collectable|collected|available|amount|amountCharged|totalAmount|totalCharged)":([^,}\]]*)`)

// A due campaign is found even after a running one in the catalogue.
func TestDueCampaigns_BehindARunningOne(t *testing.T) {
	w := newFixture(t)
	w.pledge("ana", "film", 2500, sim.CardOK)
	for _, first := range []string{"film", "a-later-one"} {
		w.addCampaign(first)
		w.deadline()
		if got := w.run([]string{"due"}); got[0] != "due: film" {
			t.Errorf("with %s first: %v", first, got)
		}
	}
}

// addCampaign adds a running campaign to the catalogue, before or after the film.
func (w *fixture) addCampaign(first string) {
	w.t.Helper()
	later, err := campaignfile.Parse("campaigns/later.md",
		[]byte(strings.Replace(fmt.Sprintf(films, "A later one", "a-later-one", 20), "2026-03-01", "2026-06-01", 1)))
	w.ok(err)
	film, err := w.catalogue.Campaign("film")
	w.ok(err)
	all := []*campaign.Campaign{film, later}
	if first != "film" {
		slices.Reverse(all)
	}
	w.catalogue, err = campaign.NewCatalogue(all, campaign.PlatformAddOns{})
	w.ok(err)
}

// A pledge's charge time is that of the processor's answer, however much later it is booked.
func TestChargedAt(t *testing.T) {
	w := newFixture(t)
	id := w.pledge("ana", "film", 2500, sim.CardOK)
	w.deadline()
	at := w.now
	w.conn.watch = func(op memkv.Op) error {
		if op.Kind == memkv.OpDo && op.Command.Kind == "charge" {
			return errDisconnected
		}
		return nil
	}
	w.settle("film", false)
	w.conn.watch = nil
	w.now = w.now.Add(time.Hour)
	g := w.group("ana", "film")
	if _, err := (state.Client{Coordinator: w.db.Coordinator(), Slug: "film"}).RecordResult(w.ctx, state.Lease{}, *g,
		state.Result{Status: g.ProcessorStatus, FromLookup: true, PaymentID: g.PaymentIntentID}); err != nil {
		t.Fatal(err)
	}
	w.settle("film", false)
	if p := w.pledgeByID(id); p.ChargedAt == nil || !p.ChargedAt.Equal(at) {
		t.Errorf("charged at %v, want %s", p.ChargedAt, at)
	}
}
