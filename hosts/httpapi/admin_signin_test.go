package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// A flood of sign-in requests for an address does not lock out a browser in which its user has
// signed in, and does not reveal whether the address belongs to a user.
func TestAskToSignIn_Flood(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("grace@example.com", access.SuperAdmin)
	b.ask("POST", "/admin/auth/sign-out", nil)
	flood := func(email string) (sent bool) {
		for range 30 {
			stranger := e.browser()
			r := stranger.ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: email})
			e.wantStatus(r, 200)
			sent = decode[httpapi.SignInAsked](t, r).Sent
		}
		return sent
	}
	if known, unknown := flood("grace@example.com"), flood("somebody@example.com"); !known || !unknown {
		t.Errorf("a user's address: %t, another address: %t", known, unknown)
	}
	for range 25 {
		e.Advance(30 * time.Second)
		other := e.browser()
		other.ip = "203.0.113.200"
		other.ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: "grace@example.com"})
	}
	b.ip = "203.0.113.200" // the network that sent the flood
	e.Advance(time.Minute)
	for n := range 5 {
		before := len(e.signInMails("grace@example.com"))
		e.wantStatus(b.ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: "grace@example.com"}), 200)
		if sent := len(e.signInMails("grace@example.com")) - before; sent != 1 {
			t.Errorf("request %d of a known browser: %d mails", n+1, sent)
		}
	}
	e.Advance(time.Minute)
	r := b.ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: "grace@example.com"})
	if f := e.wantFailure(r, 429, "Too many requests"); f.RetryAfter != 14*60 {
		t.Errorf("over its quota: %+v", f)
	}
	if b.enter(httpapi.SignInProof{Token: tokenOf(e.signInMail("grace@example.com"))}); b.view.Email != "grace@example.com" {
		t.Errorf("signed in as %+v", b.view)
	}
}

// Proves AAU-02, AAU-03, AAU-04, AAU-10, AAU-12.
func TestSignIn(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.CampaignUser, game)
	r := b.ask("GET", "/admin/session", nil)
	e.wantStatus(r, 200)
	var view httpapi.SessionView
	if err := json.Unmarshal(r.Body, &view); err != nil || !cmp.Equal(view, b.view) || view.Email != "ada@example.com" ||
		!cmp.Equal(view.Campaigns, []string{game}) || view.Role != access.CampaignUser || len(view.CSRFToken) < 40 {
		t.Errorf("session = %s, %v", r.Body, err)
	}
	if len(b.cookies) != 2 || b.cookies["__Host-admin-session"] == "" || b.cookies["__Host-admin-known"] == "" {
		t.Errorf("cookies %v", b.cookies)
	}
	if strings.Contains(string(r.Body), b.cookies["__Host-admin-session"]) {
		t.Error("the response body contains the cookie's value")
	}
	for name, header := range map[string][]string{
		"no token":      {"X-Svc-Admin-Csrf", ""},
		"a wrong token": {"X-Svc-Admin-Csrf", view.CSRFToken + "x"},
		"another site":  {"Origin", "https://evil.example"},
		"cross-site":    {"Sec-Fetch-Site", "cross-site"},
		"no origin":     {"Origin", ""},
	} {
		if r := b.ask("POST", "/admin/auth/sign-out", nil, header...); r.Status != 403 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	e.wantStatus(b.ask("POST", "/admin/auth/sign-out", nil), 200)
	if len(b.cookies) != 1 || b.cookies["__Host-admin-known"] == "" {
		t.Errorf("cookies after signing out: %v", b.cookies)
	}
	e.wantFailure(b.ask("GET", "/admin/session", nil), 401, "You are not signed in")
}

// All changes in the dashboard require the CSRF header.
//
// Proves AAU-03.
func TestCSRF_RequiredForChanges(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	tried := 0
	for _, r := range e.API.Routes() {
		if r.Operator == "" || r.Method == "GET" {
			continue
		}
		tried++
		path := strings.Replace(r.Pattern, ":slug", game, 1)
		for _, shown := range []string{"", b.view.CSRFToken + "x"} {
			e.wantFailure(b.ask(r.Method, path, nil, "X-Svc-Admin-Csrf", shown), 403, "Missing or wrong x-svc-admin-csrf")
		}
	}
	if tried < 40 {
		t.Errorf("tested %d routes", tried)
	}
}

// The response does not reveal whether an address may sign in.
func TestSignIn_DoesNotRevealUsers(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"SITE_BASE": "https://shop.example"}})
	e.user(access.User{Email: "ada@example.com", Role: access.SuperAdmin})
	cookies := regexp.MustCompile(`=[\w-]{43};`)
	say := func(email string) string {
		r := e.browser().ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: email})
		e.wantStatus(r, 200)
		var out httpapi.SignInAsked
		if err := json.Unmarshal(r.Body, &out); err != nil || !out.Sent || out.Link != "" {
			t.Errorf("%s, %v", r.Body, err)
		}
		return fmt.Sprint(string(r.Body), cookies.ReplaceAllString(fmt.Sprint(r.Header), "=…;"))
	}
	if diff := cmp.Diff(say("ada@example.com"), say("eve@example.com")); diff != "" {
		t.Error(diff)
	}
	r := e.browser().ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: "nobody"})
	e.wantStatus(r, 400)
}

// Proves AAU-05, AAU-06.
func TestSignIn_ShowsLinkToDevelopers(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  map[string]string
		want bool
	}{
		{"on localhost",
			map[string]string{"SITE_BASE": "http://localhost:8080", "WORKER_BASE": "http://127.0.0.1:8787"}, true},
		{"a site elsewhere",
			map[string]string{"SITE_BASE": "https://shop.example", "WORKER_BASE": "http://localhost:8787"}, false},
		{"a service elsewhere",
			map[string]string{"SITE_BASE": "http://localhost:8080", "WORKER_BASE": "https://api.example"}, false},
		{"enabled", map[string]string{"SITE_BASE": "https://shop.example", "WORKER_BASE": "https://api.example",
			"ADMIN_EXPOSE_LOGIN_LINK": "true"}, true},
	} {
		e := newEdge(t, memory.Options{Env: tc.env})
		e.user(access.User{Email: "ada@example.com", Role: access.SuperAdmin})
		r := e.browser().ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: "ada@example.com"},
			"Origin", tc.env["SITE_BASE"])
		var out httpapi.SignInAsked
		if err := json.Unmarshal(r.Body, &out); err != nil || (out.Link != "") != tc.want {
			t.Errorf("%s: %d %s", tc.name, r.Status, r.Body)
		}
		if tc.want && out.Link != tc.env["SITE_BASE"]+"/admin/#sign-in="+tokenOf(e.signInMail("ada@example.com")) {
			t.Errorf("%s: link = %s", tc.name, out.Link)
		}
	}
}

// Session cookies are signed with the session secret if it is set. Cookies that are modified,
// unsigned or signed with another secret are rejected.
//
// Proves AAU-10, CFG-37.
func TestSessions_CookieSignature(t *testing.T) {
	const own, name = "a secret of 32 bytes for sessions", "__Host-admin-session"
	for _, env := range []map[string]string{nil, {"ADMIN_SESSION_SECRET": own}} {
		e := newEdge(t, memory.Options{Env: env})
		b := e.signedIn("ada@example.com", access.CampaignUser, game)
		good := b.cookies[name]
		signers := map[bool]token.Signer{true: {Secret: []byte(own)},
			false: {Secret: []byte(e.Config.Secrets.MagicLink.Reveal())}}
		claims, err := signers[env != nil].Verify(good, "admin-session", e.Now())
		if err != nil {
			t.Fatalf("with %v: %v", env, err)
		}
		other, err := signers[env == nil].Sign(claims)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{other, "x" + good, good + "x", claims.Topic} {
			b.cookies[name] = bad
			e.wantFailure(b.ask("GET", "/admin/session", nil), 401, "You are not signed in")
		}
		b.cookies[name] = good
		e.wantStatus(b.ask("GET", "/admin/session", nil), 200)
	}
}

// Proves AAU-07, AAU-08, AAU-09.
func TestSignIn_Challenge(t *testing.T) {
	env := map[string]string{"CHALLENGE_SECRET_KEY": "0x4secret", "CHALLENGE_SITE_KEY": "0x4site"}
	check := func(_ context.Context, action, response string) error {
		if action != "admin-sign-in" || response != "person" {
			return fault.New(fault.Invalid, "You look like a robot").In("challenge")
		}
		return nil
	}
	e := newEdge(t, memory.Options{Env: env, Challenge: check})
	e.user(access.User{Email: "ada@example.com", Role: access.SuperAdmin})
	before := e.kept()
	for range 20 {
		r := e.browser().ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: "ada@example.com", Challenge: "robot"})
		e.wantStatus(r, 400)
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Errorf("failed challenge wrote: %s", diff)
	}
	if n := len(e.counters()); n != 0 {
		t.Errorf("failed challenges were counted: %v", e.counters())
	}
	e.wantStatus(e.browser().ask("POST", "/admin/auth/start",
		httpapi.SignInRequest{Email: "ada@example.com", Challenge: "person"}), 200)
	bypassed := maps.Clone(env)
	bypassed["ADMIN_TURNSTILE_BYPASS"] = "true"
	for _, without := range []map[string]string{bypassed, nil} {
		e = newEdge(t, memory.Options{Env: without, Challenge: check})
		e.user(access.User{Email: "ada@example.com", Role: access.SuperAdmin})
		e.browser().signIn("ada@example.com")
	}
}

func TestSignIn_RateLimit(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.browser()
	for n := range 6 {
		want := 200
		if n == 5 {
			want = 429
		}
		e.wantStatus(b.ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: fmt.Sprintf("a%d@example.com", n)}),
			want)
	}
	for n := range 11 {
		want := 401
		if n == 10 {
			want = 429
		}
		e.wantStatus(b.ask("POST", "/admin/auth/sign-in", httpapi.SignInProof{Code: "0000 0000"}), want)
	}
	for _, body := range []any{httpapi.SignInProof{}, httpapi.SignInProof{Token: "x", Code: "y"}} {
		e.wantStatus(e.browser().ask("POST", "/admin/auth/sign-in", body), 400)
	}
}

// A session in use is extended for up to twelve hours. An unused one ends after an hour.
func TestSessions_Extended(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	left := &browser{e: e, ip: b.ip, cookies: map[string]string{"__Host-admin-session": b.cookies["__Host-admin-session"]}}
	used := 0
	for b.ask("GET", "/admin/session", nil).Status == 200 {
		e.Advance(40 * time.Minute)
		if used++; used == 2 {
			e.wantStatus(left.ask("GET", "/admin/session", nil), 401)
		}
	}
	if used != 18 {
		t.Errorf("used %d times in twelve hours", used)
	}
}

// Proves AAU-13, AAU-14, AAU-15, AAU-20, AAU-21, AAU-23, AAU-24, AAU-25.
func TestSessions_Routes(t *testing.T) {
	e := newEdge(t, memory.Options{})
	boss, other := e.signedIn("ada@example.com", access.SuperAdmin),
		e.signedIn("ben@example.com", access.CampaignUser, game)
	third := e.signedIn("cyd@example.com", access.CampaignUser, game)
	e.wantFailure(other.ask("GET", "/admin/sessions", nil), 403, "You may not do this")
	r := boss.ask("GET", "/admin/sessions", nil)
	e.wantStatus(r, 200)
	var all httpapi.SessionList
	if err := json.Unmarshal(r.Body, &all); err != nil || len(all.Sessions) != 3 {
		t.Fatalf("%s, %v", r.Body, err)
	}
	rows := map[string]httpapi.SessionRow{}
	for _, s := range all.Sessions {
		rows[s.Email] = s
	}
	if mine := rows["ada@example.com"]; !mine.Current || !mine.Active || mine.ID != boss.view.SessionID {
		t.Errorf("own session = %+v", mine)
	}
	if strings.Contains(string(r.Body), boss.ip) || strings.Contains(string(r.Body), "csrf") {
		t.Errorf("response = %s", r.Body)
	}
	theirs := rows["ben@example.com"]
	for _, header := range [][]string{
		{"X-Svc-Admin-Csrf", ""}, {"X-Svc-Admin-Csrf", other.view.CSRFToken}, {"Origin", "https://evil.example"},
		{"Origin", ""}, {"Origin", "null"}, {"Origin", "", "Referer", "https://evil.example/admin/"},
		{"Sec-Fetch-Site", "cross-site"},
	} {
		e.wantStatus(boss.ask("POST", "/admin/sessions/revoke", httpapi.RevokeRequest{SessionID: theirs.ID}, header...), 403)
	}
	e.wantStatus(boss.ask("POST", "/admin/sessions/revoke", httpapi.RevokeRequest{SessionID: boss.view.SessionID}), 409)
	e.wantStatus(other.ask("GET", "/admin/session", nil), 200)
	e.wantStatus(boss.ask("POST", "/admin/sessions/revoke", httpapi.RevokeRequest{SessionID: theirs.ID}), 200)
	e.wantStatus(other.ask("GET", "/admin/session", nil), 401)
	e.wantStatus(third.ask("GET", "/admin/session", nil), 200)
	e.wantStatus(boss.ask("POST", "/admin/sessions/revoke", httpapi.RevokeRequest{SessionID: theirs.ID}), 404)
	listed := map[string]bool{}
	for _, s := range decode[httpapi.SessionList](t, boss.ask("GET", "/admin/sessions", nil)).Sessions {
		listed[s.Email] = s.Active
	}
	if diff := cmp.Diff(map[string]bool{"ada@example.com": true, "ben@example.com": false, "cyd@example.com": true},
		listed); diff != "" {
		t.Errorf("listed and signed-in users: %s", diff)
	}
	place := []string{"Cf-Iplatitude", "35.68701", "Cf-Iplongitude", "-105.93781", "X-Appengine-Citylatlong",
		"35.68701,-105.93781", "Geolocation", "geo:35.68701,-105.93781",
		"Cf-Ipcity", "Galisteo", "Cf-Postal-Code", "87540-0017", "X-Vercel-Ip-City", "Galisteo",
		"Cloudfront-Viewer-Address", "198.51.100.77:4711"}
	e.wantStatus(other.ask("POST", "/admin/auth/start", httpapi.SignInRequest{Email: "ben@example.com"}, place...), 200)
	e.wantStatus(other.ask("POST", "/admin/auth/sign-in",
		httpapi.SignInProof{Token: tokenOf(e.signInMail("ben@example.com"))}, place...), 200)
	e.wantStatus(other.ask("GET", "/admin/session", nil, place...), 200)
	e.wantStatus(other.ask("GET", "/admin/summary", nil, place...), 200)
	for key, value := range e.kept() { // proxies may send a location header, and IP addresses imply a location
		for _, where := range []string{"35.68701", "105.93781", "Galisteo", "87540-0017", "198.51.100.77", other.ip} {
			if strings.Contains(key+value, where) {
				t.Errorf("%s contains a location or an IP address: %s", key, value)
			}
		}
	}
	events := e.events("action=session.revoke").Events
	if len(events) != 1 || events[0].AdminEmail != "ada@example.com" || events[0].AdminRole != "super_admin" ||
		events[0].Target != theirs.ID {
		t.Errorf("events %+v", events)
	}
}

// Proves USR-02, USR-03, USR-04, USR-12.
func TestUsers_Routes(t *testing.T) {
	e := newEdge(t, memory.Options{})
	b := e.signedIn("ada@example.com", access.SuperAdmin)
	new := httpapi.UserRequest{Email: "Ben@Example.com", Name: "Ben", Role: access.CampaignUser,
		Campaigns: []string{game}, PreferredLang: "es"}
	r := b.ask("POST", "/admin/users", new)
	e.wantStatus(r, 200)
	var u access.User
	if err := json.Unmarshal(r.Body, &u); err != nil || u.Email != "ben@example.com" || u.Revision != 1 {
		t.Fatalf("%s, %v", r.Body, err)
	}
	e.wantStatus(b.ask("POST", "/admin/users", new), 409)
	for field, change := range map[string]func(*httpapi.UserRequest){
		"campaigns":     func(u *httpapi.UserRequest) { u.Campaigns = []string{"unknown"} },
		"preferredLang": func(u *httpapi.UserRequest) { u.PreferredLang = "fr" },
		"role":          func(u *httpapi.UserRequest) { u.Role = "boss" },
	} {
		wrong := new
		change(&wrong)
		e.wantField(b.ask("POST", "/admin/users", wrong), field)
	}
	new.Name, new.Revision, new.Permissions = "Benjamin", 1, []access.Permission{access.Fulfilment}
	e.wantStatus(b.ask("POST", "/admin/users", new), 200)
	r = b.ask("GET", "/admin/users", nil)
	var all httpapi.UserList
	if err := json.Unmarshal(r.Body, &all); err != nil || len(all.Users) != 2 ||
		all.Users[1].Name != "Benjamin" || len(all.Users[1].Permissions) != 1 {
		t.Errorf("%s, %v", r.Body, err)
	}
	other := e.signedIn("cat@example.com", access.CampaignUser, game)
	e.wantStatus(other.ask("POST", "/admin/users", httpapi.UserRequest{Email: "dan@example.com",
		Name: "Dan", Role: access.CampaignUser, Campaigns: []string{game}}), 403)
	e.wantStatus(other.ask("POST", "/admin/users/delete", httpapi.UserDeletion{Email: "ben@example.com"}), 403)
	e.wantStatus(b.ask("POST", "/admin/users/delete", httpapi.UserDeletion{Email: "ben@example.com"}), 200)
	e.wantStatus(b.ask("POST", "/admin/users/delete", httpapi.UserDeletion{Email: "ben@example.com"}), 404)
	e.wantStatus(b.ask("POST", "/admin/users/delete", httpapi.UserDeletion{Email: "ada@example.com"}), 409)
	for _, action := range []string{"user.save", "user.delete"} {
		for _, ev := range e.events("action=" + action).Events {
			if ev.Target == "" || !strings.EqualFold(ev.Target, "ben@example.com") || ev.AdminEmail != "ada@example.com" {
				t.Errorf("audit event = %+v", ev)
			}
		}
	}
	e.Advance(10 * time.Minute)
	r = b.ask("POST", "/admin/users/delete", httpapi.UserDeletion{Email: "ben@example.com"})
	var failed struct{ Code fault.Code }
	if err := json.Unmarshal(r.Body, &failed); err != nil || r.Status != 403 || failed.Code != "sign_in_again" {
		t.Errorf("with an old sign-in: status %d: %s", r.Status, r.Body)
	}
	b.signIn("ada@example.com")
	e.wantStatus(b.ask("POST", "/admin/users/delete", httpapi.UserDeletion{Email: "ben@example.com"}), 404)
}

// Only the site's pages may send a user's cookies. Another origin that may read public responses
// may not.
func TestCORS_Credentials(t *testing.T) {
	for cors, want := range map[string]string{"": "true", "https://reader.example": ""} {
		e := newEdge(t,
			memory.Options{Env: map[string]string{"SITE_BASE": "https://shop.example", "CORS_ALLOWED_ORIGIN": cors}})
		for _, r := range []httpapi.Response{e.get("/admin/session", ""), e.do("OPTIONS", "/admin/auth/start", "", nil)} {
			if got := r.Header.Get("Access-Control-Allow-Credentials"); got != want {
				t.Errorf("for %q: %q", cors, got)
			}
		}
		if got := e.get("/pledge", "").Header.Get("Access-Control-Allow-Credentials"); got != "" {
			t.Errorf("supporters' routes: %q", got)
		}
	}
}
