package httpapi_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

var updateAccess = flag.Bool("access", false, "write testdata/access.txt anew")

// testdata/access.txt lists the access rules of all routes, so that every change of a rule shows up
// in reviews.
//
// Proves SET-26.
func TestRoutes_AccessTable(t *testing.T) {
	e := newEdge(t, memory.Options{})
	var b strings.Builder
	for _, r := range e.API.Routes() {
		if r.Secret == 0 && r.Operator == "" {
			continue
		}
		secret := []string{"-", "admin", "settlement", "broadcast", "operator's key"}[r.Secret]
		session := string(r.Operator)
		if r.And != "" {
			session += " and " + string(r.And)
		}
		if r.Fresh {
			session += ", fresh"
		}
		if r.Listing > 0 {
			session += ", fresh beyond 50"
		}
		if r.Partial {
			session += ", by mail alone"
		}
		if r.ByLink {
			session += ", or a link's token"
		}
		fmt.Fprintf(&b, "%-4s %-42s secret: %-15s session: %s\n", r.Method, r.Pattern, secret, session)
	}
	const file = "testdata/access.txt"
	if *updateAccess {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("run go test ./hosts/httpapi -run AccessTable -access, and review the changes: %s", diff)
	}
}

// operatorRoutes returns the routes for operators.
func (e *edge) operatorRoutes() (out []httpapi.Route) {
	for _, r := range e.API.Routes() {
		if r.Operator != "" {
			out = append(out, r)
		}
	}
	return out
}

// requestFor returns a request to a route for a campaign.
func requestFor(r httpapi.Route, slug string) (path, query string, body []byte) {
	path = strings.Replace(r.Pattern, ":slug", slug, 1)
	if r.Method == "GET" {
		return path, "id=x&campaignSlug=" + slug, nil
	}
	if r.ByQuery {
		return path, "filename=boat.jpg&campaignSlug=" + slug, []byte("no picture")
	}
	return path, "", []byte(`{"id":"x","campaignSlug":"` + slug + `","dryRun":false}`)
}

// call sends a request from a new address.
func (b *browser) call(r httpapi.Route, slug string, header ...string) httpapi.Response {
	b.e.t.Helper()
	path, query, body := requestFor(r, slug)
	b.e.browsers++
	all := map[string]string{"Origin": string(b.e.Config.Site.Base), "Content-Type": "application/json"}
	h := b.headers(header...)
	for i := 0; i+1 < len(h); i += 2 {
		all[h[i]] = h[i+1]
	}
	return b.e.API.Serve(b.e.t.Context(), httpapi.Request{
		Method: r.Method, Path: path, RawQuery: query, Body: body,
		ClientIP: fmt.Sprintf("203.0.%d.%d", b.e.browsers/200, b.e.browsers%200+1),
		Header:   func(name string) string { return all[name] },
	})
}

// refusal returns the rule that rejected a request, or "" if the request was accepted.
func refusal(r httpapi.Response) string {
	var f failure
	_ = json.Unmarshal(r.Body, &f)
	switch {
	case r.Status == 401:
		return "signed out"
	case r.Status == 403 && f.Code == "sign_in_again":
		return "old"
	case r.Status == 403 && f.Code == "passkey_missing":
		return "by mail alone"
	case r.Status == 403:
		return "may not"
	case r.Status == 404 && f.Error == "Campaign not found":
		return "no campaign"
	}
	return ""
}

// byID lists the routes that identify the campaign through a broadcast.
var byID = []string{"/admin/broadcast", "/admin/broadcast/turn"}

// Every route is called by every kind of caller, and the results are compared with the access
// table.
//
// Proves REC-05, REC-08, AAU-02, AAU-10, AAU-26, AAU-27, ARC-03, MED-17, PRV-03.
func TestAccess_EveryRouteAndCaller(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"ADMIN_OPERATORS": ""}})
	e.user(access.User{Email: "second@example.com", Role: access.SuperAdmin})
	super, old := e.signedIn("super@example.com", access.SuperAdmin), e.signedIn("old@example.com", access.SuperAdmin)
	e.Advance(10 * time.Minute)
	super.signIn("super@example.com")
	all := e.signedIn("all@example.com", access.CampaignUser, game)
	few := map[access.Permission]*browser{}
	for _, p := range []access.Permission{access.Content, access.Mails} {
		address := string(p) + "@example.com"
		few[p] = e.signedIn(address, access.CampaignUser, game)
		e.user(access.User{Email: address, Role: access.CampaignUser, Campaigns: []string{game},
			Permissions: []access.Permission{p}, Revision: 1})
	}
	mailed := e.signedIn("keyed@example.com", access.SuperAdmin)
	mailed.addPasskey()
	mailed.signIn("keyed@example.com")
	gone := e.signedIn("gone@example.com", access.SuperAdmin)
	if err := e.Services.Access.Remove(t.Context(), "", "gone@example.com"); err != nil {
		t.Fatal(err)
	}
	routes := e.operatorRoutes()
	if len(routes) < 40 {
		t.Fatalf("%d routes", len(routes))
	}
	for _, r := range routes {
		if r.Pattern == "/admin/auth/sign-out" {
			continue // would end the caller's sessions
		}
		change := r.Method != "GET"
		want := func(name, want string, got httpapi.Response) {
			t.Helper()
			if refusal(got) != want {
				t.Errorf("%s %s with %s: rejected with %q, want %q: %d %s", r.Method, r.Pattern, name,
					refusal(got), want, got.Status, got.Body)
			}
		}
		or := func(refused bool, by string) string {
			if refused {
				return by
			}
			return ""
		}
		if r.Secret != httpapi.OperatorKey {
			want("nothing", "signed out", e.browser().call(r, game))
		}
		want("a deleted user's session", "signed out", gone.call(r, game))
		want("a super admin", "", super.call(r, game))
		want("a super admin, another campaign", "", super.call(r, film))
		want("a user with a passkey, signed in by mail only", or(!r.Partial, "by mail alone"), mailed.call(r, game))
		want("an old sign-in", or(r.Fresh || r.Listing > 50, "old"), old.call(r, game))
		want("no csrf token", or(change, "may not"), super.call(r, game, "X-Svc-Admin-Csrf", ""))
		want("another's csrf token", or(change, "may not"), super.call(r, game, "X-Svc-Admin-Csrf", old.view.CSRFToken))
		want("another site", or(change, "may not"), super.call(r, game, "Origin", "https://evil.example"))
		want("no origin", or(change, "may not"), super.call(r, game, "Origin", ""))
		scoped := r.Operator != access.Platform && r.Operator != access.SignedIn
		lacking := few[access.Content]
		if r.Operator == access.Content {
			lacking = few[access.Mails]
		}
		want("a user without the permission", or(r.Operator != access.SignedIn, "may not"), lacking.call(r, game))
		byID := slices.Contains(byID, r.Pattern)
		mine := or(r.Operator == access.Platform, "may not")
		if byID {
			mine = "no campaign" // a nonexistent broadcast
		}
		want("a campaign's user", mine, all.call(r, game))
		if !scoped {
			continue
		}
		theirs, none := all.call(r, film), all.call(r, "no-such-campaign")
		want("another campaign's user", "no campaign", theirs)
		if diff := cmp.Diff(string(none.Body), string(theirs.Body)); diff != "" || none.Status != theirs.Status {
			t.Errorf("%s reveals that another campaign exists: %s", r.Pattern, diff)
		}
	}
}

// A campaign whose slug starts with the slug of the user's campaign is treated like any other
// campaign.
//
// Proves AAU-27.
func TestAccess_CampaignWithSamePrefix(t *testing.T) {
	e := newEdge(t, memory.Options{})
	super := e.signedIn("super@example.com", access.SuperAdmin)
	made := decode[httpapi.CampaignCreated](t,
		super.ask("POST", "/admin/campaigns/create", httpapi.CampaignRequest{Title: "Tidepool Traders Two"}))
	if made.Slug != game+"-two" {
		t.Fatalf("made %+v", made)
	}
	b := e.signedIn("ben@example.com", access.CampaignUser, game)
	for _, path := range []string{"/admin/content", "/admin/marketing/referrals"} {
		e.wantStatus(super.get(path, "campaignSlug="+made.Slug), 200)
		e.wantStatus(b.get(path, "campaignSlug="+game), 200)
		theirs, none := b.get(path, "campaignSlug="+made.Slug), b.get(path, "campaignSlug=no-such-campaign")
		if theirs.Status != 404 || string(theirs.Body) != string(none.Body) {
			t.Errorf("%s: status %d: %s; nonexistent campaign: %s", path, theirs.Status, theirs.Body, none.Body)
		}
	}
	before := e.kept()
	e.wantStatus(b.ask("POST", "/admin/content/publish", edits(made.Slug, "goal_amount", "0", "5")), 404)
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("rejected change wrote: %s", diff)
	}
	var seen []string
	for _, c := range decode[httpapi.CampaignSummaries](t, b.get("/admin/summary", "")).Campaigns {
		seen = append(seen, c.Slug)
	}
	if diff := cmp.Diff([]string{game}, seen); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// Requests of random users to random routes are rejected unless the table allows them, and rejected
// requests change nothing.
func TestAccess_RandomUsersAndRoutes(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"ADMIN_OPERATORS": ""}})
	routes, campaigns := e.operatorRoutes(),
		[]string{game, film, "", "no-such-campaign", strings.ToUpper(game), "../" + game}
	people := 0
	rapid.Check(t, func(rt *rapid.T) {
		people++
		u := access.User{
			Email: fmt.Sprintf("p%d@example.com", people), Name: "P",
			Role: rapid.SampledFrom([]access.Role{access.SuperAdmin, access.CampaignUser,
				access.CampaignUser}).Draw(rt, "role"),
			Campaigns:   rapid.SliceOfNDistinct(rapid.SampledFrom([]string{game, film}), 1, 2, rapid.ID).Draw(rt, "campaigns"),
			Permissions: rapid.SliceOfNDistinct(rapid.SampledFrom(access.Permissions), 1, 5, rapid.ID).Draw(rt, "permissions"),
		}
		u = e.user(u)
		b := e.browser()
		b.signIn(u.Email)
		old := rapid.Bool().Draw(rt, "old")
		if old {
			e.Advance(access.FreshLife)
		}
		for range 5 {
			r := rapid.SampledFrom(routes).Draw(rt, "route")
			slug, decoy := rapid.SampledFrom(campaigns).Draw(rt, "campaign"), rapid.SampledFrom(campaigns).Draw(rt, "decoy")
			path, query, body := requestFor(r, slug)
			if path != r.Pattern && (slug == "" || strings.Contains(slug, "/")) || r.Pattern == "/admin/auth/sign-out" ||
				r.Secret == httpapi.OperatorKey {
				continue
			}
			// Naming another campaign in a place that the handler does not read has no effect.
			switch {
			case r.Method == "GET":
				body = []byte(`{"campaignSlug":"` + decoy + `"}`)
			case path == r.Pattern:
				query = "campaignSlug=" + decoy
				body = []byte(`{"id":"x","CAMPAIGNSLUG":"` + decoy + `","campaignSlug":"` + slug + `"}`)
			}
			allowed := u.Role == access.SuperAdmin || r.Operator == access.SignedIn ||
				r.Operator != access.Platform && slices.Contains(u.Permissions, r.Operator) && (r.And == "" ||
					slices.Contains(u.Permissions, r.And)) && slices.Contains(u.Campaigns, slug) && !slices.Contains(byID, r.Pattern)
			before := e.kept()
			got := e.API.Serve(t.Context(), httpapi.Request{
				Method: r.Method, Path: path, RawQuery: query, Body: body, ClientIP: b.ip,
				Header: func(name string) string {
					h := b.headers("Origin", string(e.Config.Site.Base), "Content-Type", "application/json")
					if i := slices.Index(h, name); i >= 0 {
						return h[i+1]
					}
					return ""
				},
			})
			why := refusal(got)
			if allowed && r.Fresh && old {
				if why != "old" {
					rt.Errorf("%+v with an old sign-in, %s for %q: status %d: %s", u, r.Pattern, slug, got.Status, got.Body)
				}
				continue
			}
			if allowed && (why == "may not" || why == "signed out") {
				rt.Errorf("%+v, %s for %q: status %d: %s", u, r.Pattern, slug, got.Status, got.Body)
			}
			if allowed {
				continue
			}
			if got.Status < 400 {
				rt.Errorf("%+v may call %s for %q: status %d: %s", u, r.Pattern, slug, got.Status, got.Body)
			}
			if diff := cmp.Diff(before, e.kept()); diff != "" {
				rt.Errorf("%s was rejected but wrote: %s", r.Pattern, diff)
			}
		}
	})
}

// Without operator keys, two super admins can resolve a charge. With operator keys they cannot,
// because one person's key and session would count as two operators.
//
// Proves REC-23.
func TestResolve_TwoSuperAdmins(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"ADMIN_OPERATORS": ""}})
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	list := func() httpapi.Response { return b.ask("GET", "/admin/resolve/"+game, nil) }
	for path, body := range map[string]any{
		"/admin/resolve/" + game: state.Statement{Group: "x", NothingCharged: true},
		"/admin/terms/" + game:   httpapi.TermsRequest{OrderID: "pw-x", Reason: "a test"},
		"/admin/reopen/" + game:  httpapi.ReopenRequest{Reason: "a test"},
	} {
		e.wantFailure(b.ask("POST", path, body), 403, "This requires two super admins")
	}
	e.wantFailure(list(), 403, "This requires two super admins")
	u := e.user(access.User{Email: "ben@example.com", Role: access.CampaignUser, Campaigns: []string{game}})
	e.wantFailure(list(), 403, "This requires two super admins")
	u.Role = access.SuperAdmin
	e.user(u)
	e.wantStatus(list(), 200)
	e.wantStatus(b.ask("GET", "/admin/terms/"+game, nil), 200)
	e.wantStatus(b.ask("POST", "/admin/reopen/"+game, httpapi.ReopenRequest{Reason: "a test"}), 409)
	e.Advance(11 * time.Minute)
	e.wantFailure(b.ask("POST", "/admin/reopen/"+game, httpapi.ReopenRequest{Reason: "a test"}),
		403, "This requires a sign-in within the last ten minutes")
	e.wantFailure(b.ask("POST", "/admin/terms/"+game, httpapi.TermsRequest{OrderID: "pw-x", Reason: "a test"}),
		403, "This requires a sign-in within the last ten minutes")
	e = newEdge(t, memory.Options{})
	b = e.signedIn("ada@example.com", access.SuperAdmin)
	e.user(access.User{Email: "ben@example.com", Role: access.SuperAdmin})
	e.wantFailure(list(), 403, "This requires the keys of two operators in ADMIN_OPERATORS")
	e.wantStatus(e.get("/admin/resolve/"+game, "", key("ada")...), 200)
}
