package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// wantJSON says that an answer with a body is JSON and says so.
func (e *edge) wantJSON(what string, r httpapi.Response) {
	e.t.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/json; charset=utf-8" && got != "application/json" {
		e.t.Errorf("%s, status %d: Content-Type is %q", what, r.Status, got)
	}
	if !json.Valid(r.Body) {
		e.t.Errorf("%s, status %d: no JSON: %.80q", what, r.Status, r.Body)
	}
}

// Every route takes JSON alone, but for the webhook's raw body, and answers in it,
// whatever it says.
//
// Proves CHK-12.
func TestEveryRouteSpeaksJSON(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for n, tg := range e.targets() {
		body, err := json.Marshal(tg.body)
		if err != nil {
			t.Fatal(err)
		}
		e.wantJSON(tg.path, e.send(n, tg, body))
	}
	e.wantJSON("a route of nobody", e.get("/nothing", ""))
	for _, r := range e.API.Routes() {
		path := strings.Replace(r.Pattern, ":slug", game, 1)
		e.wantJSON(r.Method+" "+path, e.do(r.Method, path, "", nil))
		e.wantJSON("PUT "+path, e.do("PUT", path, "", nil))
		if r.Method != "POST" || r.RawBody {
			continue
		}
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp"} {
			answer := e.post(path, []byte(`{}`), "Content-Type", kind)
			e.wantFailure(answer, 415, "Expected application/json")
			e.wantJSON(path+" with "+kind, answer)
		}
	}
}
