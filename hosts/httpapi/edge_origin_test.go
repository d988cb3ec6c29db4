package httpapi_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Links for supporters lead to SITE_BASE, and only its pages may send changes.
//
// Proves CFG-02.
func TestSiteBase_IsThePublicOrigin(t *testing.T) {
	const site = "https://shop.example"
	e := newEdge(t, memory.Options{Env: map[string]string{"SITE_BASE": site, "CORS_ALLOWED_ORIGIN": "",
		"CANONICAL_SITE_BASE": "https://www.example", "WORKER_BASE": "https://api.example"}})
	e.pledge("ada@example.com", gameCart(1), cardOK)
	sent := 0
	for _, m := range sure(e.Mails(t.Context()))(t) {
		if m.Kind != notify.Confirmation {
			continue
		}
		sent++
		for word := range strings.FieldsSeq(m.Text) {
			if u, err := url.Parse(strings.Trim(word, "<>()")); err == nil && u.Host != "" && "https://"+u.Host != site {
				t.Errorf("confirmation links to %s", word)
			}
		}
		if !strings.Contains(m.Text, site+"/manage/") {
			t.Errorf("confirmation has no link to its pledge:\n%s", m.Text)
		}
	}
	if sent != 1 {
		t.Errorf("%d confirmations", sent)
	}
	link := e.mailLink(notify.LaunchReminder, "en")
	if got := e.get(link.Path, link.RawQuery).Header.Get("Location"); !strings.HasPrefix(got, site+"/mails/") {
		t.Errorf("unsubscribe link = %s", got)
	}
	for origin, status := range map[string]int{site: 200, "https://www.example": 403, "https://api.example": 403} {
		r := e.post("/tax/quote", gameCart(1), "Origin", origin)
		if r.Status != status {
			t.Errorf("request from a page of %s: status %d, want %d", origin, r.Status, status)
		}
		if allowed := r.Header.Get("Access-Control-Allow-Origin"); allowed != site {
			t.Errorf("origin %s may read responses", allowed)
		}
	}
}
