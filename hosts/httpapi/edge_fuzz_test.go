package httpapi_test

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

func fuzzHost(f *testing.F) *memory.Host {
	f.Helper()
	h, err := memory.New(memory.Options{Campaigns: os.DirFS("../../examples/site")})
	if err != nil {
		f.Fatal(err)
	}
	return h
}

// Every request gets a JSON response with security headers and without an internal error.
func FuzzServe(f *testing.F) {
	h := fuzzHost(f)
	f.Add("GET", "/stats/night-ferry", "", "", "")
	f.Add("POST", "/checkout-intent/start", "",
		`{"campaignSlug":"night-ferry","email":"a@example.com","items":[{"id":"night-ferry__thank-you"}]}`,
		"application/json")
	f.Add("POST", "/pledge/cancel", "x=%zz", `{"token":"a.b"}`, "application/json; charset=x")
	f.Add("POST", "/webhooks/psp", "", "{", "")
	f.Add("OPTIONS", "/votes", "token=a", "", "")
	f.Add("", "", "?", "\x00", ";")
	var calls atomic.Int64 // separate client addresses, so that rate limits do not interfere
	f.Fuzz(func(t *testing.T, method, path, query, body, kind string) {
		r := h.API.Serve(context.Background(), httpapi.Request{
			Method: method, Path: path, RawQuery: query, Body: []byte(body), ClientIP: client(int(calls.Add(1))),
			Header: func(name string) string {
				return map[string]string{"Content-Type": kind, "Origin": string(h.Config.Site.Base)}[name]
			},
		})
		if r.Status < 200 || r.Status == 500 || r.Status > 503 {
			t.Errorf("status %d: %s", r.Status, r.Body)
		}
		if r.Status != 204 && !json.Valid(r.Body) {
			t.Errorf("the response is not JSON: %q", r.Body)
		}
		if r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Cache-Control") == "" {
			t.Errorf("headers = %v", r.Header)
		}
	})
}

// Only requests from the site's scheme and host pass the origin check.
func FuzzOrigin(f *testing.F) {
	h := fuzzHost(f)
	for _, seed := range []string{"http://127.0.0.1:8787", "HTTP://127.0.0.1:8787/", "null",
		"http://127.0.0.1:8787@evil.example", "http://127.0.0.1:8787.evil.example", "//127.0.0.1:8787"} {
		f.Add(seed, "")
		f.Add("", seed)
	}
	var calls atomic.Int64
	f.Fuzz(func(t *testing.T, origin, referer string) {
		r := h.API.Serve(context.Background(), httpapi.Request{
			Method: "POST", Path: "/tax/quote", Body: []byte(`{}`), ClientIP: client(int(calls.Add(1))),
			Header: func(name string) string {
				return map[string]string{"Origin": origin, "Referer": referer, "Content-Type": "application/json"}[name]
			},
		})
		if r.Status == 403 {
			return
		}
		said := origin
		if said == "" {
			said = referer
		}
		u, err := url.Parse(said)
		if err != nil || !strings.EqualFold(u.Scheme, "http") || u.Host != "127.0.0.1:8787" || u.User != nil {
			t.Errorf("%q and %q passed with status %d", origin, referer, r.Status)
		}
	})
}
