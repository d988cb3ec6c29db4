package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
	"github.com/pledgeworks/pledgeworks/pledge"
)

func open(t *testing.T, dir string) *demo.Demo {
	t.Helper()
	d, err := demo.Open(context.Background(), demo.Options{
		Dir: dir, Content: os.DirFS("../../../examples/site"), Address: "127.0.0.1:8787", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func do(d *demo.Demo, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	return w
}

// pledgeTo makes a pledge and returns the link in its confirmation.
func pledgeTo(t *testing.T, d *demo.Demo) *url.URL {
	t.Helper()
	ctx := context.Background()
	c := d.App.Services.Checkout
	started, err := c.Start(ctx, checkout.StartRequest{Email: "a@example.com", Cart: checkout.Cart{
		CampaignSlug: "night-ferry", Items: []checkout.Item{{ID: "night-ferry__digital-premiere"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if w := do(d, "POST", "/_sim/complete", `{"session":"`+started.SessionID+`","card":"`+sim.CardOK+`"}`); w.Code != 200 {
		t.Fatalf("saving the card: status %d: %s", w.Code, w.Body)
	}
	if _, err := c.Complete(ctx,
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.App.Services.Outbox.Drain(ctx, 10); err != nil {
		t.Fatal(err)
	}
	mails, err := d.App.Mails.Mails()
	if err != nil || len(mails) != 1 {
		t.Fatalf("%d mails, %v", len(mails), err)
	}
	return link(t, mails[0])
}

func link(t *testing.T, m app.Mail) *url.URL {
	t.Helper()
	for word := range strings.FieldsSeq(m.Text) {
		if u, err := url.Parse(word); err == nil && u.Path == "/manage/" {
			return u
		}
	}
	t.Fatalf("no link in %s", m.Text)
	return nil
}

// A mail scanner that opens every link changes nothing.
func TestLinks_ReadOnly(t *testing.T) {
	now := regexp.MustCompile(`"now":"[^"]*"`)
	d := open(t, t.TempDir())
	defer d.App.Close()
	target := pledgeTo(t, d)
	shown := "/pledge?" + url.Values{"token": {strings.TrimPrefix(target.Fragment, "t=")}}.Encode()
	var first string
	for range 3 {
		if w := do(d, "GET", target.RequestURI(), ""); w.Code != 200 || w.Header().Get("Referrer-Policy") != "no-referrer" {
			t.Fatalf("page: status %d %v", w.Code, w.Header())
		}
		w := do(d, "GET", shown, "")
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"campaignTitle":"Night Ferry"`) ||
			!strings.Contains(w.Body.String(), `"pledgeStatus":"active"`) {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		pledge := now.ReplaceAllString(w.Body.String(), "")
		if first == "" {
			first = pledge
		}
		if pledge != first {
			t.Error("opening the link changed the pledge")
		}
	}
	if w := do(d, "GET", "/pledge?token=x", ""); w.Code != 401 ||
		!strings.Contains(w.Body.String(), "Invalid or expired token") {
		t.Errorf("broken link: status %d: %s", w.Code, w.Body)
	}
}

func TestPages(t *testing.T) {
	d := open(t, t.TempDir())
	defer d.App.Close()
	pledgeTo(t, d)
	front := do(d, "GET", "/demo/", "").Body.String()
	for _, want := range []string{"Night Ferry", "Tidepool Traders", "$25 of $12,000", "4242424242424242",
		"November 20, 2026, 6:00 PM MST", "Move the clock to November 22, 1:15 AM MST and settle"} {
		if !strings.Contains(front, want) {
			t.Errorf("front page lacks %q", want)
		}
	}
	for target, want := range map[string]string{
		"/demo/mail": "a@example.com", "/": "Tidepool Traders", "/es/": "Próximamente",
		"/campaigns/night-ferry/": "Digital premiere", "/pledge-success/": "Thank you",
		"/stats/night-ferry": `"pledgeCount":1`, "/healthz": `"ok"`,
	} {
		if w := do(d, "GET", target, ""); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d: %s", target, w.Code, w.Body)
		}
	}
	mails, err := d.App.Mails.Mails()
	if err != nil || len(mails) != 1 {
		t.Fatalf("%d mails, %v", len(mails), err)
	}
	one := "/demo/mail/" + mails[0].ID
	for target, want := range map[string]string{"/demo/mail": one, one: `<iframe src="` + one + `/html"`,
		one + "/html": `<base target="_blank">`} {
		if w := do(d, "GET", target, ""); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s lacks %s: status %d: %s", target, want, w.Code, w.Body)
		}
	}
	if w := do(d, "GET", "/_sim/snapshot", ""); w.Code != http.StatusNotFound {
		t.Errorf("snapshot with secrets: status %d", w.Code)
	}
}

func TestClock_Persists(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	if early := d.Clock.Now().Sub(demo.Start); early < 0 || early > time.Minute {
		t.Errorf("clock starts %s from its start", early)
	}
	for _, wrong := range []string{"", "x", `{"advance":"soon"}`, `{}`, `{"to":"tomorrow"}`} {
		if w := do(d, "POST", "/demo/clock", wrong); w.Code != 400 {
			t.Errorf("%q: status %d", wrong, w.Code)
		}
	}
	to := demo.Start.Add(48 * time.Hour)
	if w := do(d, "POST", "/demo/clock", `{"to":"`+to.Format(time.RFC3339)+`"}`); w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if w := do(d, "POST", "/demo/clock", `{"advance":"-24h"}`); w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if err := d.App.Close(); err != nil {
		t.Fatal(err)
	}
	d = open(t, dir)
	defer d.App.Close()
	var now struct{ Now time.Time }
	if err := json.Unmarshal(do(d, "GET", "/demo/clock", "").Body.Bytes(), &now); err != nil {
		t.Fatal(err)
	}
	if off := now.Now.Sub(demo.Start.Add(24 * time.Hour)); off < 0 || off > time.Minute {
		t.Errorf("clock is off by %s after a restart", off)
	}
}

// After a restart the pledge, its link, the mail and the saved card still exist.
func TestDemo_Restart(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	target := pledgeTo(t, d)
	if err := d.App.Close(); err != nil {
		t.Fatal(err)
	}
	d = open(t, dir)
	defer d.App.Close()
	if w := do(d, "GET", "/pledge?token="+strings.TrimPrefix(target.Fragment, "t="), ""); w.Code != 200 ||
		!strings.Contains(w.Body.String(), string(pledge.Active)) {
		t.Errorf("link: status %d", w.Code)
	}
	mails, err := d.App.Mails.Mails()
	if err != nil || len(mails) != 1 {
		t.Errorf("%d mails, %v", len(mails), err)
	}
	if err := d.App.Sim.Check(); err != nil || d.App.Sim.Received("") == 0 {
		t.Errorf("processor's state is lost: %d requests, %v", d.App.Sim.Received(""), err)
	}
	var out bytes.Buffer
	if err := d.Welcome(&out); err != nil || strings.Contains(out.String(), "%!") {
		t.Errorf("welcome message = %s (%v)", &out, err)
	}
}
