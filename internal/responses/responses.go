// Package responses checks the properties that every HTTP response has, on a running host.
package responses

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
)

// Request is a request to a host.
type Request struct {
	Method, Path string
	Header       map[string]string // in addition to those of a browser on the site
	Body         string            // "" for none
}

// Response is a host's response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Host is a running service.
type Host struct {
	Ask  func(testing.TB, Request) Response
	Site string // origin of the site
	Slug string // an existing campaign
	Live bool   // whether it runs in live mode
}

// maxBody is the body limit of JSON routes, in bytes.
const maxBody = 64 << 10

// kinds lists requests with the status that every host responds with.
var kinds = []struct {
	name   string
	ask    Request
	status int
}{
	{"a read", Request{Method: "GET", Path: "/stats/{slug}"}, 200},
	{"its head", Request{Method: "HEAD", Path: "/stats/{slug}"}, 200},
	{"repeated read", Request{Method: "GET", Path: "/stats/{slug}"}, 200},
	{"preflight", Request{Method: "OPTIONS", Path: "/votes"}, 204},
	{"no route", Request{Method: "GET", Path: "/nothing"}, 404},
	{"invalid path", Request{Method: "GET", Path: "/nothing%20%00"}, 404},
	{"no campaign", Request{Method: "GET", Path: "/stats/unknown"}, 404},
	{"method not allowed", Request{Method: "PUT", Path: "/votes"}, 405},
	{"no token", Request{Method: "GET", Path: "/pledge"}, 401},
	{"another site", Request{Method: "POST", Path: "/checkout-intent/start", Body: "{}",
		Header: map[string]string{"Origin": "https://elsewhere.example"}}, 403},
	{"no JSON", Request{Method: "POST", Path: "/pledge/cancel", Body: "{"}, 400},
	{"another type", Request{Method: "POST", Path: "/pledge/cancel", Body: "{}",
		Header: map[string]string{"Content-Type": "text/plain"}}, 415},
	{"too much", Request{Method: "POST", Path: "/pledge/cancel", Body: strings.Repeat("{", maxBody+1)}, 413},
	{"unsigned webhook", Request{Method: "POST", Path: "/webhooks/psp", Body: "{}"}, 401},
	{"operator route without the secret", Request{Method: "POST", Path: "/admin/projections/check"}, 401},
}

// guesses is the number of the first wrong secret that is rejected with status 429.
const guesses = 6

// Run sends requests of all kinds and to all routes. A host's own tests pass other responses to
// Check.
func Run(t *testing.T, h Host) {
	for _, ask := range routes(t) {
		t.Run(ask.Method+" "+ask.Path, func(t *testing.T) { h.check(t, ask, 0) })
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { h.check(t, k.ask, k.status) })
	}
	t.Run("too often", func(t *testing.T) {
		ask := Request{Method: "GET", Path: "/admin/cron/status", Header: map[string]string{"X-Admin-Key": "a guess"}}
		for range guesses - 1 {
			h.check(t, ask, 401)
		}
		h.check(t, ask, 429)
	})
}

// routes returns a request to each route, without parameters or a body.
func routes(t *testing.T) (all []Request) {
	t.Helper()
	text, err := httpapi.Document("")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method := range methods {
			all = append(all, Request{Method: strings.ToUpper(method), Path: path})
		}
	}
	return all
}

func (h Host) check(t *testing.T, ask Request, status int) {
	t.Helper()
	header := map[string]string{"Origin": h.Site, "Content-Type": "application/json"}
	maps.Copy(header, ask.Header)
	ask.Header = header
	ask.Path, ask.Body = strings.ReplaceAll(ask.Path, "{slug}", h.Slug), strings.ReplaceAll(ask.Body, "{slug}", h.Slug)
	h.Check(t, ask.Method, h.Ask(t, ask), status)
}

// Check checks the status and form of a response; a status of 0 allows any status.
func (h Host) Check(t testing.TB, method string, r Response, status int) {
	t.Helper()
	if r.Status != status && status != 0 {
		t.Errorf("answered %d, want %d: %s", r.Status, status, r.Body)
	}
	h.CheckSecured(t, r)
	kind := r.Header.Get("Content-Type")
	switch {
	case r.Status == 204 && (len(r.Body) > 0 || kind != ""):
		t.Errorf("204 with %d bytes of type %q", len(r.Body), kind)
	case r.Status >= 400 && method != "HEAD":
		var is struct{ Error string }
		if err := json.Unmarshal(r.Body, &is); err != nil || is.Error == "" || !strings.HasPrefix(kind, "application/json") {
			t.Errorf("%d is not a JSON error: %s %q", r.Status, kind, r.Body)
		}
	}
}

// CheckSecured checks the security headers of a response that other sites may not frame.
func (h Host) CheckSecured(t testing.TB, r Response) {
	t.Helper()
	want := map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"X-Xss-Protection":             "1; mode=block",
		"Referrer-Policy":              "strict-origin-when-cross-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Strict-Transport-Security":    "",
	}
	if r.Header.Get("Access-Control-Allow-Origin") == "*" {
		want["Cross-Origin-Resource-Policy"] = "cross-origin"
	}
	if h.Live {
		want["Strict-Transport-Security"] = "max-age=31536000"
	}
	for name, want := range want {
		if got := strings.Join(r.Header.Values(name), ", "); got != want {
			t.Errorf("%d: %s is %q, want %q", r.Status, name, got, want)
		}
	}
}

// client does not follow redirects, so that they can be checked, and uses every connection once.
var client = http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Over returns an Ask function for a server at a URL.
func Over(base string) func(testing.TB, Request) Response {
	return func(t testing.TB, ask Request) Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), ask.Method, base+ask.Path, strings.NewReader(ask.Body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range ask.Header {
			r.Header.Set(name, value)
		}
		return Read(t, r)
	}
}

// Read sends a request and reads its response.
func Read(t testing.TB, r *http.Request) Response {
	t.Helper()
	res, err := client.Do(r)
	for range 3 {
		if !errors.Is(err, syscall.ECONNRESET) || r.GetBody == nil {
			break
		}
		// The server closed the connection before this client had sent the complete body.
		if r.Body, err = r.GetBody(); err == nil {
			res, err = client.Do(r)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Response{Status: res.StatusCode, Header: res.Header, Body: body}
}
