package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// guarded returns the paths of the routes that require a secret: either those for settlement or the
// others.
func (e *edge) guarded(settle bool) []string {
	var out []string
	for _, r := range e.API.Routes() {
		if r.Secret != 0 && r.Secret != httpapi.OperatorKey && strings.HasPrefix(r.Pattern, "/admin/settle") == settle {
			out = append(out, r.Method+" "+strings.Replace(r.Pattern, ":slug", game, 1))
		}
	}
	return out
}

// Proves AAU-30, ERR-08, SET-26, CFG-43.
func TestSecrets_AdminSecret(t *testing.T) {
	e := newEdge(t, memory.Options{Env: map[string]string{"ADMIN_SETTLEMENT_SECRET": ""}})
	routes := append(e.guarded(false), e.guarded(true)...)
	if len(routes) < 40 { // testdata/access.txt lists all of them
		t.Fatalf("%d routes require a secret: %v", len(routes), routes)
	}
	secret := e.Config.Secrets.Admin.Reveal()
	for n, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		ip := func(k int) string { return fmt.Sprintf("192.0.%d.%d", n+1, k+1) }
		for k, header := range [][]string{
			nil,
			{"Authorization", "Bearer " + secret + "x"},
			{"Authorization", "Bearer " + secret[:len(secret)-1]},
			{"Authorization", "Basic " + secret},
			{"Authorization", secret},
			{"X-Admin-Key", strings.ToUpper(secret)},
			{"Authorization", "Bearer "},
			{"Cookie", "secret=" + secret},
		} {
			e.wantFailure(e.from(ip(k), method, path, []byte(`{"campaignSlug":"x","sessionId":"x"}`), header...),
				401, "Unauthorized")
		}
		for k, header := range [][]string{
			{"Authorization", "Bearer " + secret}, {"Authorization", "bearer  " + secret}, {"X-Admin-Key", secret},
		} {
			r := e.from(ip(k), method, path, []byte(`{"campaignSlug":"x","sessionId":"x"}`), header...)
			if r.Status == 401 || r.Status >= 500 {
				t.Errorf("%s with %s: status %d: %s", route, header[0], r.Status, r.Body)
			}
		}
	}
}

// Proves AAU-32, CFG-43.
func TestSecrets_ScopedSecretReplacesAdminSecret(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for n, route := range e.guarded(true) {
		method, path, _ := strings.Cut(route, " ")
		ip := fmt.Sprintf("192.0.2.%d", n+1)
		body := []byte(`{"campaignSlug":"` + game + `"}`)
		if strings.HasSuffix(path, "/"+game) {
			body = nil
		}
		if strings.Contains(route, "settle-stop") || strings.Contains(route, "settle-pause") {
			body = []byte(`{"reason":"a doubt"}`)
		}
		if strings.Contains(route, "/remind") {
			body = []byte(`{"dryRun":true}`)
		}
		if strings.Contains(route, "settle-accept") {
			body = []byte(`{"campaignSlug":"` + game + `","reason":"a doubt"}`)
		}
		e.wantFailure(e.from(ip, method, path, body, e.admin()...), 401, "Unauthorized")
		e.wantFailure(e.from(ip, method, path, body, "X-Admin-Key", e.Config.Secrets.MagicLink.Reveal()), 401, "Unauthorized")
		want := 409 // before the deadline
		for _, anytime := range []string{"settle-pause", "settle-release", "settle-accept", "settle-stop",
			"settle-resume", "settle-rehearsal", "/admin/settlement/"} {
			if strings.Contains(route, anytime) {
				want = 200
			}
		}
		if r := e.from(ip, method, path, body, e.settler()...); r.Status != want {
			t.Errorf("%s with its own secret: status %d: %s", route, r.Status, r.Body)
		}
	}
	for n, route := range e.guarded(false) {
		method, path, _ := strings.Cut(route, " ")
		ip := fmt.Sprintf("192.0.3.%d", n+1)
		e.wantFailure(e.from(ip, method, path, []byte(`{}`), e.settler()...), 401, "Unauthorized")
	}
}

// Proves ERR-09.
func TestSecrets_NoAdminSecret(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s := *e.Services
	s.Config.Secrets.Admin, s.Config.Secrets.AdminSettlement = "", ""
	api, err := httpapi.New(&s, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e.API = api
	for _, header := range [][]string{nil, {"Authorization", "Bearer "}, {"X-Admin-Key", "anything"}} {
		e.wantFailure(e.post("/admin/projections/check", nil, header...), 500, "Admin not configured")
		e.wantFailure(e.post("/admin/settle/"+game, nil, header...), 500, "Admin not configured")
	}
}

// Proves SEC-15, SEC-16, ERR-10, CFG-28.
func TestTestSetup_TestModeOnly(t *testing.T) {
	e := newEdge(t, memory.Options{})
	body := []byte(`{"email":"a@example.com","campaignSlug":"` + film + `"}`)
	e.wantStatus(e.post("/test/setup", body), 200)
	if !strings.Contains(document(t, e.API), "/test/") {
		t.Error("the document does not show the test routes in test mode")
	}
	for _, mode := range []psp.Mode{psp.Live, ""} {
		s := *e.Services
		s.Config.Mode.App = mode
		var err error
		if e.API, err = httpapi.New(&s, httpapi.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{"POST", "GET", "OPTIONS", "DELETE"} {
			for _, path := range []string{"/test/setup", "/test/cleanup", "/test/"} {
				e.wantFailure(e.do(method, path, "", body), 404, "Not found")
			}
		}
		if strings.Contains(document(t, e.API), "/test/") {
			t.Errorf("the document shows the test routes in mode %q", mode)
		}
	}
}

// Proves CFG-05, CFG-07, CFG-08, CFG-09.
func TestNew_MissingDependencies(t *testing.T) {
	_, err := compose.New(compose.Deps{Config: config.Config{}})
	for _, name := range []string{"PLEDGES", "CHECKOUT_INTENTS", "TIER_INVENTORY_COORDINATOR",
		"SETTLEMENT_COORDINATOR", "Processor", "Now", "Rand"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name the missing %s: %v", name, err)
		}
	}
}

// Proves CFG-11.
func TestVotes_NotConfigured(t *testing.T) {
	e := newEdge(t, memory.Options{WithoutVotes: true})
	_, link := e.pledge("a@example.com", gameCart(20), cardOK)
	e.wantFailure(e.get("/votes", "token="+link), 503, "Votes are not configured")
	e.wantFailure(e.post("/votes", map[string]string{"token": link, "decisionId": "last-line", "option": "x"}),
		503, "Votes are not configured")
	e.Advance(48 * time.Hour)
	e.cron()
	e.wantStatus(e.post("/admin/projections/rebuild", nil, e.admin()...), 200)
	if v := e.view(link); v.Status != pledge.Charged {
		t.Errorf("pledge = %s", v.Status)
	}
}

// Proves CFG-35.
func TestCheckoutTokens_OwnSecret(t *testing.T) {
	e := newEdge(t, memory.Options{})
	s := e.start("a@example.com", filmCart())
	secrets := e.Config.Secrets
	if _, err := (token.Signer{Secret: []byte(secrets.CheckoutIntent.Reveal())}).Verify(s.Token,
		token.Checkout, e.Now()); err != nil {
		t.Error(err)
	}
	forged, err := token.Signer{Secret: []byte(secrets.MagicLink.Reveal())}.Sign(token.Claims{
		Scope: token.Checkout, OrderID: s.OrderID, Email: "a@example.com", CampaignSlug: film, Expires: s.ExpiresAt,
	})
	if err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.get("/checkout-intent/summary", "orderId="+s.OrderID+"&token="+s.Token), 200)
	e.wantStatus(e.get("/checkout-intent/summary", "orderId="+s.OrderID+"&token="+forged), 401)
}

// Requests to operator routes without a secret are rejected without using a rate limit counter,
// whatever else they contain.
func TestLimits_RequestsWithoutSecret(t *testing.T) {
	nothing := [][]string{
		nil, {"Authorization", "Bearer "}, {"Authorization", "Bearer"}, {"X-Admin-Key", ""},
		{"Authorization", "Basic YWRtaW46YWRtaW4="}, {"Cookie", "admin=1"},
	}
	ask := func(e *edge, address string) {
		e.t.Helper()
		for _, route := range append(e.guarded(false), e.guarded(true)...) {
			method, path, _ := strings.Cut(route, " ")
			for _, header := range nothing {
				e.wantFailure(e.from(address, method, path, []byte(`{}`), header...), 401, "Unauthorized")
			}
		}
	}
	e := newEdge(t, memory.Options{})
	ask(e, "192.0.2.1")
	ask(e, "") // without a known address
	if got := e.counters(); len(got) > 0 {
		t.Errorf("counted: %v", got)
	}
	check := func(header ...string) httpapi.Response {
		return e.from("192.0.2.1", "POST", "/admin/projections/check", nil, header...)
	}
	e.wantStatus(check(e.admin()...), 200) // an operator at the same address can still make five calls
	for range 4 {
		e.wantFailure(check("X-Admin-Key", "guess"), 401, "Unauthorized")
	}
	e.wantLimited(check("X-Admin-Key", "guess"), 5, 60)
	before := e.counters()
	ask(e, "192.0.2.1") // a request without a secret is not told about the limit
	if diff := cmp.Diff(before, e.counters()); diff != "" {
		t.Errorf("counted: %s", diff)
	}
	ask(newEdge(t, memory.Options{WithoutRateLimit: true}), "192.0.2.1")
}
