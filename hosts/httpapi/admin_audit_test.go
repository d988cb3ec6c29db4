package httpapi_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/audit"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

func (e *edge) events(query string) audit.Page {
	e.t.Helper()
	e.Advance(time.Minute)
	r := e.get("/admin/audit", query, e.admin()...)
	e.wantStatus(r, 200)
	var page audit.Page
	if err := json.Unmarshal(r.Body, &page); err != nil {
		e.t.Fatal(err)
	}
	return page
}

// Operator actions can be found by operator, campaign and order. Dry runs, refused requests and
// reads are not recorded.
//
// Proves AUD-01, AUD-03, AUD-04, AUD-05.
func TestAudit_RecordsActions(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.wantStatus(e.post("/admin/settle-stop", []byte(`{"reason":"a doubt"}`), e.settler()...), 200)
	e.wantStatus(e.post("/admin/settle-resume", nil, e.settler()...), 200)
	e.wantStatus(e.post("/admin/settle-release/"+game, nil, e.settler()...), 200)
	e.wantStatus(e.post("/admin/settle/"+game, nil, e.settler()...), 409)
	e.Advance(time.Minute)
	e.wantStatus(e.post("/admin/projections/check", nil, e.admin()...), 200)
	e.wantStatus(e.post("/admin/projections/rebuild", []byte(`{"campaignSlug":"`+game+`"}`), e.admin()...), 200)

	got := e.events("").Events
	var actions []string
	for _, ev := range got {
		actions = append(actions, ev.Action)
	}
	if strings.Join(actions, " ") != "projections.rebuild settlement.release settlement.resume settlement.stop" {
		t.Fatalf("recorded: %v", actions)
	}
	stopped := got[3]
	if stopped.AdminRole != "settlement secret" || stopped.Source != "api" || stopped.Reason != "a doubt" ||
		stopped.Status != audit.Done || strings.Join(stopped.ChangedFields, " ") != "reason" {
		t.Errorf("the stop is %+v", stopped)
	}
	if got[0].AdminRole != "admin secret" || got[0].CampaignSlug != game || got[1].CampaignSlug != game {
		t.Errorf("recorded: %+v", got)
	}
	zone := e.Services.Config.Site.Timezone.Location()
	day := func(by int) string { return e.Now().In(zone).AddDate(0, 0, by).Format(time.DateOnly) }
	for query, n := range map[string]int{
		"action=settlement.stop": 1, "action=settlement.sto": 0, "action=settlement": 0, "campaignSlug=" + game: 2,
		"from=" + day(0): 4, "from=" + day(1): 0, "to=" + day(-1): 0, "to=" + day(0): 4,
		"q=" + url.QueryEscape("A DOUBT"): 1, "q=" + strings.Repeat("x", 100): 0,
		"adminEmail=ada%40example.org": 0, "limit=2": 2,
	} {
		if page := e.events(query); len(page.Events) != n {
			t.Errorf("%s: %d events, want %d", query, len(page.Events), n)
		}
	}
	e.wantField(e.get("/admin/audit", "q="+strings.Repeat("x", 101), e.admin()...), "q")
	first := e.events("limit=3")
	if rest := e.events(fmt.Sprintf("limit=3&cursor=%d", first.Next)); len(rest.Events) != 1 ||
		rest.Events[0].Number != 1 || rest.Next != 0 {
		t.Errorf("second page = %+v", rest)
	}
}

// A dryRun field on a route without dry runs does not prevent the audit entry.
func TestAudit_UnknownDryRunField(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.post("/admin/settle-stop", []byte(`{"reason":"a doubt","dryRun":true}`), e.settler()...)
	e.wantStatus(e.post("/admin/settle-release/"+game, []byte(`{"dryRun":true}`), e.settler()...), 200)
	e.wantStatus(e.post("/admin/settle-resume", nil, e.settler()...), 200)
	stopped := 0
	for _, ev := range e.events("").Events {
		if ev.Action == "settlement.release" || ev.Action == "settlement.stop" {
			stopped++
		}
	}
	if stopped != 2 {
		t.Errorf("%d actions recorded, want 2: %+v", stopped, e.events("").Events)
	}
}

// Proves AUD-02.
func TestAudit_OperatorName(t *testing.T) {
	e := newEdge(t, memory.Options{})
	if err := e.Services.Audit.Do(t.Context(), audit.Act{Action: "x", AdminEmail: "ada@example.org"},
		func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for query, n := range map[string]int{"ada@example.org": 1, "ada@example.or": 0, "a@example.org": 0} {
		if got := e.events("adminEmail=" + url.QueryEscape(query)); len(got.Events) != n {
			t.Errorf("%s: %d events", query, len(got.Events))
		}
	}
}

// Proves AUD-06, AUD-07.
func TestAudit_CSV(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for range 3 {
		e.wantStatus(e.post("/admin/settle-stop", []byte(`{"reason":"a doubt"}`), e.settler()...), 200)
		e.wantStatus(e.post("/admin/settle-resume", nil, e.settler()...), 200)
		e.Advance(time.Minute)
	}
	r := e.get("/admin/audit.csv", "action=settlement.stop", e.admin()...)
	e.wantStatus(r, 200)
	if kind, kept := r.Header.Get("Content-Type"),
		r.Header.Get("Cache-Control"); kind != "text/csv; charset=utf-8" || kept != "private, no-store" {
		t.Errorf("it is %s, kept %s", kind, kept)
	}
	rows, err := csv.NewReader(strings.NewReader(string(r.Body))).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, ev := range e.events("action=settlement.stop").Events {
		if row := strings.Join(rows[i+1], "|"); !strings.HasPrefix(row, fmt.Sprint(ev.Number)+"|") ||
			!strings.HasSuffix(row, ev.Hash+"|"+ev.Target) {
			t.Errorf("row %d is %s, event is %+v", i+1, row, ev)
		}
	}
	later := "from=" + e.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	for _, query := range []string{"", "q=A+DOUBT", "campaignSlug=" + game,
		"adminEmail=ada%40example.org", later, "to=2020-01-01"} {
		r := e.get("/admin/audit.csv", query, e.admin()...)
		rows, err := csv.NewReader(strings.NewReader(string(r.Body))).ReadAll()
		if want := len(e.events(query).Events); err != nil || len(rows) != want+1 {
			t.Errorf("%q: %d rows of %d events, %v", query, len(rows)-1, want, err)
		}
	}
}

func TestAudit_InvalidFilters(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for query, field := range map[string]string{
		"from=yesterday": "from", "to=2026-13-01": "to", "limit=many": "limit", "limit=0": "limit", "limit=251": "limit",
		"cursor=x": "cursor", "cursor=-1": "cursor", "q=" + strings.Repeat("x", 101): "q",
	} {
		e.Advance(time.Minute)
		r := e.get("/admin/audit", query, e.admin()...)
		var failed struct{ Field string }
		if err := json.Unmarshal(r.Body, &failed); err != nil || r.Status != 400 || failed.Field != field {
			t.Errorf("%s: %d %s", query, r.Status, r.Body)
		}
	}
}

// Filters in the body find the same events as filters in the URL.
func TestAudit_FiltersInBody(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for range 3 {
		e.wantStatus(e.post("/admin/settle-stop", []byte(`{"reason":"a doubt"}`), e.settler()...), 200)
		e.wantStatus(e.post("/admin/settle-resume", nil, e.settler()...), 200)
		e.Advance(time.Minute)
	}
	super := e.signedIn("super@example.com", access.SuperAdmin)
	ask := func(path string, in map[string]any) httpapi.Response {
		r := super.ask("POST", path, in, "Origin", string(e.Config.Site.Base))
		if err := r.Gather(); err != nil {
			t.Fatal(err)
		}
		return r
	}
	day := e.Now().Format(time.DateOnly)
	for query, in := range map[string]map[string]any{
		"":                                {},
		"q=a+doubt":                       {"q": "a doubt"},
		"action=settlement.stop&limit=2":  {"action": "settlement.stop", "limit": 2},
		"action=settlement.stop&cursor=3": {"action": "settlement.stop", "cursor": 3},
		"adminEmail=super%40example.com":  {"adminEmail": "super@example.com"},
		"campaignSlug=" + game:            {"campaignSlug": game},
		"lang=es":                         {"lang": "es"},
		"to=2020-01-01":                   {"to": "2020-01-01"},
		"from=" + day:                     {"from": day},
		"from=2026-13-01":                 {"from": "2026-13-01"},
		"limit=0":                         {"limit": 0},
		"q=" + strings.Repeat("x", 101):   {"q": strings.Repeat("x", 101)},
	} {
		want, got := super.get("/admin/audit", query), ask("/admin/audit", in)
		if diff := cmp.Diff(string(want.Body), string(got.Body)); want.Status != got.Status || diff != "" {
			t.Errorf("%q: status %d with the URL, %d with the body: %s", query, want.Status, got.Status, diff)
		}
		want, got = super.get("/admin/audit.csv", query), ask("/admin/audit.csv", in)
		if diff := cmp.Diff(string(want.Body), string(got.Body)); want.Status != got.Status || diff != "" {
			t.Errorf("%q: CSV status %d with the URL, %d with the body: %s", query, want.Status, got.Status, diff)
		}
	}
	e.Advance(access.FreshLife + time.Second)
	if r := ask("/admin/audit", map[string]any{"adminEmail": "super@example.com"}); refusal(r) == "" {
		t.Errorf("search without a recent sign-in: status %d", r.Status)
	}
}

// unrecorded lists the POST routes of operators that record no audit event: searches and previews,
// which write nothing, comparisons, and batches of a settlement that has already started.
var unrecorded = []string{"/admin/supporters", "/admin/audit", "/admin/audit.csv", "/stats/:slug/check",
	"/admin/projections/check", "/admin/reconciliation/:slug", "/admin/settle-batch",
	"/admin/content/preview", "/admin/content/page", "/admin/settings/preview", "/admin/add-ons/preview",
	"/admin/broadcast/preview", "/admin/broadcast/audience", "/admin/pledge-health/:slug/check",
	"/admin/refunds/:slug/quote"}

// Every route that lets operators change something has an action name.
func TestRoutes_ChangesHaveActions(t *testing.T) {
	e := newEdge(t, memory.Options{})
	actions := map[string]string{}
	for _, r := range e.API.Routes() {
		if r.Secret == 0 && r.Operator == "" || r.Method == "GET" {
			if r.Action != "" {
				t.Errorf("%s is not an operator route but has an action", r.Pattern)
			}
			continue
		}
		except := strings.Contains(strings.Join(unrecorded, " ")+" ", r.Pattern+" ")
		if (r.Action == "") != except {
			t.Errorf("%s has action %q", r.Pattern, r.Action)
		}
		if other := actions[r.Action]; r.Action != "" && other != "" {
			t.Errorf("%s and %s both have action %s", other, r.Pattern, r.Action)
		}
		actions[r.Action] = r.Pattern
	}
}

// Every action of a route has a summary in each language, and an event has the campaign's
// title.
func TestAudit_Summaries(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, r := range e.API.Routes() {
		if r.Action == "" {
			continue
		}
		for _, action := range append(slices.Collect(maps.Values(r.Actions)), r.Action) {
			act := audit.Event{Act: audit.Act{Action: action}}
			en, es := act.Summary("en"), act.Summary("es")
			if en == es || en == "Other action" || strings.Contains(en, action) {
				t.Errorf("%s: %q, %q", action, en, es)
			}
		}
	}
	e.wantStatus(e.post("/admin/settle-stop", []byte(`{"reason":"a doubt"}`), e.settler()...), 200)
	e.wantStatus(e.post("/admin/settle-release/"+game, nil, e.settler()...), 200)
	for lang, want := range map[string][]string{"": {"Resumed charging after a hold", "Stopped all charging"},
		"es": {"Reanudó los cargos tras una pausa", "Detuvo todos los cargos"}} {
		e.Advance(time.Minute)
		r := e.get("/admin/audit", "lang="+lang, e.admin()...)
		e.wantStatus(r, 200)
		got := decode[httpapi.AuditPage](t, r).Events
		if got[0].Summary != want[0] || got[1].Summary != want[1] || got[0].Title != "Tidepool Traders" ||
			got[1].Title != "" || got[0].CampaignSlug != game {
			t.Errorf("in %q: %+v", lang, got)
		}
	}
	actions := decode[httpapi.AuditPage](t, e.get("/admin/audit", "lang=es", e.admin()...)).Actions
	if !slices.Contains(actions, audit.Action{ID: "settlement.stop", Summary: "Detuvo todos los cargos"}) {
		t.Errorf("actions do not include settlement.stop: %+v", actions)
	}
	e.wantField(e.get("/admin/audit", "lang=fr", e.admin()...), "lang")
	old := audit.Event{Act: audit.Act{Action: "of.a.later.release"}}
	if got := old.Summary("en"); got != "Other action" {
		t.Errorf("summary of an unknown action = %q", got)
	}
}
