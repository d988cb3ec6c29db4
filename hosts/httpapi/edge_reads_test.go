package httpapi_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
)

// unavailable lists reads that do not return 200 on this host, with their status.
var unavailable = map[string]int{
	"GET /admin/plan-usage":             503, // no provider configured
	"GET /launch-reminders/unsubscribe": 303, // redirects
	"GET /unsubscribe":                  303,
	"GET /.well-known/security.txt":     404, // no contact configured
	"POST /admin/settle/:slug":          409, // before the deadline
	"POST /admin/refunds/:slug/quote":   404, // no such pledge
}

// readBodies returns the bodies of POST routes that write nothing.
func readBodies() map[string]any {
	news := map[string]any{"campaignSlug": game, "subject": "News", "body": "Words", "dryRun": true}
	return map[string]any{
		"/tax/quote":               gameCart(1),
		"/shipping/quote":          gameCart(1),
		"/stats/:slug/check":       map[string]any{},
		"/admin/projections/check": map[string]any{},
		"/admin/supporters":        map[string]any{"campaignSlug": game, "q": "owner"},
		"/admin/audit":             map[string]any{"q": "owner"},
		"/admin/audit.csv":         map[string]any{"q": "owner"},
		"/admin/content/preview":   edits(game, "category", `"Board Game"`, `"Book"`),
		"/admin/content/page":      edits(game, "category", `"Board Game"`, `"Book"`),
		"/admin/settings/preview":  edits("", "platform.timezone", `""`, `"Mars/Base"`),
		"/admin/add-ons/preview":   edits("", "low_stock_threshold", "2", "3"),
		"/admin/fulfilment/import": map[string]any{"campaignSlug": game,
			"csv": "order,tracking\nx,1\n", "dryRun": true},
		"/admin/campaigns/launch/:slug":   map[string]any{"dryRun": true},
		"/admin/campaigns/withdraw/:slug": map[string]any{"dryRun": true, "visibility": "hidden"},
		"/admin/refunds/:slug/quote": map[string]any{"orderId": "pw-01arz3ndektsv4rrffq69g5fav",
			"choice": map[string]any{"all": true}, "reason": "requested"},
		"/admin/settle/:slug":            map[string]any{"dryRun": true},
		"/admin/broadcast/diary":         map[string]any{"campaignSlug": game, "dryRun": true},
		"/admin/broadcast/blast":         news,
		"/admin/broadcast/preview":       map[string]any{"campaignSlug": game, "subject": "News", "body": "Words"},
		"/admin/broadcast/audience":      map[string]any{"campaignSlug": game},
		"/admin/broadcast/announcement":  news,
		"/admin/marketing/announcement":  news,
		"/admin/settlement/:slug/remind": map[string]any{"dryRun": true, "cursor": ""},
		"/admin/pledge-health/:slug/ask": map[string]any{"dryRun": true, "cursor": "", "limit": 1},
	}
}

// reads contains the requests with which read-only routes are tested.
type reads struct {
	*edge
	operator *browser
	query    map[string]string
	own      map[string]url.Values // by pattern, if a name has another meaning
	bodies   map[string]any
}

func newReads(t *testing.T) *reads {
	e := newEdge(t, memory.Options{})
	e.user(access.User{Email: "second@example.com", Role: access.SuperAdmin})
	started, manage := e.pledge("owner@example.com", gameCart(1), cardOK)
	order := started.Campaigns[0].OrderID
	sent := e.post("/admin/broadcast/announcement",
		map[string]any{"campaignSlug": game, "subject": "News", "body": "Words"}, e.admin()...)
	e.wantStatus(sent, 200)
	if err := e.Services.Minute(t.Context()); err != nil {
		t.Fatal(err)
	}
	open := e.start("new@example.com", gameCart(1))
	return &reads{
		edge: e, operator: e.signedIn("ada@example.com", access.SuperAdmin), bodies: readBodies(),
		query: map[string]string{
			"campaignSlug": game, "orderId": order, "token": manage, "t": e.mailToken(notify.Blast),
			"of": "campaign", "surface": "blast",
			"id":   decode[struct{ Broadcast struct{ ID string } }](t, sent).Broadcast.ID,
			"path": "/assets/images/campaigns/" + game + "/card.svg",
		},
		own: map[string]url.Values{
			"/checkout-intent/summary":                {"orderId": {open.OrderID}, "token": {open.Token}},
			"/launch-reminders/unsubscribe":           {"t": {e.mailToken(notify.LaunchReminder)}},
			"/admin/campaign-preview/:slug":           {},
			"/admin/campaign-preview/:slug/reviewers": {},
		},
	}
}

// isReadOnly reports whether a route is read-only with its test body.
func (r *reads) isReadOnly(route httpapi.Route) bool {
	_, reads := r.bodies[route.Pattern]
	return route.Method == "GET" || reads
}

// ask advances the clock by a minute, when observations are due, sends a request and compares all
// records.
func (r *reads) ask(route httpapi.Route, query url.Values, body any, slug string) httpapi.Response {
	r.t.Helper()
	path := strings.Replace(route.Pattern, ":slug", slug, 1) + "?" + query.Encode()
	r.Advance(time.Minute)
	if route.Fresh || route.Listing > 0 {
		r.operator.signIn("ada@example.com")
		r.Advance(time.Minute)
	}
	before := r.everything(route)
	var resp httpapi.Response
	switch {
	case route.Secret == httpapi.OperatorKey:
		resp = r.from("127.0.0.1", route.Method, path, asBody(r.t, body), key("ada")...)
	case route.Operator != "":
		resp = r.operator.ask(route.Method, path, body)
	default:
		resp = r.from("127.0.0.1", route.Method, path, asBody(r.t, body))
	}
	if diff := cmp.Diff(before, r.everything(route)); diff != "" {
		r.t.Errorf("%s %s: status %d, wrote: %s", route.Method, route.Pattern, resp.Status, diff)
	}
	return resp
}

// everything returns all records that the route may not write. Routes with rate limits or operator
// keys write counters.
func (r *reads) everything(route httpapi.Route) map[string]string {
	all := r.kept()
	maps.DeleteFunc(all, func(key, _ string) bool { return mayRecord(key, route.Pattern) })
	if len(route.Limits) == 0 && route.Secret != httpapi.OperatorKey {
		for _, entry := range r.DB.Snapshot().Stores["RATELIMIT"] {
			all["RATELIMIT "+entry.Key] = string(entry.Value)
		}
	}
	return all
}

func (r *reads) queryOf(route httpapi.Route) url.Values {
	if own, ok := r.own[route.Pattern]; ok {
		return own
	}
	q, parameters := url.Values{}, slices.Clone(route.Query)
	for _, b := range route.Bearers {
		parameters = append(parameters, b.Param)
	}
	for _, p := range parameters {
		if value := r.query[p.Name]; value != "" && p.Required {
			q.Set(p.Name, value)
		}
	}
	return q
}

// Reads, previews, searches, quotes and dry runs write nothing, whether they succeed or fail. The
// only exceptions are rate limit counters, which do not apply to operators with a session.
//
// Proves CON-08, CON-09, CON-10.
func TestReads_WriteNothing(t *testing.T) {
	r := newReads(t)
	tried := map[string]bool{}
	for _, route := range r.API.Routes() {
		if !r.isReadOnly(route) {
			continue
		}
		tried[route.Pattern] = true
		want := 200
		if status := unavailable[route.Method+" "+route.Pattern]; status != 0 {
			want = status
		}
		if resp := r.ask(route, r.queryOf(route), r.bodies[route.Pattern], game); resp.Status != want {
			t.Errorf("%s %s: status %d, want %d: %.300s", route.Method, route.Pattern, resp.Status, want, resp.Body)
		}
		refused := url.Values{}
		for name := range r.queryOf(route) {
			refused.Set(name, "x.y")
		}
		r.ask(route, refused, []byte("{"), "unknown")
		r.ask(route, refused, map[string]any{"campaignSlug": "unknown", "dryRun": true}, "unknown")
	}
	for pattern := range r.bodies {
		if !tried[pattern] {
			t.Errorf("%s is not a route", pattern)
		}
	}
	for _, route := range r.API.Routes() {
		if (route.DryRun || route.Reads) && !tried[route.Pattern] {
			t.Errorf("%s is read-only but not tested", route.Pattern)
		}
	}
}
