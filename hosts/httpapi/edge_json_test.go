package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// wantJSON checks that a response with a body is JSON with the right Content-Type.
func (e *edge) wantJSON(what string, r httpapi.Response) {
	e.t.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/json; charset=utf-8" && got != "application/json" {
		e.t.Errorf("%s, status %d: Content-Type = %q", what, r.Status, got)
	}
	if !json.Valid(r.Body) {
		e.t.Errorf("%s, status %d: invalid JSON: %.80q", what, r.Status, r.Body)
	}
}

// A value of the wrong type is reported with the JSON name of the field, not with Go names.
func TestDecode_FieldNames(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for _, tc := range []struct{ path, body, field string }{
		{"/checkout-intent/start", `{"campaignSlug":5}`, "campaignSlug"},
		{"/checkout-intent/start", `{"items":[{"quantity":"x"}]}`, "items.quantity"},
		{"/checkout-intent/start", `{"shippingAddress":{"country":5}}`, "shippingAddress.country"},
		{"/checkout-intent/start", `{"email":5}`, "email"},
		{"/tax/quote", `{"tipPercent":"x"}`, "tipPercent"},
		{"/shipping/quote", `{"items":5}`, "items"},
	} {
		r := e.post(tc.path, []byte(tc.body))
		if f := decode[failure](t, r); r.Status != 400 || f.Field != tc.field {
			t.Errorf("%s %s: status %d, field = %q", tc.path, tc.body, r.Status, f.Field)
		}
	}
	doc := decode[struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}](t, e.get("/openapi.json", ""))
	for schema, s := range doc.Components.Schemas {
		for name := range s.Properties {
			if !fieldPath.MatchString(name) {
				t.Errorf("%s: %s looks like a Go type", schema, name)
			}
		}
	}
}

// All routes except the webhooks accept only JSON, and all responses except files are JSON, including
// errors.
//
// Proves CHK-12.
func TestRoutes_JSON(t *testing.T) {
	e := newEdge(t, memory.Options{})
	for n, tg := range e.targets() {
		body, err := json.Marshal(tg.body)
		if err != nil {
			t.Fatal(err)
		}
		if tg.path != "/admin/audit.csv" { // the only file that is requested by a body
			e.wantJSON(tg.path, e.send(n, tg, body))
		}
	}
	e.wantJSON("a route of nobody", e.get("/nothing", ""))
	for _, r := range e.API.Routes() {
		path := strings.Replace(r.Pattern, ":slug", game, 1)
		e.wantJSON(r.Method+" "+path, e.do(r.Method, path, "", nil))
		e.wantJSON("PUT "+path, e.do("PUT", path, "", nil))
		if r.Method != "POST" || r.RawBody {
			continue
		}
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "application/jsonp"} {
			answer := e.post(path, []byte(`{}`), "Content-Type", kind)
			e.wantFailure(answer, 415, "Expected application/json")
			e.wantJSON(path+" with "+kind, answer)
		}
	}
}
