package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/fulfilment"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// Proves CHK-13.
func TestHeaders_CacheControl(t *testing.T) {
	e := newEdge(t,
		memory.Options{Env: map[string]string{"LIVE_STATS_TTL_SECONDS": "7", "LIVE_INVENTORY_TTL_SECONDS": "9"}})
	kept := map[string]string{"/stats/:slug": "public, max-age=7", "/live/:slug": "public, max-age=7",
		"/inventory/:slug": "public, max-age=9", "/add-ons/inventory": "public, max-age=9"}
	for _, r := range e.API.Routes() {
		want := "private, no-store"
		if kept[r.Pattern] != "" {
			want = kept[r.Pattern]
		}
		got := e.do(r.Method, strings.Replace(r.Pattern, ":slug", game, 1), "", nil)
		if r.Pattern != "/stats/:slug/check" && got.Header.Get("Cache-Control") != want {
			t.Errorf("%s %s: Cache-Control is %q, want %q", r.Method, r.Pattern, got.Header.Get("Cache-Control"), want)
		}
	}
	given := e.start("a@example.com", filmCart())
	_, token := e.pledge("b@example.com", filmCart(), cardOK)
	saved := e.start("c@example.com", filmCart())
	if err := e.Sim.Complete(saved.SessionID, cardOK); err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]httpapi.Response{
		"start":   e.post("/checkout-intent/start", checkout.StartRequest{Cart: filmCart(), Email: "d@example.com"}),
		"summary": e.get("/checkout-intent/summary", "orderId="+given.OrderID+"&token="+given.Token),
		"complete": e.post("/checkout-intent/complete",
			checkout.CompleteRequest{OrderID: saved.OrderID, SessionID: saved.SessionID}),
		"abandon": e.post("/checkout-intent/abandon",
			checkout.AbandonRequest{OrderID: saved.OrderID, Token: saved.Token}),
		"tax quote":      e.post("/tax/quote", filmCart()),
		"shipping quote": e.post("/shipping/quote", gameCart(1)),
		"pledge":         e.get("/pledge", "token="+token),
		"pledges":        e.get("/pledges", "token="+token),
		"new card":       e.post("/pledge/payment-method/start", checkout.CardRequest{Token: token}),
	} {
		if got := r.Header.Get("Cache-Control"); r.Status != 200 || got != "private, no-store" {
			t.Errorf("%s: status %d, Cache-Control %q", name, r.Status, got)
		}
	}
	if got := e.get("/stats/unknown", "").Header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("an unknown campaign: Cache-Control %q", got)
	}
}

// Proves SEC-07, SEC-08, PUB-02, PUB-05.
func TestCORS(t *testing.T) {
	env := map[string]string{"CORS_ALLOWED_ORIGIN": "HTTPS://Shop.Example:443/"}
	for _, tc := range []struct {
		name, method, path, want string
		env                      map[string]string
	}{
		{"stats", "GET", "/stats/" + game, "*", env},
		{"inventory", "GET", "/inventory/" + game, "*", env},
		{"unknown campaign", "GET", "/stats/unknown", "*", env},
		{"unknown campaign's inventory", "GET", "/inventory/unknown", "*", env},
		{"inventory preflight", "OPTIONS", "/inventory/" + game, "*", env},
		{"stats preflight", "OPTIONS", "/stats/" + game, "*", env},
		{"protected: the configured origin", "GET", "/pledge", "https://shop.example", env},
		{"protected preflight", "OPTIONS", "/checkout-intent/start", "https://shop.example", env},
		{"check route next to the public read", "POST", "/stats/" + game + "/check", "https://shop.example", env},
		{"protected: otherwise the site", "GET", "/pledge", "http://site.example",
			map[string]string{"SITE_BASE": "http://SITE.example/"}},
		{"protected: else production", "GET", "/pledge", "http://localhost:8080", map[string]string{"SITE_BASE": ""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newEdge(t, memory.Options{Env: tc.env})
			r := e.do(tc.method, tc.path, "", nil, "Origin", "https://anybody.example")
			if got := r.Header.Get("Access-Control-Allow-Origin"); got != tc.want {
				t.Errorf("Access-Control-Allow-Origin is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPreflight(t *testing.T) {
	e := newEdge(t, memory.Options{WithoutRateLimit: true})
	r := e.do("OPTIONS", "/votes", "", nil, "Origin", "https://elsewhere.example", "Sec-Fetch-Site", "cross-site")
	if r.Status != 204 || len(r.Body) != 0 {
		t.Errorf("status %d with %d bytes", r.Status, len(r.Body))
	}
	if got := r.Header.Get("Access-Control-Allow-Methods"); got != "GET, HEAD, POST" {
		t.Errorf("Access-Control-Allow-Methods = %q", got)
	}
	for _, name := range []string{"Authorization", "Content-Type", "X-Admin-Key", "X-Link-Token",
		"X-Join-Token", "X-Browser-Session", "X-Checkout-Token"} {
		if !strings.Contains(r.Header.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s is not allowed", name)
		}
	}
}

func TestServe_UnknownRoutesAndMethods(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, path := range []string{"/", "/nothing", "/stats", "/stats/", "/stats/a/b",
		"/stats/" + game + "/", "/pledge/", "//pledge", "/admin/settle/"} {
		e.wantFailure(e.get(path, ""), 404, "Not found")
	}
	r := e.do("PUT", "/votes", "", nil)
	e.wantFailure(r, 405, "Method not allowed")
	if got := r.Header.Get("Allow"); got != "GET, HEAD, POST" {
		t.Errorf("Allow = %q", got)
	}
	if r := e.do("HEAD", "/stats/"+game, "", nil); r.Status != 200 {
		t.Errorf("HEAD: status %d", r.Status)
	}
}

// Proves SEC-04, SEC-05, SEC-06, CHK-36, SUP-11, TAX-10.
func TestOrigin_CheckedRoutes(t *testing.T) {
	checked := []string{"/checkout-intent/start", "/checkout-intent/complete", "/checkout-intent/abandon",
		"/pledge/payment-method/start", "/tax/quote", "/shipping/quote"}
	site := "https://shop.example"
	for _, tc := range []struct {
		name    string
		header  []string
		allowed bool
	}{
		{"the site", []string{"Origin", site}, true},
		{"the site, spelled differently", []string{"Origin", "HTTPS://SHOP.example:443"}, true},
		{"no Origin, Referer of the site", []string{"Origin", "", "Referer", site + "/campaigns/x?y"}, true},
		{"neither", []string{"Origin", ""}, false},
		{"another site", []string{"Origin", "https://shop.example.evil.example"}, false},
		{"a domain with the same suffix", []string{"Origin", "https://evil-shop.example"}, false},
		{"a host below it", []string{"Origin", "https://evil.shop.example"}, false},
		{"Referer with the same domain suffix", []string{"Origin", "", "Referer", "https://evil-shop.example/"}, false},
		{"another scheme", []string{"Origin", "http://shop.example"}, false},
		{"another port", []string{"Origin", site + ":8443"}, false},
		{"null", []string{"Origin", "null"}, false},
		{"null Origin, Referer of the site", []string{"Origin", "null", "Referer", site + "/"}, false},
		{"another page", []string{"Origin", "", "Referer", "https://evil.example/" + site}, false},
		{"user info", []string{"Origin", "https://shop.example@evil.example"}, false},
		{"an origin that may read responses", []string{"Origin", "https://reader.example"}, false},
		{"the production site", []string{"Origin", "https://www.example"}, false},
		{"the service itself", []string{"Origin", "https://api.example"}, false},
		{"cross-site with the site's Origin", []string{"Origin", site, "Sec-Fetch-Site", "cross-site"}, false},
		{"same-origin", []string{"Origin", site, "Sec-Fetch-Site", "same-origin"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := newEdge(t,
				memory.Options{Env: map[string]string{"SITE_BASE": site, "CORS_ALLOWED_ORIGIN": "https://reader.example",
					"CANONICAL_SITE_BASE": "https://www.example", "WORKER_BASE": "https://api.example"}})
			for _, path := range checked {
				r := e.post(path, []byte(`{}`), tc.header...)
				if refused := r.Status == 403; refused == tc.allowed {
					t.Errorf("%s: status %d: %s", path, r.Status, r.Body)
				}
				if !tc.allowed {
					e.wantFailure(r, 403, "Origin not allowed")
				}
			}
			for _, path := range []string{"/pledge/cancel", "/pledge/modify", "/votes", "/webhooks/psp"} {
				if r := e.post(path, []byte(`{}`), tc.header...); r.Status == 403 {
					t.Errorf("%s does not check the origin: %s", path, r.Body)
				}
			}
		})
	}
}

// uploads are the body limits of routes that accept files, in bytes. The 100 MB limit is in the
// specification.
var uploads = map[string]int{
	"/admin/settings/logo-upload": 8 << 20, "/admin/settings/image-upload": 8 << 20,
	"/admin/fulfilment/import":     fulfilment.MaxFile * 5 / 4, // one megabyte plus JSON encoding
	"/admin/settings/audio-upload": 32 << 20, "/admin/settings/video-upload": 100 << 20,
}

// Proves LIM-11, WHK-29, MED-02.
func TestBody_LimitedBeforeParsing(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, r := range e.API.Routes() {
		if r.Method != "POST" {
			continue
		}
		limit := httpapi.MaxBody
		if r.Secret == 0 && r.Operator == "" {
			limit = httpapi.MaxPublicBody
		}
		if strings.HasPrefix(r.Pattern, "/webhooks/") {
			limit = httpapi.MaxWebhookBody
		}
		if slices.Contains([]string{"/admin/content/page", "/admin/content/preview", "/admin/content/publish",
			"/admin/settings/preview", "/admin/settings/publish", "/admin/add-ons/preview", "/admin/add-ons/publish"},
			r.Pattern) {
			limit = httpapi.MaxContent
		}
		if most := uploads[r.Pattern]; most > 0 {
			limit = most
		}
		path := strings.Replace(r.Pattern, ":slug", game, 1)
		if got := e.API.BodyLimit("POST", path); got != limit {
			t.Errorf("%s accepts %d bytes, want %d", path, got, limit)
		}
		// No parser accepts this body, so a 413 proves that it was not parsed.
		e.wantFailure(e.post(path, bytes.Repeat([]byte{'{'}, limit+1)), 413, "Request body too large")
		if got := e.post(path, bytes.Repeat([]byte{'{'}, limit)); got.Status == 413 {
			t.Errorf("%s rejects a body of %d bytes", path, limit)
		}
	}
	if got := e.API.BodyLimit("GET", "/pledge"); got != 0 {
		t.Errorf("GET accepts a body of %d bytes", got)
	}
}

func TestBody_ContentType(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded",
		"application/jsonp", "application/json, text/html"} {
		e.wantFailure(e.post("/pledge/cancel", []byte(`{"token":"x"}`), "Content-Type", kind),
			415, "Expected application/json")
	}
	if r := e.post("/pledge/cancel", []byte(`{"token":"x"}`), "Content-Type",
		"application/JSON; charset=UTF-8"); r.Status != 401 {
		t.Errorf("status with a charset = %d", r.Status)
	}
	for _, body := range []string{"", " ", "{", "[]", "null", `"x"`, "{} {}", `{"token":}`,
		"{\"token\":\"\xff\"}", "\ufeff{}"} {
		e.wantFailure(e.post("/pledge/cancel", []byte(body)), 400, "Invalid JSON")
	}
	f := e.wantFailure(e.post("/pledge/cancel", []byte(`{"token":7}`)), 400, "Expected a string")
	if f.Field != "token" || f.Code != "invalid" {
		t.Errorf("failure = %+v", f)
	}
	for _, r := range []httpapi.Response{e.get("/stats/"+game, ""), e.get("/nothing", "")} {
		if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
			t.Errorf("Content-Type = %q", got)
		}
	}
}

// The log contains the route and the outcome, but nothing that a client sent.
func TestRequestLog_NoPersonalData(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := newEdge(t, memory.Options{Log: log})
	_, token := e.pledge("private@example.com", gameCart(1), cardOK)
	e.get("/pledge", "token="+token)
	e.do("EVIL\nMETHOD", "/secret-path", "query=secret-query", nil, "Authorization", "Bearer secret-credential")
	e.post("/admin/settle-batch", []byte(`{"campaignSlug":"x"}`), e.admin()...)
	for _, secret := range []string{"private@example.com", token, "secret-", "EVIL",
		e.Config.Secrets.Admin.Reveal(), "Shore Road"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("the log contains %q", secret)
		}
	}
	var line struct {
		Msg, Method, Route string
		Status             int
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	for l := range strings.SplitSeq(out.String(), "\n") {
		if strings.Contains(l, `"request"`) {
			first = l
			break
		}
	}
	if err := json.Unmarshal([]byte(first), &line); err != nil || line.Route != "/checkout-intent/start" ||
		line.Status != 200 || line.Method != "POST" {
		t.Errorf("first line = %s (%v)", first, err)
	}
}

func TestOpenAPI_DocumentsAllRoutes(t *testing.T) {
	e := newEdge(t, memory.Options{})
	if err := e.doc.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	served := 0
	for _, r := range e.API.Routes() {
		path := e.doc.Paths.Find(strings.Replace(r.Pattern, ":slug", "{slug}", 1))
		if path == nil || path.GetOperation(r.Method) == nil {
			t.Errorf("%s %s is not in the document", r.Method, r.Pattern)
		}
		served++
	}
	documented := 0
	for _, path := range e.doc.Paths.Map() {
		documented += len(path.Operations())
	}
	if served != documented {
		t.Errorf("%d routes served, %d documented", served, documented)
	}
	if r := e.get("/openapi.json", ""); r.Status != 200 || string(r.Body) != document(e.t, e.API) {
		t.Errorf("/openapi.json: status %d", r.Status)
	}
}

// In live mode every response has Strict-Transport-Security; in test mode none has.
func TestHeaders_StrictTransportSecurity(t *testing.T) {
	e := newEdge(t, memory.Options{})
	ask := func(want string) {
		t.Helper()
		for _, path := range []string{"/stats/" + game, "/stats/unknown", "/pledge", "/nothing", "/healthz"} {
			if got := e.get(path, "").Header.Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s: Strict-Transport-Security is %q, want %q", path, got, want)
			}
		}
	}
	ask("")
	live := *e.Services
	live.Config.Mode.App = psp.Live
	var err error
	if e.API, err = httpapi.New(&live, httpapi.Options{}); err != nil {
		t.Fatal(err)
	}
	ask("max-age=31536000")
}

// overloaded is a request body for which the host has no memory.
type overloaded struct{}

func (overloaded) Read([]byte) (int, error) { return 0, httpapi.ErrOverloaded }

// Every route that reads a body returns the documented error if the host is overloaded.
func TestReadBody_Overloaded(t *testing.T) {
	e := newEdge(t, memory.Options{})
	read := 0
	for n, r := range e.API.Routes() {
		if r.Method != "POST" || r.Streamed {
			continue
		}
		all := map[string]string{"Origin": string(e.Config.Site.Base), "Content-Type": "application/json",
			"Authorization": "Bearer " + e.Config.Secrets.Admin.Reveal()}
		resp := e.API.Serve(t.Context(), httpapi.Request{
			Method: "POST", Path: strings.Replace(r.Pattern, ":slug", game, 1), Stream: overloaded{}, Length: 100,
			ClientIP: fmt.Sprintf("198.51.100.%d", n), Header: func(name string) string { return all[name] },
		})
		e.documented("POST", resp)
		if resp.Status == 401 && r.Operator != "" {
			continue // requires another credential
		}
		read++
		if f := e.wantFailure(resp, 503,
			"Too many requests are being processed. Try again in a few seconds."); f.RetryAfter != 5 ||
			resp.Header.Get("Retry-After") != "5" {
			t.Errorf("%s: %+v, %v", r.Pattern, f, resp.Header)
		}
	}
	if read < 50 {
		t.Errorf("%d routes read a body", read)
	}
}

// Rejected credentials are logged with the network fingerprint that sessions record.
func TestRequestLog_RefusedCredentials(t *testing.T) {
	var out bytes.Buffer
	e := newEdge(t, memory.Options{Log: slog.New(slog.NewJSONHandler(&out, nil))})
	b := e.signedIn("joan@example.com", access.SuperAdmin)
	sessions, err := e.Services.Access.Sessions(t.Context())
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	mark := sessions[0].Network
	for _, tc := range []struct {
		name, ip, path, body string
		header               []string
		marked               bool
	}{
		{"a wrong code", b.ip, "/admin/auth/sign-in", `{"code":"00001111"}`, nil, true},
		{"a wrong link", b.ip, "/admin/auth/sign-in", `{"token":"abc"}`, nil, true},
		{"a wrong secret", b.ip, "/admin/projections/check", `{}`, []string{"Authorization", "Bearer guess"}, true},
		{"no session", b.ip, "/admin/users", `{}`, nil, true},
		{"another network", "203.0.113.77", "/admin/auth/sign-in", `{"code":"00001111"}`, nil, false},
		{"a supporter's link", b.ip, "/pledge/cancel", `{"token":"x"}`, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out.Reset()
			r := e.from(tc.ip, "POST", tc.path, []byte(tc.body), tc.header...)
			var line struct {
				Status  int
				Network string
			}
			if err := json.Unmarshal(out.Bytes()[bytes.LastIndexByte(bytes.TrimSpace(out.Bytes()), '\n')+1:],
				&line); err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			if r.Status != 401 || line.Status != 401 || (line.Network == mark) != tc.marked {
				t.Errorf("status %d is logged as %+v, want fingerprint %s: %t", r.Status, line, mark, tc.marked)
			}
			if strings.Contains(out.String(), tc.ip) {
				t.Errorf("log contains the address: %s", out.String())
			}
		})
	}
}
