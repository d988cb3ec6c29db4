package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"testing"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/internal/responses"
)

// Proves SEC-09, SEC-10, SEC-11, SEC-12, ERR-01.
func TestResponses(t *testing.T) {
	for _, mode := range []psp.Mode{psp.Test, psp.Live} {
		t.Run(string(mode), func(t *testing.T) { checkResponses(t, mode) })
	}
}

func checkResponses(t *testing.T, mode psp.Mode) {
	content := fstest.MapFS{"campaigns/film.md": {Data: []byte(film)}}
	cfg, err := config.Demo(rand.Reader, content, map[string]string{"DATA_DIR": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Mode.App, cfg.Secrets.PSPWebhookLive = mode, cfg.Secrets.PSPWebhookTest
	a, err := Open(t.Context(), Options{Config: cfg, Content: content, Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx, l, a.Handler()) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	ask := responses.Over("http://" + l.Addr().String())
	is := responses.Host{Ask: ask, Site: string(cfg.Site.Base), Slug: "film", Live: mode == psp.Live}
	responses.Run(t, is)
	for path, status := range map[string]int{
		"//stats/film": 307, "/about": 301, "/about/": 200, "/live/unknown/events": 204, "/nothing/": 404,
	} {
		t.Run(path, func(t *testing.T) {
			is.Check(t, "GET", ask(t, responses.Request{Method: "GET", Path: path}), status)
		})
	}
	strict := func(t *testing.T, r responses.Response) {
		t.Helper()
		if got := r.Header.Get("Strict-Transport-Security"); got != cfg.Mode.StrictTransport() {
			t.Errorf("status %d with Strict-Transport-Security %q", r.Status, got)
		}
	}
	framed := ask(t, responses.Request{Method: "GET", Path: "/embed/film/"})
	strict(t, framed)
	if got := framed.Header.Values("X-Frame-Options"); framed.Status != 200 || len(got) > 0 {
		t.Errorf("embedded page: status %d, X-Frame-Options %q", framed.Status, got)
	}
	for name, want := range map[string]string{"Cross-Origin-Resource-Policy": "cross-origin",
		"Cross-Origin-Opener-Policy": ""} {
		if got := framed.Header.Get(name); got != want {
			t.Errorf("embedded page: %s = %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{"/nothing/", "/stats/unknown"} {
		page := ask(t, responses.Request{Method: "GET", Path: path, Header: map[string]string{"Accept": "text/html"}})
		is.CheckSecured(t, page)
		if page.Status != 404 || page.Header.Get("Cross-Origin-Opener-Policy") != "same-origin-allow-popups" {
			t.Errorf("%s in a browser: status %d %v", path, page.Status, page.Header)
		}
	}
}
