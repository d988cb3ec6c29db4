package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// attributionOf parses a link's parameters with the names from the site's script.
func attributionOf(t *testing.T, address string) (from pledge.Attribution) {
	t.Helper()
	script, err := os.ReadFile("../site/scripts/attribution.ts")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?s)const names = \{(.*?)\}`).FindSubmatch(script)
	if names == nil {
		t.Fatal("the script has no parameter names")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, pair := range regexp.MustCompile(`(\w+): '(\w+)'`).FindAllStringSubmatch(string(names[1]), -1) {
		said[pair[2]] = u.Query().Get(pair[1])
	}
	b, err := json.Marshal(said)
	if err != nil || json.Unmarshal(b, &from) != nil {
		t.Fatal(err)
	}
	return from
}

// The parameters of a link appear in the report of a pledge that was made through it, in both
// languages.
//
// Proves MKT-01.
func TestMarketing_TrackingLinks(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.with("mails@example.com", access.Mails)
	want := map[string]string{"ref": "ada l.", "utm_source": "a+b", "utm_medium": "mail",
		"utm_campaign": "spring_26", "utm_content": "top-1"}
	query := url.Values{}
	for name, value := range want {
		query.Set(name, value)
	}
	before := e.kept()
	r := b.get("/admin/marketing/links/"+game, query.Encode())
	e.wantStatus(r, 200)
	links := decode[marketing.Links](t, r)
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("it writes: %s", diff)
	}
	base := strings.TrimRight(string(e.Config.Site.Base), "/")
	for page, link := range map[string]string{"/campaigns/": links.English, "/es/campaigns/": links.Spanish} {
		if !strings.HasPrefix(link, base+page+game+"/?") {
			t.Errorf("link %s does not start with %s", link, page)
		}
		in := checkout.StartRequest{Cart: gameCart(1), Email: "follower@example.com"}
		in.Attribution = attributionOf(t, link)
		r := e.post("/checkout-intent/start", in)
		e.wantStatus(r, 200)
		started := decode[checkout.Started](t, r)
		if err := e.Sim.Complete(started.SessionID, cardOK); err != nil {
			t.Fatal(err)
		}
		e.wantStatus(e.post("/checkout-intent/complete",
			checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}), 200)
	}
	if err := e.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	report := decode[httpapi.Report](t, e.get("/admin/reports/"+game+"/pledges", "", e.admin()...))
	if len(report.Rows) != 2 {
		t.Fatalf("%d pledges", len(report.Rows))
	}
	for _, row := range report.Rows {
		got := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			column := strings.Replace(name, "ref", "referral", 1)
			got[name] = row[slices.Index(report.Columns, column)]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-in the link +in the report):\n%s", diff)
		}
	}
}

func TestMarketing_InvalidLinks(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.with("mails@example.com", access.Mails)
	for _, name := range []string{"ref", "utm_source", "utm_medium", "utm_campaign", "utm_content"} {
		r := b.get("/admin/marketing/links/"+game, name+"="+url.QueryEscape("<script>x"))
		e.wantStatus(r, 400)
		if f := decode[failure](t, r); f.Field != name || strings.Contains(string(r.Body), "script") {
			t.Errorf("%s: %s", name, r.Body)
		}
	}
	elsewhere, unknown := b.get("/admin/marketing/links/"+film, ""), b.get("/admin/marketing/links/unknown", "")
	if elsewhere.Status < 400 || elsewhere.Status != unknown.Status || string(elsewhere.Body) != string(unknown.Body) {
		t.Errorf("another campaign: %d %s, unknown campaign: %d %s", elsewhere.Status,
			elsewhere.Body, unknown.Status, unknown.Body)
	}
	e.wantStatus(e.with("content@example.com", access.Content).get("/admin/marketing/links/"+game, ""), 403)
	e.wantStatus(e.get("/admin/marketing/links/"+game, ""), 401)
	e.wantStatus(e.get("/admin/marketing/links/unknown", "", e.admin()...), 404)
}
