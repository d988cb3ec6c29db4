package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// If the file of a campaign with pledges is deleted, the campaign is served until the service
// restarts. Then it is left out and reported. A file that breaks promises is loaded, and the
// problem holds the settlement.
func TestPublish_FilesOfPledges(t *testing.T) {
	content := t.TempDir()
	file := filepath.Join(content, "campaigns", "film.md")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(film)
	cfg, err := config.Demo(rand.Reader, os.DirFS(content),
		map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")})
	if err != nil {
		t.Fatal(err)
	}
	var logged log
	open := func() *App {
		t.Helper()
		a, err := Open(t.Context(),
			Options{Config: cfg, Content: os.DirFS(content), Now: fixed, Log: slog.New(slog.NewTextHandler(&logged, nil))})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open()
	remove := func() {
		t.Helper()
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	if err := a.Reload(t.Context()); err != nil || len(a.Catalogue().Campaigns()) != 0 {
		t.Fatalf("cannot remove a campaign without pledges: %v", err)
	}
	write(film)
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := a.Services.Checkout.Start(t.Context(), checkout.StartRequest{Cart: checkout.Cart{
		CampaignSlug: "film", Items: []checkout.Item{{ID: "film__seat"}}}, Email: "ada@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Sim.Complete(s.SessionID, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Services.Checkout.Complete(t.Context(),
		checkout.CompleteRequest{OrderID: s.OrderID, SessionID: s.SessionID}); err != nil {
		t.Fatal(err)
	}

	remove()
	const lacks = "campaigns/film.md: The campaign film has pledges (1)"
	if err := a.Reload(t.Context()); err != nil || !strings.Contains(a.problems().Error(), lacks) {
		t.Errorf("after removing the file: %v, %v", err, a.problems())
	}
	if len(a.Catalogue().Campaigns()) != 1 {
		t.Error("the campaign is missing")
	}
	if logged.has("settlement held") {
		t.Error("the settlement is held too early")
	}
	write(strings.Replace(film, "2026-12-15", "2026-12-16", 1))
	if err := a.Reload(t.Context()); err != nil || !logged.has("settlement held") ||
		a.Catalogue().Campaigns()[0].Deadline.String() != "2026-12-16" {
		t.Errorf("with another deadline: %v", err)
	}
	remove()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	a = open()
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := a.resolveStartConflicts(t.Context()); err != nil || !strings.Contains(a.problems().Error(), lacks) ||
		len(a.Catalogue().Campaigns()) != 1 {
		t.Errorf("starting without the file: %v, %v", err, a.problems())
	}
}

// A server does not start with a database of another mode.
func TestOpen_DatabaseOfOtherMode(t *testing.T) {
	content, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	cfg, err := config.Demo(rand.Reader, os.DirFS(content), map[string]string{"DATA_DIR": data})
	if err != nil {
		t.Fatal(err)
	}
	run := func(mode psp.Mode) error {
		t.Helper()
		cfg.Mode.App = mode
		// the simulator's books also record the mode
		if err := os.RemoveAll(filepath.Join(data, "processor.json")); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		a, err := Open(ctx, Options{Config: cfg, Content: os.DirFS(content), Now: fixed, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Close() }()
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for ctx.Err() == nil {
				if r, err := http.Get("http://" + l.Addr().String() + "/"); err == nil { //nolint:noctx // a server of this test
					_ = r.Body.Close()
					stop()
				}
			}
		}()
		return a.Run(ctx, l, a.Handler())
	}
	if err := run(psp.Test); err != nil {
		t.Fatal(err)
	}
	if err := run(psp.Live); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "mode test") {
		t.Errorf("in live mode: %v", err)
	}
	if err := run(psp.Test); err != nil {
		t.Error(err)
	}
}
