package httpapi_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

const reader = "ada@example.org"

// mailLink returns the unsubscribe link in a mail of the given kind to the reader.
func (e *edge) mailLink(k notify.Kind, lang string) *url.URL {
	e.t.Helper()
	s, err := e.Services.Unsubscribing.Unsubscribe(notify.Message{Kind: k, To: reader, Campaign: game, Lang: lang},
		e.Now())
	if err != nil {
		e.t.Fatal(err)
	}
	u, err := url.Parse(s)
	if err != nil {
		e.t.Fatal(err)
	}
	return u
}

func (e *edge) mailToken(k notify.Kind) string {
	e.t.Helper()
	return e.mailLink(k, "").Query().Get("t")
}

// stops returns the reason why a mail of the given kind to the reader would not be sent, or "" if
// it would be sent.
func (e *edge) stops(k notify.Kind, campaign string) string {
	e.t.Helper()
	why, err := e.Services.Suppressions.Suppressed(e.t.Context(),
		notify.Mail{Kind: k, Stream: k.Stream(), To: reader, Campaign: campaign})
	if err != nil {
		e.t.Fatal(err)
	}
	return why
}

// oneClicks are the unsubscribe requests of mail clients, none with an Origin. The first two are
// those of RFC 8058.
var oneClicks = map[string]struct{ kind, body string }{
	"form": {"application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"},
	"parts": {"multipart/form-data; boundary=b",
		"--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n"},
	"form with charset": {"Application/X-WWW-Form-URLencoded; charset=UTF-8", "List-Unsubscribe=One-Click"},
	"parts cut off":     {"multipart/form-data", "--b\r\n"},
	"text":              {"text/plain; charset=us-ascii", "List-Unsubscribe=One-Click\r\n"},
	"text with colon":   {"text/plain", "List-Unsubscribe: One-Click"},
	"no type":           {"", "List-Unsubscribe=One-Click"},
	"bytes":             {"application/octet-stream", "list-unsubscribe=one-click"},
	"not a type":        {";;", "List-Unsubscribe=One-Click"},
	"empty":             {"", ""},
	"empty form":        {"application/x-www-form-urlencoded", ""},
	"empty text":        {"text/plain", ""},
	"empty JSON":        {"application/json", ""},
	"another form":      {"application/x-www-form-urlencoded", "confirm=yes"},
}

// Proves EML-26: after a one-click unsubscription the campaign's updates are no longer sent, and
// other mails are.
func TestUnsubscribe_OneClick(t *testing.T) {
	for name, click := range oneClicks {
		e := newEdge(t, memory.Options{})
		link := e.mailLink(notify.DiaryEntry, "")
		var answers []string
		for range 3 {
			r := e.do("POST", link.Path, link.RawQuery, []byte(click.body), "Content-Type", click.kind, "Origin", "")
			e.wantStatus(r, 200)
			answers = append(answers, string(r.Body))
			if r.Header.Get("Location") != "" || r.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %v", name, r.Header)
			}
		}
		if answers[0] != answers[1] || answers[1] != answers[2] {
			t.Errorf("%s: the responses differ: %v", name, answers)
		}
		scope := suppression.Scope{Topic: suppression.Updates, Campaign: game}
		for row, err := range e.Services.Suppressions.All(t.Context(), scope) {
			if h := row.Reasons[suppression.Asked]; err != nil || h.Count != 1 {
				t.Errorf("%s: %d writes, %v", name, h.Count, err)
			}
		}
		got := map[string]string{
			"news": e.stops(notify.Blast, game), "other news": e.stops(notify.Blast, film),
			"pledge": e.stops(notify.Charged, game), "launch": e.stops(notify.LaunchReminder, game),
		}
		if diff := cmp.Diff(map[string]string{"news": "asked", "other news": "", "pledge": "", "launch": ""},
			got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The link in a reminder opens a page with a button that stops this reminder for this address.
// Opening the link, as scanners do, changes nothing.
func TestUnsubscribe_LaunchReminder(t *testing.T) {
	e := newEdge(t, memory.Options{})
	link := e.mailLink(notify.LaunchReminder, "es")
	before := e.kept()
	for _, method := range []string{"GET", "HEAD"} {
		r := e.do(method, link.Path, link.RawQuery, nil)
		e.wantStatus(r, 303)
		page := string(e.Config.Site.Base) + "/es/mails/#t=" + url.QueryEscape(link.Query().Get("t"))
		if got := r.Header.Get("Location"); got != page {
			t.Errorf("%s leads to %s", method, got)
		}
	}
	for query, page := range map[string]string{"": "/mails/", "lang=es": "/es/mails/"} { // the browser keeps the fragment
		r := e.do("GET", link.Path, query, nil)
		if got := r.Header.Get("Location"); r.Status != 303 || got != string(e.Config.Site.Base)+page {
			t.Errorf("%q leads to %s", query, got)
		}
	}
	token := link.Query().Get("t")
	r := e.get("/subscription", "", "X-Link-Token", token)
	want := httpapi.Subscription{Topic: suppression.Launch, CampaignSlug: game,
		CampaignTitle: "Tidepool Traders", Subscribed: true}
	if diff := cmp.Diff(want, decode[httpapi.Subscription](t, r)); diff != "" {
		t.Error(diff)
	}
	if after := e.kept(); !cmp.Equal(before, after) || e.stops(notify.LaunchReminder, game) != "" {
		t.Error("opening the page changed something:", cmp.Diff(before, after))
	}
	want.Subscribed = false
	r = e.post(link.Path, httpapi.TokenRequest{Token: token})
	if diff := cmp.Diff(want, decode[httpapi.Subscription](t, r)); diff != "" {
		t.Error(diff)
	}
	if e.stops(notify.LaunchReminder, game) != "asked" || e.stops(notify.LaunchReminder, film) != "" {
		t.Error("another kind of mail is suppressed")
	}
	other := notify.Mail{Kind: notify.LaunchReminder, Stream: notify.LaunchReminder.Stream(),
		To: "other@example.org", Campaign: game}
	if why, err := e.Services.Suppressions.Suppressed(t.Context(), other); why != "" || err != nil {
		t.Errorf("another reader's reminder is suppressed by %q, %v", why, err)
	}
	// as pages of earlier releases do
	if diff := cmp.Diff(want, decode[httpapi.Subscription](t, e.get("/subscription", "t="+token))); diff != "" {
		t.Error(diff)
	}
}

func TestUnsubscribe_Undo(t *testing.T) {
	e := newEdge(t, memory.Options{})
	in := httpapi.TokenRequest{Token: e.mailToken(notify.Blast)}
	e.post("/unsubscribe", in)
	e.wantStatus(e.post("/resubscribe", in, "Origin", "https://elsewhere.example"), 403)
	if why := e.stops(notify.Blast, game); why != "asked" {
		t.Errorf("suppressed by %q", why)
	}
	if got := decode[httpapi.Subscription](t, e.post("/resubscribe", in)); !got.Subscribed ||
		e.stops(notify.Blast, game) != "" {
		t.Errorf("%+v, suppressed by %q", got, e.stops(notify.Blast, game))
	}
	list := e.Services.Suppressions
	if err := list.Add(t.Context(), suppression.Scope{}, list.Address(reader), suppression.Complained); err != nil {
		t.Fatal(err)
	}
	e.wantStatus(e.post("/resubscribe", in), 200)
	if why := e.stops(notify.Blast, game); why != "complained" {
		t.Errorf("a complaint was undone: %q", why)
	}
}

func TestUnsubscribe_Refusals(t *testing.T) {
	e := newEdge(t, memory.Options{})
	_, pledge := e.pledge(reader, gameCart(1), cardOK)
	link := e.mailLink(notify.Blast, "")
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	before := e.kept()
	for name, tc := range map[string]struct {
		query, body string
		header      []string
		status      int
	}{
		"nothing":                {"", "", []string{"Content-Type", ""}, 401},
		"a token in a form body": {"", link.RawQuery, form, 401},
		"no token":               {"", "List-Unsubscribe=One-Click", form, 401},
		"wrong signature":        {link.RawQuery[:len(link.RawQuery)-4] + "AAAA", "List-Unsubscribe=One-Click", form, 401},
		"a pledge's token":       {"t=" + pledge, "List-Unsubscribe=One-Click", form, 401},
		"no JSON":                {"", "{", nil, 400},
		"JSON, a pledge's token": {"", `{"token":"` + pledge + `"}`, nil, 401},
		"the token in the query": {link.RawQuery, `{}`, nil, 401},
	} {
		r := e.do("POST", "/unsubscribe", tc.query, []byte(tc.body), tc.header...)
		if r.Status != tc.status {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	e.wantStatus(e.get("/subscription", "t="+pledge), 401)
	if diff := cmp.Diff(before, e.kept()); diff != "" {
		t.Error(diff)
	}
}

// Mail providers send the clicks of many users from one address, so limits apply per token. Invalid
// tokens create no counters.
func TestUnsubscribe_LimitPerToken(t *testing.T) {
	e := newEdge(t, memory.Options{})
	body := func(k notify.Kind) []byte { return []byte(`{"token":"` + e.mailToken(k) + `"}`) }
	for range 30 {
		e.wantStatus(e.from("192.0.2.1", "POST", "/unsubscribe", body(notify.Blast)), 200)
	}
	e.wantStatus(e.from("192.0.2.2", "POST", "/unsubscribe", body(notify.Blast)), 429)
	e.wantStatus(e.from("192.0.2.1", "POST", "/unsubscribe", body(notify.LaunchReminder)), 200)
	n := len(e.counters())
	e.wantStatus(e.from("192.0.2.1", "POST", "/unsubscribe", []byte(`{"token":"a.b"}`)), 401)
	if len(e.counters()) != n {
		t.Error("an invalid token was counted")
	}
	for key := range e.counters() {
		if strings.Contains(key, e.mailToken(notify.Blast)) {
			t.Errorf("the counter's key contains the token: %s", key)
		}
	}
	e.Advance(time.Minute)
	e.wantStatus(e.from("192.0.2.1", "POST", "/unsubscribe", body(notify.Blast)), 200)
}

func FuzzUnsubscribe(f *testing.F) {
	for _, click := range oneClicks {
		f.Add("t=a.b", click.kind, []byte(click.body))
	}
	f.Add("", "application/json", []byte(`{"token":"a.b"}`))
	f.Add("%zz", "a/b;;", []byte("\xff"))
	h, err := memory.New(memory.Options{Catalogue: examples()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query, kind string, body []byte) {
		r := h.Request(t.Context(), "POST", "/unsubscribe", query, body, "Content-Type", kind)
		if r.Status != 400 && r.Status != 401 && r.Status != 413 {
			t.Errorf("%d %s", r.Status, r.Body)
		}
		if n := len(h.DB.Snapshot().Stores["RATELIMIT"]); n != 0 {
			t.Errorf("%d counters", n)
		}
	})
}
