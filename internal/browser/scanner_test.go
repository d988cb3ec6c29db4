package browser_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/preview"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

// mailDemo is a demo that sends mails. It runs scheduled work only when the test calls advance.
type mailDemo struct {
	*testing.T
	*demo.Demo
	callers int // the number of client addresses used so far
}

func newMailDemo(t *testing.T) *mailDemo {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d, err := demo.Open(t.Context(), demo.Options{
		Dir: t.TempDir(), Content: os.DirFS(content(t)), Address: strings.TrimPrefix(server.URL, "http://"),
		Log: slog.New(slog.DiscardHandler), TrustedHeader: demo.ClientHeader,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.App.Close(); err != nil {
			t.Error(err)
		}
	})
	handler = d.Handler()
	return &mailDemo{T: t, Demo: d}
}

// post calls the API, each time from a new client address.
func (m *mailDemo) post(path string, body any, header ...string) []byte {
	m.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		m.Fatal(err)
	}
	r, err := http.NewRequestWithContext(m.Context(), "POST", m.Base+path, bytes.NewReader(b))
	if err != nil {
		m.Fatal(err)
	}
	m.callers++
	header = append([]string{"Content-Type", "application/json", "Origin", m.Base, demo.ClientHeader,
		fmt.Sprintf("192.0.2.%d", m.callers)}, header...)
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		m.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		m.Fatalf("%s: %d %s, %v", path, res.StatusCode, answer, err)
	}
	return answer
}

// advance moves the clock forward by d and runs the scheduled work that is then due.
func (m *mailDemo) advance(d time.Duration) {
	m.Helper()
	if err := m.Clock.Advance(d); err != nil {
		m.Fatal(err)
	}
	if err := m.App.Services.Minute(m.Context()); err != nil {
		m.Fatal(err)
	}
}

func (m *mailDemo) makePledge(email, lang, slug string, dollars int, card string) {
	m.Helper()
	var started struct{ OrderID, SessionID string }
	cart := map[string]any{"campaignSlug": slug, "customAmount": dollars, "email": email, "preferredLang": lang}
	if err := json.Unmarshal(m.post("/checkout-intent/start", cart), &started); err != nil {
		m.Fatal(err)
	}
	if err := m.App.Sim.Complete(started.SessionID, card); err != nil {
		m.Fatal(err)
	}
	m.post("/checkout-intent/complete", map[string]any{"orderId": started.OrderID, "sessionId": started.SessionID})
}

// sendAll triggers every kind of mail whose links could change something, in both languages.
func (m *mailDemo) sendAll() {
	m.Helper()
	for _, lang := range []string{"en", "es"} {
		reader := lang + "@example.com"
		m.makePledge(reader, lang, "night-ferry", 20, sim.CardOK)
		m.makePledge(reader, lang, "tidepool-traders", 9000, sim.CardOK)
		m.makePledge("unlucky-"+reader, lang, "tidepool-traders", 20, sim.CardChargeDeclined)
		m.post("/checkout-intent/start", map[string]any{"campaignSlug": "night-ferry", "customAmount": 20,
			"email": "left-" + reader, "preferredLang": lang, "abandonedCartConsent": true})
		m.post("/launch-reminders",
			map[string]any{"campaignSlug": "slow-weather", "email": "soon-" + reader, "consent": true, "preferredLang": lang})
		m.post("/pledge/links", map[string]any{"email": reader, "preferredLang": lang})
		operator := access.User{Email: lang + "@example.org", Name: "Somebody", Role: access.SuperAdmin}
		if _, err := m.App.Services.Access.Save(m.Context(), "", operator); err != nil {
			m.Fatal(err)
		}
	}
	secrets := m.App.Config.Secrets
	m.post("/admin/broadcast/announcement", map[string]any{"campaignSlug": "night-ferry", "subject": "Three nights at sea",
		"body": "Look at [the log](/campaigns/night-ferry/)."}, "x-admin-key", secrets.Admin.Reveal())
	m.advance(7 * time.Hour) // sends reminders of abandoned checkouts
	m.advance(48 * time.Hour)
	m.post("/admin/settle/tidepool-traders", map[string]any{}, "Authorization", "Bearer "+secrets.AdminSettlement.Reveal())
	for _, lang := range []string{"en", "es"} {
		m.post("/admin/auth/start", map[string]any{"email": lang + "@example.org", "preferredLang": lang})
	}
	m.advance(0)
}

var (
	hrefs     = regexp.MustCompile(`href="([^"]+)"`)
	addresses = regexp.MustCompile(`https?://[^\s)]+`)
)

// links returns all links to the demo in the mails sent so far and in those that `pledged mail
// preview` writes.
func (m *mailDemo) links() []string {
	m.Helper()
	var texts []string
	mails, err := m.App.Mails.Mails()
	if err != nil {
		m.Fatal(err)
	}
	kinds := map[notify.Kind]bool{}
	for _, one := range mails {
		kinds[one.Kind] = true
		texts = append(texts, one.HTML, one.Text, one.Unsubscribe)
	}
	for _, k := range []notify.Kind{notify.Confirmation, notify.Charged, notify.UpdateCard, notify.LinksAgain,
		notify.LaunchConfirmation, notify.AbandonedCart, notify.Announcement, notify.AdminSignIn} {
		if !kinds[k] {
			m.Errorf("no mail of kind %s was sent", k)
		}
	}
	dir := m.TempDir()
	if _, err := preview.Write(dir, m.Base, mailtext.Platform{Name: "Small Hours"}); err != nil {
		m.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.*.*"))
	if err != nil {
		m.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			m.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	found := map[string]bool{}
	for _, text := range texts {
		for _, href := range hrefs.FindAllStringSubmatch(text, -1) {
			found[html.UnescapeString(href[1])] = true
		}
		if !strings.Contains(text, "<html") {
			for _, address := range addresses.FindAllString(text, -1) {
				found[address] = true
			}
		}
	}
	maps.DeleteFunc(found, func(link string, _ bool) bool { return !strings.HasPrefix(link, m.Base+"/") })
	return slices.Sorted(maps.Keys(found))
}

// snapshot returns all stored data, except measurements of requests, and the number of mails and
// charges.
func (m *mailDemo) snapshot() map[string]string {
	m.Helper()
	file := filepath.Join(m.TempDir(), "backup.db")
	if err := m.App.Engine.Backup(m.Context(), file); err != nil {
		m.Fatal(err)
	}
	db, err := sqlitekv.Open(m.Context(), file, sqlitekv.Options{Now: m.Clock.Now})
	if err != nil {
		m.Fatal(err)
	}
	rows := map[string]string{}
	for r, err := range db.Export(m.Context()) {
		if err != nil {
			m.Fatal(err)
		}
		if !strings.HasPrefix(r.Key, "observed:") {
			rows[fmt.Sprint(r.Namespace, r.Object, " ", r.Key)] = string(r.Value)
		}
	}
	if err := db.Close(); err != nil {
		m.Fatal(err)
	}
	mails, err := m.App.Mails.Mails()
	if err != nil {
		m.Fatal(err)
	}
	rows["mails"], rows["charges"] = fmt.Sprint(len(mails)), fmt.Sprint(len(m.App.Sim.Entries()))
	return rows
}

// TestScanner opens every link of every mail in a browser, as mail scanners do, and lets the pages'
// scripts and timers run. Nothing may change.
func TestScanner(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a browser")
	}
	t.Parallel()
	path := chromium(t)
	m := newMailDemo(t)
	m.sendAll()
	links, before := m.links(), m.snapshot()
	input, err := json.Marshal(links)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "scan.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = "stories", bytes.NewReader(input), os.Stderr
	cmd.Env = append(os.Environ(), "BASE="+m.Base, "CHROMIUM="+path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	opened, asked := 0, map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var seen struct {
			Link   string
			Status int
			Asked  []string
			Words  int
		}
		if err := json.Unmarshal(lines.Bytes(), &seen); err != nil {
			t.Fatal(err)
		}
		opened++
		for _, request := range seen.Asked {
			asked[request]++
		}
		if seen.Status >= 500 || seen.Status == 0 || seen.Words == 0 {
			t.Errorf("%s: status %d, %d characters of text", seen.Link, seen.Status, seen.Words)
		}
	}
	if diff := cmp.Diff(before, m.snapshot()); diff != "" {
		t.Errorf("opening %d links changed stored data:\n%s", opened, diff)
	}
	for _, request := range []string{"GET /pledge", "GET /subscription"} {
		if asked[request] == 0 {
			t.Errorf("no script requested %s: %v", request, asked)
		}
	}
	if opened != len(links) || opened < 30 {
		t.Errorf("opened %d of %d links", opened, len(links))
	}
	t.Logf("%d links, requests: %v", opened, asked)
}
