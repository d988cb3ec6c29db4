package httpapi_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/analytics"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/settlement/ledger"
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
