package app

import (
	"bytes"
	"crypto/rand"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
)

// Opening an unsubscribe link in a mail client shows the page in the mail's language, and
// submitting a form stops the mails.
func TestUnsubscribe_HTTP(t *testing.T) {
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: os.DirFS("../../../examples/site"), Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	link, err := a.Services.Unsubscribing.Unsubscribe(notify.Message{Kind: notify.Blast,
		To: "ada@example.org", Campaign: "night-ferry", Lang: "es"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	stopped := func() string {
		t.Helper()
		why, err := a.Services.Suppressions.Suppressed(t.Context(),
			notify.Mail{Kind: notify.Blast, Stream: notify.Updates, To: "ada@example.org", Campaign: "night-ferry"})
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	ask := func(method, target, kind string, body io.Reader) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(method, target, body), httptest.NewRecorder()
		r.Header.Set("Accept", "text/html")
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		a.Handler().ServeHTTP(w, r)
		return w
	}
	w := ask("GET", u.RequestURI(), "", nil)
	page := w.Header().Get("Location")
	if w.Code != 303 || !strings.HasPrefix(page, string(cfg.Site.Base)+"/es/mails/#t=") {
		t.Fatalf("%d, %s", w.Code, page)
	}
	page, _, _ = strings.Cut(strings.TrimPrefix(page, string(cfg.Site.Base)), "#") // as browsers send it
	w = ask("GET", page, "", nil)
	if w.Code != 200 || !strings.Contains(w.Body.String(), "<h1>Preferencias de correo</h1>") ||
		!strings.Contains(w.Header().Get("Referrer-Policy"), "no-referrer") {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
	if why := stopped(); why != "" {
		t.Errorf("opening the link unsubscribed: %s", why)
	}
	for name, click := range clicks(t) {
		w = ask("POST", u.RequestURI(), click.kind, click.body)
		if w.Code != http.StatusOK || len(w.Result().Cookies()) != 0 || stopped() != "asked" {
			t.Errorf("%s: %d %s, %q", name, w.Code, w.Body, stopped())
		}
		scope := suppression.Scope{Topic: suppression.Updates, Campaign: "night-ferry"}
		if err := a.Services.Suppressions.Clear(t.Context(), scope, "ada@example.org", suppression.Asked); err != nil ||
			stopped() != "" {
			t.Fatalf("%s: not cleared: %v", name, err)
		}
	}
}

type click struct {
	kind string
	body io.Reader
}

// clicks returns unsubscribe requests of mail clients. Wrapping the reader hides the body's length,
// so the request is chunked.
func clicks(t *testing.T) map[string]click {
	var form bytes.Buffer
	m := multipart.NewWriter(&form)
	if err := m.WriteField("List-Unsubscribe", "One-Click"); err != nil || m.Close() != nil {
		t.Fatal(err)
	}
	chunked := struct{ io.Reader }{strings.NewReader("List-Unsubscribe=One-Click")}
	return map[string]click{
		"parts":      {m.FormDataContentType(), &form},
		"form":       {"application/x-www-form-urlencoded", strings.NewReader("List-Unsubscribe=One-Click")},
		"text":       {"text/plain", strings.NewReader("List-Unsubscribe=One-Click")},
		"no type":    {"", chunked},
		"no body":    {"", nil},
		"empty form": {"application/x-www-form-urlencoded", http.NoBody},
	}
}
