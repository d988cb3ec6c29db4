package httpapi_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/analytics"
	"github.com/pledgeworks/pledgeworks/admin/supporters"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
	"github.com/pledgeworks/pledgeworks/settlement/refund"
)

// changing matches the numbers of versions and the times of responses.
var changing = regexp.MustCompile(`"(version|updatedAt|now)":[^,}]+`)

// publicTotals returns what the public sees of a campaign's totals.
func (e *edge) publicTotals() (all []string) {
	e.t.Helper()
	for _, path := range []string{"/stats/" + game, "/inventory/" + game, "/live/" + game} {
		r := e.get(path, "")
		e.wantStatus(r, 200)
		all = append(all, changing.ReplaceAllString(string(r.Body), ""))
	}
	return all
}

// After a refund and a dispute, the report, analytics and overview agree with the ledger. Before them, they
// mention neither. The public totals never change.
func TestReversals(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s, _ := e.pledge("a@example.com", gameCart(20), cardOK)
	e.pledge("b@example.com", gameCart(1), cardOK)
	e.Advance(48 * time.Hour)
	e.cron()
	order, ada := s.Campaigns[0].OrderID, e.super()
	public := e.publicTotals()
	var want ledger.Sums
	for _, paid := range e.Sim.Entries() {
		want.Collected, want.Fees, want.Net = want.Collected+paid.Amount, want.Fees+paid.Fee, want.Net+paid.Net
	}
	if r := e.reversals(ada); r.analytics.Ledger != nil || r.overview != nil || r.refunded != "" ||
		r.analytics.Total.Refunded != 0 || r.analytics.Total.Net != want.Net {
		t.Errorf("before the refund: %+v", r)
	}

	e.wantStatus(ada.ask("POST", refunds, refundOf("refund-1", order, 1000)), 200)
	want.Refunded, want.Net = 1000, want.Net-1000
	r := e.reversals(ada)
	if diff := cmp.Diff(&want, r.analytics.Ledger); diff != "" || r.analytics.Total.Refunded != 1000 ||
		r.analytics.Total.Net != want.Net || r.refunded != "10.00" {
		t.Errorf("after the refund: %+v (-want +got):\n%s", r, diff)
	}
	if diff := cmp.Diff(&want, r.overview); diff != "" {
		t.Errorf("overview after the refund (-want +got):\n%s", diff)
	}

	other := e.Sim.Entries()[0]
	if other.Amount > e.Sim.Entries()[1].Amount {
		other = e.Sim.Entries()[1]
	}
	if _, err := e.Sim.OpenDispute(sim.NewDispute{PaymentID: other.PaymentID, Reason: "unrecognized"}); err != nil {
		t.Fatal(err)
	}
	e.Advance(time.Hour)
	e.cron()
	ada = e.with("ada@example.com", access.Money, access.Supporters)
	want.Disputed, want.Fees = other.Amount, want.Fees+1500
	want.Net -= other.Amount + 1500
	if r := e.reversals(ada); !cmp.Equal(&want, r.analytics.Ledger) || !cmp.Equal(&want, r.overview) {
		t.Errorf("after the dispute: %+v and %+v, want %+v", r.analytics.Ledger, r.overview, want)
	}
	if diff := cmp.Diff(public, e.publicTotals()); diff != "" {
		t.Errorf("public totals (-before +after):\n%s", diff)
	}
	packer := e.with("packer@example.com", access.Supporters, access.Fulfilment)
	if sums := packer.summaries()[game].Ledger; sums != nil {
		t.Errorf("without the money permission: %+v", sums)
	}
}

// reversalsView is what an operator sees of refunds and disputes.
type reversalsView struct {
	analytics analytics.Report
	overview  *ledger.Sums
	refunded  string // the column of the first refunded pledge
}

func (e *edge) reversals(b *browser) (v reversalsView) {
	e.t.Helper()
	v.analytics = decode[analytics.Report](e.t, b.get("/admin/analytics/"+game, ""))
	v.overview = b.summaries()[game].Ledger
	lines := strings.Split(e.file(b, "/admin/reports/"+game+"/pledges.csv"), "\n")
	if !strings.HasSuffix(lines[0], ",refunded_total") {
		e.t.Errorf("columns: %s", lines[0])
	}
	for _, line := range lines[1:] {
		if v.refunded == "" {
			v.refunded = line[strings.LastIndex(line, ",")+1:]
		}
	}
	return v
}

// The supporters' list and the pledge's detail have the status after refunds and disputes, by which the list and
// the pledge report can be filtered. Callers without the money permission see charged pledges.
func TestReversals_Statuses(t *testing.T) {
	e := newEdge(t, memory.Options{})
	ids := map[pledge.Status]string{}
	for i, status := range []pledge.Status{pledge.Charged, pledge.PartlyRefunded, pledge.FullyRefunded, pledge.InDispute,
		pledge.LostToDispute} {
		s, _ := e.pledge(string('a'+rune(i))+"@example.com", gameCart(4), cardOK)
		ids[status] = s.Campaigns[0].OrderID
	}
	e.Advance(48 * time.Hour)
	e.cron()
	ada := e.super()
	e.wantStatus(ada.ask("POST", refunds, refundOf("refund-1", ids[pledge.PartlyRefunded], 100)), 200)
	e.wantStatus(ada.ask("POST", refunds, settlement.RefundRequest{ID: "refund-2", PledgeID: ids[pledge.FullyRefunded],
		Choice: refund.Choice{All: true, Tip: true}, Reason: refund.Requested}), 200)
	for _, status := range []pledge.Status{pledge.InDispute, pledge.LostToDispute} {
		p := decode[supporters.Timeline](t, ada.timeline(game, ids[status])).Pledges[0]
		id, err := e.Sim.OpenDispute(sim.NewDispute{PaymentID: p.PaymentID})
		if err == nil && status == pledge.LostToDispute {
			err = e.Sim.CloseDispute(id, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e.Advance(time.Hour)
	e.cron()
	ada = e.with("books@example.com", access.Supporters, access.Money)
	packer := e.with("packer@example.com", access.Supporters, access.Fulfilment)
	find := func(b *browser, s pledge.Status) map[string]pledge.Status {
		t.Helper()
		out := map[string]pledge.Status{}
		for _, row := range decode[supporters.Found](t, b.ask("POST", "/admin/supporters",
			supporters.Query{CampaignSlug: game, Status: s})).Supporters {
			out[row.OrderID] = row.Display
		}
		return out
	}
	all := map[string]pledge.Status{}
	for status, id := range ids {
		all[id] = status
		if got := decode[supporters.Timeline](t, ada.timeline(game, id)).Pledges[0].Display; got != status {
			t.Errorf("detail of %s: %s", status, got)
		}
		if got := decode[supporters.Timeline](t, packer.timeline(game, id)).Pledges[0].Display; got != pledge.Charged {
			t.Errorf("detail of %s without the money permission: %s", status, got)
		}
		if status == pledge.Charged {
			continue
		}
		if diff := cmp.Diff(map[string]pledge.Status{id: status}, find(ada, status)); diff != "" {
			t.Errorf("filter %s (-want +got):\n%s", status, diff)
		}
		csv := string(ada.get("/admin/reports/"+game+"/pledges.csv", "status="+string(status)).Body)
		if strings.Count(csv, "\n") != 2 || !strings.Contains(csv, id) {
			t.Errorf("report filtered by %s:\n%s", status, csv)
		}
		r := packer.ask("POST", "/admin/supporters", supporters.Query{CampaignSlug: game, Status: status})
		e.wantStatus(r, 403)
		e.wantField(packer.get("/admin/reports/"+game+"/fulfillment", "status="+string(status)), "status")
	}
	if diff := cmp.Diff(all, find(ada, pledge.Charged)); diff != "" {
		t.Errorf("filter charged (-want +got):\n%s", diff)
	}
	for id, status := range find(packer, "") {
		if status != pledge.Charged {
			t.Errorf("%s without the money permission: %s", id, status)
		}
	}
}
