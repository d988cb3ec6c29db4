package turnstile_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/challenge/turnstile"
	"github.com/pledgeworks/pledgeworks/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const secret = "0x4AAAAAAA-secret"

// cloudflare is Turnstile's side: each response is good once, for the secret of its site.
type cloudflare struct {
	actions map[string]string // what is not used yet: a response and the action it is for
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
	answer := map[string]any{"success": true, "action": action, "hostname": "example.org", "challenge_ts": "2026-11-20T12:00:00Z", "error-codes": []string{}}
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

// Proves REM-03: only a response that Turnstile knows, for what is asked and for the first
// time, passes; where Turnstile does not say, nobody passes, and nobody is called a robot.
func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		response, key string
		broken        func(http.ResponseWriter) bool
		want          fault.Code
	}{
		"a human":             {"human", secret, nil, ""},
		"nothing":             {"", secret, nil, fault.Invalid},
		"too long":            {strings.Repeat("h", 2049), secret, nil, fault.Invalid},
		"a robot":             {"robot", secret, nil, fault.Invalid},
		"unknown":             {"elsewhere", secret, nil, fault.Invalid},
		"for another form":    {"signing in", secret, nil, fault.Invalid},
		"another site's key":  {"human", "0x4AAAAAAA-other", nil, fault.Unavailable},
		"no answer":           {"human", secret, func(http.ResponseWriter) bool { panic(http.ErrAbortHandler) }, fault.Unavailable},
		"an error of theirs":  {"human", secret, says(500, `{"success":true}`), fault.Unavailable},
		"an internal error":   {"human", secret, says(200, `{"success":false,"error-codes":["internal-error"]}`), fault.Unavailable},
		"nothing to be read":  {"human", secret, says(200, `<html>`), fault.Unavailable},
		"an empty answer":     {"human", secret, says(200, `{}`), fault.Invalid},
		"success for another": {"human", secret, says(200, `{"success":true,"action":"admin"}`), fault.Invalid},
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
			if err != nil && (strings.Contains(err.Error(), tc.key) || fault.Of(err).Code == fault.Invalid && fault.Of(err).Field != "challenge") {
				t.Errorf("the error is %v, of the field %s", err, fault.Of(err).Field)
			}
			if tc.want != "" {
				return
			}
			if cf.seen.Get("response") != tc.response || cf.seen.Get("secret") != secret {
				t.Errorf("asked with %v", cf.seen)
			}
			if err := c.Check(t.Context(), "launch-reminder", tc.response); !fault.Is(err, fault.Invalid) {
				t.Errorf("the same response a second time: %v", err)
			}
		})
	}
}

func says(status int, body string) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	}
}
