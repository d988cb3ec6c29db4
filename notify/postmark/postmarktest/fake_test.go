package postmarktest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/notify/postmark/postmarktest"
)

type fields = map[string]any

func mail(change fields) fields {
	m := fields{"From": "Cine <pledges@example.org>", "To": "ana@example.com", "Subject": "Hi",
		"TextBody": "Hello", "MessageStream": "outbound"}
	maps.Copy(m, change)
	return m
}

func metadata(n int, name, value string) fields {
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprintf("%s%d", name, i)] = value
	}
	return fields{"Metadata": all}
}

func ask(t *testing.T, p *postmarktest.Server, path string, v any, change func(*http.Request)) (int, string) {
	t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(string(body)))
	r.Header = http.Header{"X-Postmark-Server-Token": {postmarktest.Token}, "Accept": {"application/json"},
		"Content-Type": {"application/json"}}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// The fake has Postmark's limits.
func TestServer_Limits(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for name, tt := range map[string]struct {
		change fields
		code   int
	}{
		"a mail":                 {nil, 0},
		"HTML alone":             {fields{"TextBody": "", "HtmlBody": "<p>"}, 0},
		"no body":                {fields{"TextBody": ""}, 300},
		"no address":             {fields{"To": "ana"}, 300},
		"51 addresses":           {fields{"To": strings.Repeat("a@example.com,", 50) + "a@example.com"}, 300},
		"no sender":              {fields{"From": "Cine"}, 300},
		"5 MB":                   {fields{"TextBody": long(5 << 20)}, 0},
		"more than 5 MB":         {fields{"TextBody": long(5<<20 + 1)}, 300},
		"more than 5 MB of HTML": {fields{"HtmlBody": long(5<<20 + 1)}, 300},
		"a tag":                  {fields{"Tag": long(1000)}, 0},
		"a longer tag":           {fields{"Tag": long(1001)}, 300},
		"10 fields":              {metadata(10, "name", "value"), 0},
		"11 fields":              {metadata(11, "name", "value"), 300},
		"a name of 20":           {metadata(1, long(19), "value"), 0},
		"a name of 21":           {metadata(1, long(20), "value"), 300},
		"a value of 80":          {metadata(1, "name", strings.Repeat("ñ", 80)), 0},
		"a value of 81":          {metadata(1, "name", long(81)), 300},
		"valid TrackLinks":       {fields{"TrackLinks": "HtmlOnly"}, 0},
		"invalid TrackLinks":     {fields{"TrackLinks": "Some"}, 300},
		"the broadcast stream":   {fields{"MessageStream": "broadcast"}, 0},
		"another stream":         {fields{"MessageStream": "news"}, 1235},
		"another type":           {fields{"To": 7}, 403},
	} {
		p := &postmarktest.Server{Now: time.Now}
		status, said := ask(t, p, "/email", mail(tt.change), nil)
		want := http.StatusUnprocessableEntity
		if tt.code == 0 {
			want = http.StatusOK
		}
		if status != want || !strings.Contains(said, fmt.Sprintf(`"ErrorCode":%d,`, tt.code)) ||
			len(p.Accepted()) != map[bool]int{true: 1}[tt.code == 0] {
			t.Errorf("%s: %d %s", name, status, said)
		}
	}
}

func TestServer_Requests(t *testing.T) {
	batch := func(n int, change fields) []fields {
		all := make([]fields, n)
		for i := range all {
			all[i] = mail(change)
		}
		return all
	}
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	huge := fields{"TextBody": strings.Repeat("a", 5<<20), "HtmlBody": strings.Repeat("a", 5<<20)}
	for name, tt := range map[string]struct {
		path     string
		body     any
		change   func(*http.Request)
		status   int
		code     string
		accepted int
	}{
		"batch": {path: "/email/batch", body: batch(500, nil), status: 200,
			code: `"ErrorCode":0`, accepted: 500},
		"501 mails":  {path: "/email/batch", body: batch(501, nil), status: 422, code: `"ErrorCode":410`},
		"over 50 MB": {path: "/email/batch", body: batch(5, huge), status: 413},
		"over 10 MB in one": {path: "/email/batch", body: []fields{mail(huge), mail(nil)},
			status: 200, code: `"ErrorCode":300`, accepted: 1},
		"over 10 MB":        {path: "/email", body: mail(huge), status: 413},
		"a mail as a batch": {path: "/email/batch", body: mail(nil), status: 422, code: `"ErrorCode":403`},
		"no JSON": {path: "/email", change: func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader("{"))
		}, status: 422, code: `"ErrorCode":402`},
		"another token": {path: "/email", body: mail(nil), change: set("X-Postmark-Server-Token", "x"),
			status: 401, code: `"ErrorCode":10`},
		"another type":        {path: "/email", body: mail(nil), change: set("Content-Type", "text/plain"), status: 415},
		"wrong Accept header": {path: "/email", body: mail(nil), change: set("Accept", "*/*"), status: 415},
		"GET request": {path: "/email", body: mail(nil),
			change: func(r *http.Request) { r.Method = http.MethodGet }, status: 405},
		"another path": {path: "/emails", body: mail(nil), status: 404},
	} {
		p := &postmarktest.Server{Now: time.Now}
		status, said := ask(t, p, tt.path, tt.body, tt.change)
		if status != tt.status || !strings.Contains(said, tt.code) || len(p.Accepted()) != tt.accepted {
			t.Errorf("%s: %d %.200s, %d accepted", name, status, said, len(p.Accepted()))
		}
	}
}

// Postmark replaces the Message-ID unless a header asks to keep it.
func TestServer_MessageID(t *testing.T) {
	header := func(name, value string) map[string]string { return map[string]string{"Name": name, "Value": value} }
	own := header("Message-ID", "<a@example.org>")
	for want, headers := range map[string][]map[string]string{
		"<a@example.org>": {own, header("X-PM-KeepID", "true")},
		"<00000001-0000-4000-8000-000000000000@mtasv.net>": {own},
	} {
		p := &postmarktest.Server{Now: time.Now}
		ask(t, p, "/email", mail(fields{"Headers": headers}), nil)
		if got := p.Accepted()[0].Headers; len(got) != 1 || got[0].Value != want {
			t.Errorf("%+v, want %s", got, want)
		}
	}
}
