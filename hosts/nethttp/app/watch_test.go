package app

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

const film = `---
title: Film
slug: film
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-15
goal_amount: 130
tiers:
  - {id: seat, name: Seat, price: 25}
---
`

// log records log output.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) has(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), s)
}

// A changed file is published at once, and a broken one is reported instead. Tax settings keep
// their values until the next start.
//
// Proves CFG-44.
func TestContent_Watch(t *testing.T) {
	for name, folders := range map[string]struct{ content, data string }{
		"data in the content": {".", "data"}, "content in the data": {"data/site", "data"}, "side by side": {"site", "data"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			watchContent(t, filepath.Join(dir, folders.content), filepath.Join(dir, folders.data))
		})
	}
}

func watchContent(t *testing.T, content, data string) {
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(content, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("campaigns/film.md", film)
	write("site.yml", "title: A stage\npricing: {sales_tax_rate: 0.1}\n")
	cfg, err := config.Demo(rand.Reader, os.DirFS(content), map[string]string{"DATA_DIR": data})
	if err != nil {
		t.Fatal(err)
	}
	var logged log
	a, err := Open(t.Context(), Options{Config: cfg, Content: os.DirFS(content), Folder: content,
		Now: fixed, Log: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, l, a.Handler()) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	page := func(path string) string {
		r, err := http.Get("http://" + l.Addr().String() + path) //nolint:noctx // a server of this test
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Body.Close() }()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for limit := time.Now().Add(20 * time.Second); !is(); {
			if time.Now().After(limit) {
				t.Fatalf("%s never appears", what)
			}
		}
	}
	until("the first page", func() bool { return strings.Contains(page("/campaigns/film/"), "<h1>Film</h1>") })
	// The watcher may start after the first page is served, so write the file until the change is
	// seen.
	until("the change", func() bool {
		write("campaigns/film.md", strings.Replace(film, "title: Film", "title: A longer film", 1))
		return strings.Contains(page("/campaigns/film/"), "<h1>A longer film</h1>")
	})
	if a.Catalogue().Campaigns()[0].Title != "A longer film" {
		t.Error("the site was published before the catalogue")
	}
	taxed := func() money.Cents {
		hundred := money.Dollars(100)
		q, err := a.Services.Checkout.QuoteTax(ctx, checkout.TaxQuoteRequest{Subtotal: &hundred})
		if err != nil {
			t.Fatal(err)
		}
		return q.Tax
	}
	write("site.yml", "title: Another stage\npricing: {sales_tax_rate: 0.2}\n")
	until("the other title", func() bool { return strings.Contains(page("/"), "Another stage") })
	if got := taxed(); got != 1000 {
		t.Errorf("tax after the file changed = %s", got)
	}
	if next, err := config.Demo(rand.Reader, os.DirFS(content), nil); err != nil ||
		next.Pricing.SalesTaxRate.String() != "0.2" {
		t.Errorf("tax after the next start = %s, %v", next.Pricing.SalesTaxRate, err)
	}
	write("pages/about.md", "# By ourselves")
	until("the operator's own page", func() bool { return strings.Contains(page("/about/"), "<h1>By ourselves</h1>") })
	write("campaigns/film.md", strings.Replace(film, "goal_amount: 130", "goal_amount: lots", 1))
	until("the problem", func() bool { return logged.has("campaigns/film.md:7: goal_amount") })
	if !strings.Contains(page("/campaigns/film/"), "<h1>A longer film</h1>") ||
		a.Catalogue().Campaigns()[0].Goal != 13_000 {
		t.Error("a broken file replaced the published one")
	}
	write("campaigns/film.md",
		strings.Replace(film, "goal_amount: 130", "goal_amount: 150\nhero_image: /assets/gone.jpg", 1))
	until("the missing picture",
		func() bool { return logged.has("campaigns/film.md:8: hero_image: there is no file /assets/gone.jpg") })
	if !strings.Contains(page("/campaigns/film/"), "<h1>Film</h1>") || a.Catalogue().Campaigns()[0].Goal != 15_000 {
		t.Error("a missing picture blocked the campaign")
	}
}
