package httpapi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

func TestSecurityText_Configured(t *testing.T) {
	e := newEdge(t, memory.Options{})
	expires := e.Now().Add(36 * time.Hour).UTC().Truncate(time.Second)
	e = newEdge(t, memory.Options{Env: map[string]string{
		"SECURITY_CONTACT": "https://lantern.example/report",
		"SECURITY_EXPIRES": expires.In(time.FixedZone("", 2*3600)).Format(time.RFC3339),
	}})
	r := e.get("/.well-known/security.txt", "")
	want := "Contact: https://lantern.example/report\nExpires: " + expires.Format(time.RFC3339) +
		"\nPreferred-Languages: en, es\nCanonical: " + string(e.Config.Site.Worker) + "/.well-known/security.txt\n"
	if diff := cmp.Diff(want, string(r.Body)); r.Status != 200 ||
		r.Header.Get("Content-Type") != "text/plain; charset=utf-8" || diff != "" {
		t.Errorf("%d %v: %s", r.Status, r.Header, diff)
	}
	e.Advance(37 * time.Hour)
	e.wantFailure(e.get("/.well-known/security.txt", ""), 404, "Not found")
}

func TestSecurityText_NotConfigured(t *testing.T) {
	e := newEdge(t, memory.Options{})
	e.wantFailure(e.get("/.well-known/security.txt", ""), 404, "Not found")
}
