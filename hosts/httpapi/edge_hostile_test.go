package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
)

// marker is part of every hostile text. No response may contain it.
const marker = "zq7MARKERzq7"

// hostile are JSON values that are invalid for most fields.
var hostile = map[string]string{
	"markup":       `"<script>` + marker + `</script>"`,
	"traversal":    `"../../../` + marker + `"`,
	"key":          `"stats:` + marker + `"`,
	"header":       `"` + marker + `\r\nSet-Cookie: x=1"`,
	"nul":          `"` + marker + `\u0000"`,
	"lone half":    `"` + marker + `\ud800"`,
	"right-left":   `"\u202e` + marker + `"`,
	"long":         `"` + strings.Repeat(marker, 400) + `"`,
	"quotes":       `"'; DROP TABLE pledges; -- ` + marker + `"`,
	"template":     `"{{.` + marker + `}}${` + marker + `}"`,
	"negative":     `-1`,
	"huge":         `9223372036854775807`,
	"beyond":       `1e400`,
	"fraction":     `0.1`,
	"object":       `{"` + marker + `":"` + marker + `"}`,
	"array":        `["` + marker + `"]`,
	"array in one": `[[[[[[{"a":["` + marker + `"]}]]]]]]`,
	"many":         `[` + strings.Repeat(`{"id":"`+marker+`","quantity":1},`, 500) + `{"id":"x"}]`,
	"many numbers": `[` + strings.Repeat("1,", 5000) + `1]`,
}

// malformed are bodies that are not valid requests.
var malformed = []string{
	"", " ", "{", "}", "[]", "null", "true", "0", `"` + marker + `"`, "{}{}", `{"a":1,}`, `{'a':1}`, "{\"a\":\"\xff\"}",
	"\x00", "\x1f\x8b\x08", "<xml>" + marker + "</xml>", "a=" + marker, strings.Repeat("[", 30000),
	strings.Repeat(`{"a":`, 10000),
	`{"email":"` + strings.Repeat("a", 40000) + `"}`,
}

// harmless lists fields in which hostile texts or numbers are accepted as data: they are cleaned,
// ignored or stored.
var harmless = map[string]bool{
	"/admin/broadcast/test subject": true, "/admin/broadcast/test body": true, "/admin/broadcast/test preferredLang": true,
	"/admin/broadcast/preview subject": true, "/admin/broadcast/preview body": true,
	"/admin/broadcast/preview preferredLang": true,
	"/admin/marketing/announcement subject":  true, "/admin/marketing/announcement body": true,
	"/admin/broadcast/announcement subject": true, "/admin/broadcast/announcement body": true,
	"/checkout-intent/start preferredLang": true, "/pledge/payment-method/start preferredLang": true,
	"/checkout-intent/start attribution": true, "/admin/users name": true, "/admin/supporters q": true,
	"/admin/supporters rewardId": true,
	// match no event
	"/admin/audit action": true, "/admin/audit adminEmail": true, "/admin/audit campaignSlug": true,
	"/admin/audit q":          true,
	"/admin/audit cursor":     true, // no event has this number
	"/admin/audit.csv action": true, "/admin/audit.csv adminEmail": true,
	"/admin/audit.csv campaignSlug": true, "/admin/audit.csv q": true,
	"/admin/audit.csv limit": true, "/admin/audit.csv cursor": true, "/admin/audit.csv lang": true, // files have no pages
	"/admin/passkeys name":            true,
	"/admin/auth/start preferredLang": true, "/admin/auth/start challenge": true,
	"/admin/content/undo reason": true, "/admin/settings/undo reason": true, "/admin/add-ons/undo reason": true,
	"/admin/settings/undo campaignSlug": true, "/admin/add-ons/undo campaignSlug": true, // each is a single file
	"/admin/supporters/note text": true, "/admin/supporters/address reason": true,
	"/admin/supporters/note changeId": true, "/admin/supporters/address changeId": true, // any text is a valid change ID
	"/admin/marketing/draft subject": true, "/admin/marketing/draft body": true,
	"/admin/marketing/draft ctaLabel": true, "/admin/marketing/draft ctaUrl": true,
	"/admin/marketing/referrals name": true,
	"/pledge/cancel reason":           true,
	"/admin/campaigns/create title":   true, "/admin/campaigns/duplicate title": true,
}

// shown lists routes whose response contains the submitted values.
var shown = map[string]bool{"/pledge/cancel": true, "/admin/marketing/draft": true, "/admin/marketing/referrals": true}

// send sends a request to a target from a new address and, if the route counts per order, for a new
// order.
func (e *edge) send(n int, tg target, body []byte) httpapi.Response {
	e.t.Helper()
	return e.from(client(n), "POST", tg.path, body, tg.with...)
}

// kept returns all stored records except the rate limit counters.
func (e *edge) kept() map[string]string {
	s := e.DB.Snapshot("RATELIMIT")
	out := map[string]string{}
	if r := e.Services.Repository; r != nil {
		head, err := r.Head(context.Background())
		if err != nil {
			e.t.Fatal(err)
		}
		out["repository"] = head
	}
	for namespace, entries := range s.Stores {
		for _, entry := range entries {
			out[namespace+" "+entry.Key] = string(entry.Value)
		}
	}
	for object, entries := range s.Objects {
		for _, entry := range entries {
			out[object.Class+" "+object.Name+" "+entry.Key] = string(entry.Value)
		}
	}
	return out
}

// fieldPath matches a path in a request body. It rejects Go type names, which start with a capital
// letter.
var fieldPath = regexp.MustCompile(`^[a-z]\w*(\[\d+\])?(\.[a-z]\w*(\[\d+\])?)*$`)

// mayRecord reports whether a request that changes nothing may write a record: requests to the
// processor are recorded as evidence, and rejected webhooks are counted.
func mayRecord(key, path string) bool {
	return strings.HasPrefix(key, "PLEDGES processor-event:") ||
		path == "/webhooks/psp" && strings.HasPrefix(key, "PLEDGES observed:")
}

// wantRejected checks the response to a hostile request: it is an error, does not repeat the input,
// and nothing was written.
func (e *edge) wantRejected(name string, r httpapi.Response, before map[string]string, mayPass bool) {
	e.t.Helper()
	if strings.Contains(string(r.Body), "MARKER") && !(mayPass && shown[r.Route]) {
		e.t.Errorf("%s: the response repeats the input: %s", name, r.Body)
	}
	if r.Status < 400 {
		if !mayPass {
			e.t.Errorf("%s: status %d: %.200s", name, r.Status, r.Body)
		}
		e.Advance(15 * time.Second)
		return
	}
	f := decode[failure](e.t, r)
	if r.Status >= 500 || f.Error == "" || f.Code == "" {
		e.t.Errorf("%s: status %d: %+v", name, r.Status, f)
	}
	if f.Field != "" && !fieldPath.MatchString(f.Field) {
		e.t.Errorf("%s: %s is not a field of the request", name, f.Field)
	}
	after := e.kept()
	if maps.Equal(before, after) {
		return
	}
	before = maps.Clone(before)
	for _, all := range []map[string]string{before, after} {
		maps.DeleteFunc(all, func(key, _ string) bool { return mayRecord(key, r.Route) })
	}
	if !maps.Equal(before, after) {
		e.t.Errorf("%s: status %d, wrote: %s", name, r.Status, cmp.Diff(before, after))
	}
}

// Proves CHK-25, CHK-26, CHK-27, CHK-28, CHK-29, CHK-30, CHK-31, CHK-32, CON-04.
func TestHostile_Fields(t *testing.T) {
	e := newEdge(t, memory.Options{})
	targets := e.targets()
	e.Advance(time.Minute) // the next accepted request writes observations
	covered := map[string]bool{}
	n := 0
	for _, tg := range targets {
		pattern, _, _ := strings.Cut(strings.Replace(tg.path, game, ":slug", 1), "?")
		covered[pattern] = true
		fields := e.fields(pattern)
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			for name, value := range hostile {
				if tg.path == "/webhooks/psp" || fits(fields[field], value) && harmlessValue(tg.path, field, name) {
					continue
				}
				n++
				body := maps.Clone(tg.body)
				if body["orderId"] == orderID {
					body["orderId"] = fmt.Sprintf("pw-%026d", n)
				}
				body[field] = json.RawMessage(value)
				b, err := json.Marshal(body)
				if err != nil { // a number that encoding/json does not marshal
					b = []byte(`{"` + field + `":` + value + `}`)
				}
				before := e.kept()
				r := e.send(n, tg, b)
				e.wantRejected(fmt.Sprintf("%s %s %s", tg.path, field, name), r, before,
					harmless[tg.path+" "+field] || strings.HasSuffix(tg.path, "/preview"))
			}
		}
	}
	for _, r := range e.API.Routes() {
		if r.Method == "POST" && !covered[r.Pattern] {
			t.Errorf("%s is not tested", r.Pattern)
		}
	}
	t.Logf("%d hostile bodies", n)
}

// fields returns the properties of a route's request with their types.
func (e *edge) fields(pattern string) map[string]string {
	op := e.doc.Paths.Find(strings.Replace(pattern, ":slug", "{slug}", 1)).Post
	out := map[string]string{}
	if op.RequestBody == nil {
		return out
	}
	media := op.RequestBody.Value.Content.Get("application/json")
	if media == nil {
		return out
	}
	for name, p := range media.Schema.Value.Properties {
		if p.Value.Type != nil {
			out[name] = p.Value.Type.Slice()[0]
		}
	}
	return out
}

func fits(kind, value string) bool {
	switch value[0] {
	case '"':
		return kind == "string"
	case '[':
		return kind == "array"
	case '{':
		return kind == "object"
	}
	return kind == "integer"
}

// harmlessValue reports whether a value is valid for a field.
func harmlessValue(path, field, name string) bool {
	switch {
	case name == "object": // ignored fields
		return true
	case path == "/tax/quote" && field == "subtotalCents": // used only if there are no items
		return true
	case field == "expectedRevision", path == "/pledge/modify" && field == "customAmount" && name != "huge":
		return true
	}
	return false
}

func TestHostile_MalformedBodies(t *testing.T) {
	e := newEdge(t, memory.Options{})
	n := 100000
	targets := e.targets()
	e.Advance(time.Minute)
	for _, tg := range targets {
		if strings.HasPrefix(tg.path, "/admin/media/grant") || strings.HasPrefix(tg.path, "/admin/media/take") {
			continue // they read no body, and this host has no media store
		}
		for _, body := range malformed {
			n++
			before := e.kept()
			r := e.send(n, tg, []byte(body))
			search := tg.path == "/admin/supporters" || strings.HasPrefix(tg.path, "/admin/audit")
			all := search && strings.HasPrefix(body, `{"email":`) // ignored; all are listed
			e.wantRejected(fmt.Sprintf("%s with %.20q", tg.path, body), r, before, all || tg.body == nil ||
				body == "" && strings.HasPrefix(tg.path, "/admin") || strings.HasSuffix(tg.path, "/rebuild") ||
				strings.HasSuffix(tg.path, "/settle-resume") || strings.HasSuffix(tg.path, "/check"))
		}
	}
}

// A correctly signed webhook with an invalid body is rejected and writes nothing.
func TestHostile_SignedWebhooks(t *testing.T) {
	e := newEdge(t, memory.Options{})
	bodies := append(slices.Clone(malformed),
		`{"id":"`+marker+`"}`, `{"id":7,"type":[]}`,
		`{"object":"event","id":"../`+marker+`","type":"checkout.session.completed","data":{"object":{"id":7}}}`)
	e.Advance(time.Minute) // the next request writes observations
	for _, body := range bodies {
		before := e.kept()
		signature := sim.Sign([]byte(body), e.Config.PSPWebhookSecret().Reveal(), e.Now())
		r := e.post("/webhooks/psp", []byte(body), "Psp-Signature", signature)
		e.wantRejected(fmt.Sprintf("signed %.30q", body), r, before, false)
	}
}

// Proves CHK-30.
func TestHostile_NestedFields(t *testing.T) {
	e := newEdge(t, memory.Options{})
	n := 200000
	for _, tg := range e.targets()[:1] {
		for name, value := range hostile {
			for _, form := range []string{
				`{"campaignSlug":"tidepool-traders","email":"a@example.com","items":[{"id":%s}]}`,
				`{"campaignSlug":"tidepool-traders","email":"a@example.com","items":[{"id":"tidepool-traders__%s"}]}`,
				`{"campaignSlug":"tidepool-traders","email":"a@example.com","items":[{"id":"tidepool-traders__the-game","quantity":%s}]}`,
				`{"campaignSlug":"tidepool-traders","email":"a@example.com","items":[{"id":"tidepool-traders__support__copies-for-libraries","amount":%s}]}`,
				`{"campaignSlug":"tidepool-traders","email":"a@example.com","items":[{"id":"addon__pledge-sticker__variant__%s"}]}`,
				`{"campaignSlug":"night-ferry","email":"a@example.com","items":[{"id":"night-ferry__digital-premiere"}],"shippingAddress":{"country":%s}}`,
				`{"campaignSlug":"night-ferry","email":"a@example.com","items":[{"id":"night-ferry__digital-premiere"}],"billingAddress":{"country":%s}}`,
				`{"campaignSlug":"tidepool-traders","email":"a@example.com","items":[{"id":"tidepool-traders__the-game"}],"shippingOption":%s}`,
			} {
				if strings.Contains(form, `__%s`) {
					value = strings.Trim(value, `"`)
				}
				n++
				before := e.kept()
				e.wantRejected(fmt.Sprintf("start with %s in %.80s", name, form),
					e.send(n, tg, fmt.Appendf(nil, form, value)), before, false)
				value = hostile[name]
			}
		}
	}
}

func TestHostile_PathsAndQueries(t *testing.T) {
	e := newEdge(t, memory.Options{})
	super := e.super()
	before := e.kept()
	slugs := []string{marker, strings.Repeat("a", 5000), "..", "a b", "stats:" + game, "\x00",
		"\xff", "<b>" + marker, "%2e%2e", ":slug", "{slug}"}
	for _, slug := range slugs {
		for _, r := range e.API.Routes() {
			if !strings.Contains(r.Pattern, ":slug") {
				continue
			}
			header := e.admin()
			if r.Secret == httpapi.SettlementSecret {
				header = e.settler()
			}
			if r.Secret == httpapi.OperatorKey {
				header = key("ada")
			}
			if r.Secret == 0 && r.Operator != "" {
				header = super.headers()
			}
			var body []byte
			switch r.In {
			case "Statement":
				body = []byte(`{"group":"x","nothingCharged":true}`)
			case "LaunchRequest", "WithdrawRequest":
				body = []byte(`{"base":"x","visibility":"hidden"}`)
			case "EvidenceRequest":
				body = []byte(`{"disputeId":"du_x"}`)
			case "WarningRequest":
				body = []byte(`{"warningId":"issfr_x","reason":"a doubt"}`)
			case "HoldRequest":
				body = []byte(`{"orderId":"pw-x","choice":"hold","reason":"a doubt","changeId":"1"}`)
			case "RefundRequest", "RefundRef":
				body = []byte(`{"id":"refund-1","orderId":"pw-x","choice":{"all":true},"reason":"requested"}`)
			case "RefundRunRequest", "RefundRunChange":
				body = []byte(`{"id":"cannot-deliver","reason":"undelivered","change":"end"}`)
			case "TermsRequest", "ReopenRequest":
				body = []byte(`{"orderId":"pw-x","reason":"a doubt"}`)
			}
			resp := e.from(client(1<<31+len(e.counters())), r.Method,
				strings.Replace(r.Pattern, ":slug", slug, 1), body, header...)
			if resp.Status != 404 {
				t.Errorf("%s with %.20q: status %d: %s", r.Pattern, slug, resp.Status, resp.Body)
			}
			e.wantRejected(r.Pattern, resp, before, false)
		}
	}
	for _, query := range []string{"token=" + marker, "token=%zz", "token[]=x", "%",
		"token=" + strings.Repeat("a", 60000), "token=a.b", "token=a.b.c", "token=%00"} {
		for _, path := range []string{"/pledge", "/pledges", "/votes"} {
			resp := e.API.Serve(context.Background(),
				httpapi.Request{Method: "GET", Path: path, RawQuery: query, ClientIP: "192.0.2.2"})
			if resp.Status != 401 {
				t.Errorf("%s with %.20q: status %d: %s", path, query, resp.Status, resp.Body)
			}
			e.wantRejected(path, resp, before, false)
		}
	}
}

// Proves CHK-25, CHK-27, LIM-13, ERR-12, ERR-13.
func TestStart_InvalidFields(t *testing.T) {
	e := newEdge(t, memory.Options{})
	before := e.kept()
	long := strings.Repeat("a", 64) + "@" + strings.Repeat(strings.Repeat("b", 60)+".", 3) + "example" // 255 characters
	for _, tc := range []struct{ field, value, message string }{
		{"email", "", "Invalid email format"},
		{"email", "nobody", "Invalid email format"},
		{"email", "a@b@c.example", "Invalid email format"},
		{"email", "a b@c.example", "Invalid email format"},
		{"email", "a..b@c.example", "Invalid email format"},
		{"email", "Ada <a@c.example>", "Invalid email format"},
		{"email", strings.Repeat("a", 65) + "@c.example", "Invalid email format"},
		{"email", "@c.example", "Invalid email format"},
		{"email", "a@c", "Invalid email format"},
		{"email", "a@c..example", "Invalid email format"},
		{"email", "a@-c.example", "Invalid email format"},
		{"email", "a@c d.example", "Invalid email format"},
		{"email", long, "Invalid email format"},
		{"campaignSlug", "Not A Slug", "Invalid campaign slug format"},
		{"campaignSlug", strings.Repeat("a", 101), "Invalid campaign slug format"},
		{"campaignSlug", "a_b", "Invalid campaign slug format"},
	} {
		body := map[string]any{"campaignSlug": film, "email": "a@example.com", "items": filmCart().Items}
		body[tc.field] = tc.value
		f := e.wantFailure(e.post("/checkout-intent/start", body), 400, tc.message)
		if f.Field != tc.field {
			t.Errorf("%s %.20q: field = %q", tc.field, tc.value, f.Field)
		}
	}
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Error(diff)
	}
	body := map[string]any{"campaignSlug": film, "email": long[1:], "items": filmCart().Items}
	e.wantStatus(e.post("/checkout-intent/start", body), 200)
}
