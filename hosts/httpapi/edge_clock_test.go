package httpapi_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// While the server's clock is wrong, changes are rejected with the reason before they start, and
// reads still work.
func TestClock_ChangesAreRefused(t *testing.T) {
	e := newEdge(t, memory.Options{})
	d := e.Services.Deps
	d.Now = func() time.Time { return e.Now().Add(time.Hour) }
	d.Clock = compose.NewClock(d.Now, slog.New(slog.DiscardHandler))
	s, err := compose.New(d)
	if err != nil {
		t.Fatal(err)
	}
	if e.API, err = httpapi.New(s, httpapi.Options{}); err != nil {
		t.Fatal(err)
	}
	before := e.DB.Snapshot()
	for _, r := range e.API.Routes() {
		if r.Method == "GET" {
			continue
		}
		path := strings.Replace(r.Pattern, ":slug", game, 1)
		resp := e.API.Serve(t.Context(), httpapi.Request{Method: r.Method, Path: path, Body: []byte("{}")})
		if resp.Status != 503 ||
			!strings.Contains(string(resp.Body), "This server's clock is 60 minutes ahead of the payment processor's") {
			t.Errorf("%s %s: %d %s", r.Method, r.Pattern, resp.Status, resp.Body)
		}
	}
	for path, status := range map[string]int{"/live/" + game: 200, "/healthz": 200, "/readyz": 503} {
		if resp := e.API.Serve(t.Context(), httpapi.Request{Method: "GET", Path: path}); resp.Status != status {
			t.Errorf("GET %s: %d %s", path, resp.Status, resp.Body)
		}
	}
	if diff := cmp.Diff(before, e.DB.Snapshot()); diff != "" {
		t.Errorf("rejected requests changed the store (-before +after):\n%s", diff)
	}
}
