package turnstile_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/challenge/turnstile"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const secret = "0x4AAAAAAA-secret"

// cloudflare simulates Turnstile's verification API. Each response is valid once, and only with the
// right secret key.
type cloudflare struct {
	actions map[string]string // unused responses and their actions
	broken  func(w http.ResponseWriter) bool
	seen    url.Values
}

func (c *cloudflare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.broken != nil && c.broken(w) {
		return
	}
	if r.Method != http.MethodPost || r.ParseForm() != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.seen = r.PostForm
	response := r.PostForm.Get("response")
	action, there := c.actions[response]
	delete(c.actions, response)
	answer := map[string]any{"success": true, "action": action, "hostname": "example.org",
		"challenge_ts": "2026-11-20T12:00:00Z", "error-codes": []string{}}
	switch {
	case r.PostForm.Get("secret") != secret:
		answer = map[string]any{"success": false, "error-codes": []string{"invalid-input-secret"}}
	case strings.HasPrefix(response, "robot"):
		answer = map[string]any{"success": false, "error-codes": []string{"invalid-input-response"}}
	case !there:
		answer = map[string]any{"success": false, "error-codes": []string{"timeout-or-duplicate"}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// Check accepts a response that Turnstile issued for the action, once. If Turnstile cannot verify
// the response, the error is Unavailable rather than Invalid.
//
// Proves REM-03.
func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		response, key string
		broken        func(http.ResponseWriter) bool
		want          fault.Code
	}{
		"person":             {"human", secret, nil, ""},
		"missing response":   {"", secret, nil, fault.Invalid},
		"too long":           {strings.Repeat("h", 2049), secret, nil, fault.Invalid},
		"bot":                {"robot", secret, nil, fault.Invalid},
		"unknown":            {"elsewhere", secret, nil, fault.Invalid},
		"another action":     {"signing in", secret, nil, fault.Invalid},
		"another site's key": {"human", "0x4AAAAAAA-other", nil, fault.Unavailable},
		"aborted connection": {"human", secret, func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) },
			fault.Unavailable},
		"status 500": {"human", secret, respondWith(500, `{"success":true}`), fault.Unavailable},
		"internal error": {"human", secret, respondWith(200, `{"success":false,"error-codes":["internal-error"]}`),
			fault.Unavailable},
		"HTML instead of JSON": {"human", secret, respondWith(200, `<html>`), fault.Unavailable},
		"empty object":         {"human", secret, respondWith(200, `{}`), fault.Invalid},
		"confirmed for another action": {"human", secret, respondWith(200, `{"success":true,"action":"admin"}`),
			fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			cf := &cloudflare{actions: map[string]string{"human": "launch-reminder", "signing in": "admin"}, broken: tc.broken}
			server := httptest.NewServer(cf)
			defer server.Close()
			c := turnstile.Checker{Secret: tc.key, Fetch: overhttp.New(nil, time.Minute), Endpoint: server.URL}
			err := c.Check(t.Context(), "launch-reminder", tc.response)
			if got := fault.CodeOf(err); got != tc.want {
				t.Fatalf("%v, want %q", err, tc.want)
			}
			if err != nil && (strings.Contains(err.Error(), tc.key) ||
				fault.Of(err).Code == fault.Invalid && fault.Of(err).Field != "challenge") {
				t.Errorf("error %v, field %s", err, fault.Of(err).Field)
			}
			if tc.want != "" {
				return
			}
			if cf.seen.Get("response") != tc.response || cf.seen.Get("secret") != secret {
				t.Errorf("requested with %v", cf.seen)
			}
			if err := c.Check(t.Context(), "launch-reminder", tc.response); !fault.Is(err, fault.Invalid) {
				t.Errorf("reused response: %v", err)
			}
		})
	}
}

func respondWith(status int, body string) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}
