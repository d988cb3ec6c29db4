package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http/httptest"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/notify"
)

var letter = notify.Mail{
	Key: "k1", Kind: notify.Confirmation, From: `"Cine" <pledges@example.org>`, To: "ana@example.com",
	ReplyTo: "help@example.org", Lang: "es",
	Subject: "Tu aportación a «Niebla»",
	Text:    "¡Gracias!\n\nhttps://example.org/manage/#t=abc\n" + strings.Repeat("largo ", 40) + "\n",
	HTML:    "<!doctype html><html><head></head><body>¡Gracias!</body></html>", Stream: notify.Transactional,
	Campaign: "niebla", Unsubscribe: "https://example.org/u?t=1",
	Attachment: notify.Attachment{Name: "pledges.csv", Text: "a,b\n1,2\n"},
}

// A mail is a single file with a readable name. Mail programs can open it, and reading it back
// returns the same mail.
func TestFolder_WritesMessages(t *testing.T) {
	now := time.Date(2026, 11, 21, 1, 2, 3, 456, time.UTC)
	f := Folder{Dir: filepath.Join(t.TempDir(), "mails"), Now: func() time.Time { return now }}
	for range 2 {
		if r, err := f.Send(t.Context(), letter); err != nil || r.Outcome != notify.Accepted {
			t.Fatal(r, err)
		}
		now = now.Add(time.Hour) // repeated mails are not written again
	}
	files, err := os.ReadDir(f.Dir)
	if err != nil || len(files) != 1 ||
		!regexp.MustCompile(`^20261121T010203Z-ana-example-com-tu-aportacion-a-niebla-[0-9a-f]{8}\.eml$`).
			MatchString(files[0].Name()) {
		t.Fatalf("files = %v, %v", files, err)
	}
	file, err := os.Open(filepath.Join(f.Dir, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	msg, err := mail.ReadMessage(file)
	if err != nil || msg.Header.Get("Message-ID") == "" || msg.Header.Get("Subject") == letter.Subject {
		t.Errorf("header = %v, %v", msg, err)
	}
	mails, err := f.Mails()
	want := []Mail{{Mail: letter, SentAt: time.Date(2026, 11, 21, 1, 2, 3, 456, time.UTC),
		ID: strings.TrimSuffix(files[0].Name(), ".eml")}}
	if diff := cmp.Diff(want, mails); err != nil || diff != "" {
		t.Errorf("read back: %v\n%s", err, diff)
	}
	for _, id := range []string{"", "..", "../x", "none", "a/b"} {
		if _, err := f.Mail(id); err == nil {
			t.Errorf("%q is a mail", id)
		}
	}
}

// openWith opens a service with an example user of each role.
func openWith(t *testing.T, mode psp.Mode) *App {
	t.Helper()
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Mode.App = mode
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: fstest.MapFS{}, Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	for _, u := range []access.User{{Email: "super@example.org", Name: "S", Role: access.SuperAdmin},
		{Email: "user@example.org", Name: "U", Role: access.CampaignUser, Campaigns: []string{"niebla"}}} {
		if _, err := a.Services.Access.Save(t.Context(), "", u); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func sessionOf(t *testing.T, a *App, email string) string {
	t.Helper()
	link, err := a.Services.Access.HostLink(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "#sign-in=")
	_, cookie, err := a.Services.Access.SignIn(context.Background(), access.Proof{Link: token})
	if err != nil {
		t.Fatal(err)
	}
	return httpapi.SessionCookie + "=" + cookie
}

// In test mode only super admins can read the mails, because these contain links. In live mode the
// pages do not exist.
func TestMailPages_SuperAdminsOnly(t *testing.T) {
	a := openWith(t, psp.Test)
	if _, err := a.Mails.Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	mails, err := a.Mails.Mails()
	if err != nil {
		t.Fatal(err)
	}
	super, user := sessionOf(t, a, "super@example.org"), sessionOf(t, a, "user@example.org")
	get := func(a *App, target, cookie string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		return w
	}
	one := TestMailPath + "/" + mails[0].ID
	for target, want := range map[string]string{
		TestMailPath: "Tu aportación a «Niebla»", one: `<a href="https://example.org/manage/#t=abc">`,
		one + "/html": `<base target="_blank">`,
	} {
		for _, cookie := range []string{"", user, httpapi.SessionCookie + "=x"} {
			if w := get(a, target, cookie); w.Code != 403 || strings.Contains(w.Body.String(), "Niebla") ||
				strings.Contains(w.Body.String(), "abc") {
				t.Errorf("%s with %.40q: status %d: %s", target, cookie, w.Code, w.Body)
			}
		}
		w := get(a, target, super)
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) ||
			w.Header().Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s: status %d %v without %s:\n%s", target, w.Code, w.Header(), want, w.Body)
		}
	}
	if w := get(a, TestMailPath+"/none", super); w.Code != 404 {
		t.Errorf("nonexistent mail: status %d", w.Code)
	}
	live := openWith(t, psp.Live)
	if w := get(live, TestMailPath, sessionOf(t, live, "super@example.org")); w.Code != 404 {
		t.Errorf("live mode: %d %s", w.Code, w.Body)
	}
}
