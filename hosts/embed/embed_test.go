package embed_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks"
	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/embed"
)

// Invalid requests are rejected before a service is called. The services are empty, so that any
// call would panic.
func TestHandler_Refusals(t *testing.T) {
	routes := embed.Handler(&pledgeworks.Services{Checkout: &checkout.Service{}}, embed.Options{
		Operator: func(r *http.Request) bool { return r.URL.Path == "/admin/settle/tide" },
	})
	for _, tt := range []struct {
		name, method, path, kind, body string
		want                           int
	}{
		{"dryRun in the query", "POST", "/admin/settle/tide?dryRun=true", "application/json", "", 400},
		{"misspelled dryRun", "POST", "/admin/settle/tide", "application/json", `{"dry_run":true}`, 400},
		{"dryRun as a string", "POST", "/admin/settle/tide", "application/json", `{"dryRun":"yes"}`, 400},
		{"data after the object", "POST", "/admin/settle/tide", "application/json", `{"dryRun":true}{}`, 400},
		{"not an operator", "POST", "/admin/settle/film", "application/json", "", 401},
		{"cross-site form", "POST", "/checkout-intent/start", "application/x-www-form-urlencoded", "{}", 400},
		{"no content type", "POST", "/pledge/cancel", "", "{}", 400},
		{"JSON array", "POST", "/pledge/modify", "application/json", "[]", 400},
		{"empty body", "POST", "/pledge/modify", "application/json", "", 400},
		{"two objects", "POST", "/pledge/modify", "application/json", "{}{}", 400},
		{"large body", "POST", "/checkout-intent/complete", "application/json",
			`{"orderId":"` + strings.Repeat("x", 64<<10) + `"}`, 400},
		{"large event", "POST", "/webhooks/psp", "", strings.Repeat("x", 256<<10+1), 400},
		{"wrong method", "GET", "/checkout-intent/start", "", "", 405},
		{"unknown path", "GET", "/admin", "", "", 404},
	} {
		r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		r.Header.Set("Content-Type", tt.kind)
		w := httptest.NewRecorder()
		routes.ServeHTTP(w, r)
		if w.Code != tt.want || strings.Contains(w.Body.String(), "xxxx") {
			t.Errorf("%s: %d %.80s", tt.name, w.Code, w.Body)
		}
		if tt.want < 404 &&
			(w.Header().Get("Cache-Control") != "private, no-store" || w.Header().Get("Content-Type") != "application/json") {
			t.Errorf("%s: headers %v", tt.name, w.Header())
		}
	}
}
