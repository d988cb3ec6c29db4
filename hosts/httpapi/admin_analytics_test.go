package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/analytics"
	"github.com/pledgeworks/pledgeworks/admin/visits"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// The traffic source passed to the checkout appears in the report, with every page size. Reading
// the report writes nothing.
//
// Proves ANA-01, ANA-02, ANA-10.
func TestAnalytics(t *testing.T) {
	writes := 0
	e := newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		if op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete || op.Kind == memkv.OpIncrement || op.Kind == memkv.OpDo {
			writes++
		}
		return nil
	}})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	before := writes
	r := b.get("/admin/analytics/"+game, "")
	e.wantStatus(r, 200)
	if writes != before {
		t.Errorf("a report without pledges wrote %d times", writes-before)
	}
	if none := decode[analytics.Report](t, r); !none.MissingIndex || none.Total.Pledges != 0 {
		t.Errorf("%+v", none)
	}
	for n := range 7 {
		request := checkout.StartRequest{Email: fmt.Sprintf("s%d@example.com", n), Cart: gameCart(1)}
		if n%2 == 0 {
			request.PreferredLang = "es"
			request.Attribution = pledge.Attribution{Referral: "ada", UTMSource: "news", UTMMedium: "mail",
				UTMCampaign: "launch", UTMContent: "top"}
		}
		if n == 6 { // has no shipping
			support := int64(1000)
			request.Cart = checkout.Cart{CampaignSlug: game,
				Items: []checkout.Item{{ID: game + "__support__copies-for-libraries", Amount: &support}}}
		}
		started := decode[checkout.Started](t, e.post("/checkout-intent/start", request))
		if err := e.Sim.Complete(started.SessionID, cardOK); err != nil {
			t.Fatal(err)
		}
		e.wantStatus(e.post("/checkout-intent/complete",
			checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}), 200)
	}
	for namespace, entries := range e.DB.Snapshot().Stores {
		for _, entry := range entries {
			if strings.Contains(entry.Key, "analytics") {
				t.Errorf("%s keeps %s", namespace, entry.Key)
			}
		}
	}
	before = writes
	whole := decode[analytics.Report](t, b.get("/admin/analytics/"+game, ""))
	if whole.Total.Pledges != 7 || whole.Active != 7 || whole.Next != 0 || whole.MissingIndex {
		t.Errorf("%+v", whole)
	}
	for name, rows := range map[string][]analytics.Row{"ada": whole.Referrals, "news": whole.Sources,
		"mail": whole.Mediums, "launch": whole.Campaigns, "top": whole.Contents} {
		if len(rows) != 2 || rows[0].Name != name || rows[0].Pledges != 4 || rows[1].Name != "" || rows[1].Pledges != 3 {
			t.Errorf("%s: %+v", name, rows)
		}
	}
	for name, tc := range map[string]struct {
		rows []analytics.Row
		want map[string]int
	}{
		"fulfilment types": {whole.Fulfillment, map[string]int{"physical": 6, "none": 1}},
		"languages":        {whole.Languages, map[string]int{"es": 4, "en": 3}},
	} {
		got := map[string]int{}
		for _, row := range tc.rows {
			got[row.Name] = row.Pledges
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var parts analytics.Figures
	for cursor := 0; ; {
		part := decode[analytics.Report](t, b.get("/admin/analytics/"+game, fmt.Sprintf("limit=3&cursor=%d", cursor)))
		parts.Pledges, parts.Pledged = parts.Pledges+part.Total.Pledges, parts.Pledged+part.Total.Pledged
		parts.Total, parts.Basis = parts.Total+part.Total.Total, part.Total.Basis
		parts.ExpectedFees, parts.ExpectedNet = parts.ExpectedFees+part.Total.ExpectedFees,
			parts.ExpectedNet+part.Total.ExpectedNet
		if cursor = part.Next; cursor == 0 {
			break
		}
	}
	if diff := cmp.Diff(whole.Total.Figures, parts); diff != "" {
		t.Errorf("the parts (-want +got):\n%s", diff)
	}
	zone := e.Services.Config.Site.Timezone.Location()
	day := func(by int) string { return e.Now().In(zone).AddDate(0, 0, by).Format(time.DateOnly) }
	for query, want := range map[string][3]int{ // pledges, first, pledges before
		"from=" + day(0) + "&to=" + day(0):   {7, 7, 0},
		"from=" + day(1) + "&to=" + day(1):   {0, 0, 7},
		"from=" + day(-9) + "&to=" + day(-1): {0, 0, 0},
	} {
		r := decode[analytics.Report](t, b.get("/admin/analytics/"+game, query))
		if got := [3]int{r.Total.Pledges, r.First, r.Before.Pledges}; got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if writes != before {
		t.Errorf("reading wrote %d times", writes-before)
	}
	e.wantField(b.get("/admin/analytics/"+game, "from=2026-12-01"), "to")
	e.wantField(b.get("/admin/analytics/"+game, "limit=0"), "limit")
	e.wantField(b.get("/admin/analytics/"+game, "limit=5001"), "limit")
	e.wantField(b.get("/admin/analytics/"+game, "cursor=-1"), "cursor")
	packer := e.signedIn("packer@example.com", access.CampaignUser, game)
	e.user(access.User{Email: "packer@example.com", Role: access.CampaignUser, Campaigns: []string{game},
		Permissions: []access.Permission{access.Fulfilment}, Revision: 1})
	e.wantStatus(packer.get("/admin/analytics/"+game, ""), 403)
}

// Users who may see a campaign's money can read its visits. Reading them writes nothing.
func TestAnalytics_Visits(t *testing.T) {
	writes := 0
	e := newEdge(t, memory.Options{Fail: func(op memkv.Op) error {
		if op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete || op.Kind == memkv.OpDo {
			writes++
		}
		return nil
	}})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	for range 3 {
		e.Services.Visits.Count(game, pledge.Attribution{Referral: "maya", UTMSource: "news"})
	}
	e.Services.Visits.Count(game, pledge.Attribution{})
	if err := e.Services.Visits.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := writes
	r := b.get("/admin/analytics/"+game+"/visits", "")
	e.wantStatus(r, 200)
	c := decode[visits.Counts](t, r)
	if diff := cmp.Diff([]visits.Row{{Name: "maya", Visits: 3}, {Name: "", Visits: 1}}, c.Referrals); diff != "" ||
		c.Total != 4 || len(c.Days) != 1 {
		t.Errorf("%+v %s", c, diff)
	}
	e.wantStatus(b.get("/admin/analytics/nothing/visits", ""), 404)
	if writes != before {
		t.Errorf("reading wrote %d times", writes-before)
	}
}
