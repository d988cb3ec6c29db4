package demo_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// openSeeded opens a demo as `pledged demo` does.
func openSeeded(t *testing.T, dir string) *demo.Demo {
	t.Helper()
	d, err := demo.Open(context.Background(), demo.Options{
		Dir: dir, Content: os.DirFS("../../../examples/site"), Address: "127.0.0.1:8787",
		Log: slog.New(slog.DiscardHandler), Bar: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.App.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := d.Seed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func statuses(t *testing.T, d *demo.Demo, slug string) map[pledge.Status]int {
	t.Helper()
	snap, err := d.App.Services.Checkout.Inventory.Snapshot(t.Context(), slug)
	if err != nil {
		t.Fatal(err)
	}
	return snap.Totals.Statuses
}

// The demo starts with pledges to live campaigns, which are created only once. One button settles
// the campaign that ends first: all supporters are charged except two, who have to act.
func TestDemo_InitialPledges(t *testing.T) {
	d := openSeeded(t, t.TempDir())
	game, film := statuses(t, d, "tidepool-traders")[pledge.Active], statuses(t, d, "night-ferry")[pledge.Active]
	if game < 12 || film < 10 || statuses(t, d, "slow-weather")[pledge.Active] != 0 {
		t.Fatalf("%d pledges to the game, %d to the film", game, film)
	}
	if err := d.Seed(t.Context()); err != nil || statuses(t, d, "tidepool-traders")[pledge.Active] != game {
		t.Errorf("second start created pledges again: %v", err)
	}
	for _, c := range d.App.Catalogue().Campaigns() {
		readers, err := d.App.Services.ReportReaders(t.Context(), c.Slug)
		if err != nil {
			t.Errorf("%s: %v", c.Slug, err)
		}
		for _, r := range readers {
			if r.Listed && !r.Excluded && len(r.Reports) == 0 {
				t.Errorf("reader %s of %s is not confirmed", r.Email, c.Slug)
			}
		}
	}
	w := do(d, "POST", "/demo/settle/tidepool-traders", "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "Tidepool Traders is settled") {
		t.Fatalf("settling: status %d: %s", w.Code, w.Body)
	}
	after := statuses(t, d, "tidepool-traders")
	if after[pledge.Charged] != game-2 || after[pledge.PaymentFailed] != 2 || len(d.App.Sim.Entries()) != game-2 {
		t.Errorf("after settlement: %v, %d charges", after, len(d.App.Sim.Entries()))
	}
	if w := do(d, "POST", "/demo/settle/tidepool-traders", ""); w.Code != 200 || len(d.App.Sim.Entries()) != game-2 {
		t.Errorf("settling again: status %d, %d charges", w.Code, len(d.App.Sim.Entries()))
	}
	if w := do(d, "POST", "/demo/settle/night-ferry", ""); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "Night Ferry is not funded") {
		t.Errorf("campaign below its goal: status %d: %s", w.Code, w.Body)
	}
}

// Every page of the site has the bar. Other files are unchanged, and pages of other sites cannot
// move the clock.
func TestBar(t *testing.T) {
	d := openSeeded(t, t.TempDir())
	get := func(target, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", target, nil)
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		return w
	}
	for _, target := range []string{"/", "/es/", "/campaigns/night-ferry/", "/checkout/", "/nowhere/"} {
		w := get(target, "text/html")
		if w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) {
			t.Errorf("%s is not compressed: %v", target, w.Header())
		}
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		clock := "</a><aside id=\"demo-bar\" aria-label=\"Demo\" lang=\"en\" data-stopped=\"nothing: the demo has stopped\"><span class=\"long\">Demo: no real money. The clock says</span><time datetime=\"2026-11-21T01:0"
		if strings.HasPrefix(target, "/es/") {
			clock = `lang="es" data-stopped="nada: la demo se ha parado"><span class="long">Demo: sin dinero real. El reloj marca</span><time datetime="2026-11-21T01:0`
		}
		if html := string(body); strings.Count(html, "/demo/bar.js") != 1 || strings.Count(html, clock) != 1 ||
			!strings.Contains(html, "</html>") {
			t.Errorf("%s: status %d %v, no bar: %.1500s", target, w.Code, w.Header(), html)
		}
	}
	for _, target := range []string{"/stats/night-ferry", "/healthz"} {
		if body := get(target, "*/*").Body.String(); strings.Contains(body, "bar.js") || body == "" {
			t.Errorf("%s is %s", target, body)
		}
	}
	for target, want := range map[string]string{"/demo/bar.js": "text/javascript", "/demo/bar.css": "text/css"} {
		if w := get(target, "*/*"); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), want) {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
	before := d.Clock.Now()
	for _, target := range []string{"/demo/clock", "/demo/settle/tidepool-traders"} {
		r := httptest.NewRequest("POST", target, strings.NewReader(`{"advance":"720h"}`))
		r.Header.Set("Origin", "https://elsewhere.example")
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || d.Clock.Now().Sub(before) > 1e12 {
			t.Errorf("another site's page moved the clock by %s: status %d", target, w.Code)
		}
	}
}

// The goodbye message contains the location of the data.
func TestGoodbye(t *testing.T) {
	dir := t.TempDir()
	d := openSeeded(t, dir)
	var out bytes.Buffer
	if err := d.Goodbye(&out); err != nil || !strings.Contains(out.String(), dir) || strings.Contains(out.String(), "%!") {
		t.Errorf("goodbye message = %s, %v", &out, err)
	}
}
