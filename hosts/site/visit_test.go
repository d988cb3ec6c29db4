package site_test

import (
	"compress/gzip"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// The first visit to a campaign's page transfers at most 66,000 bytes, without pictures.
func TestVisit_FirstSize(t *testing.T) {
	content := os.DirFS("../../examples/site")
	cfg, err := config.Demo(rand.Reader, content,
		map[string]string{"SITE_BASE": "https://harbor.example", "WORKER_BASE": "https://harbor.example"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := site.New(site.Options{Content: content, Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaignfile.Load(content)
	if err != nil {
		t.Fatal(err)
	}
	s := site.NewServer(b, catalogue, func() time.Time { return noon }, slog.New(slog.DiscardHandler))
	defer s.Close()
	s.Publish(catalogue)
	seen, total := map[string]bool{}, 0
	var fetch func(path string)
	fetch = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		s.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
		if w.Code != 200 || w.Header().Get("Content-Encoding") != "gzip" && w.Body.Len() > 2000 &&
			!strings.HasSuffix(path, ".woff2") {
			t.Fatalf("%s: %d, %v", path, w.Code, w.Header())
		}
		total += w.Body.Len()
		body := w.Body.Bytes()
		if w.Header().Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range part.FindAllStringSubmatch(string(body), -1) {
			fetch(m[1] + strings.Replace(m[2], "./", "/_/", 1))
		}
	}
	fetch("/campaigns/night-ferry/")
	t.Logf("%d bytes in %d files", total, len(seen))
	fonts := 0
	for path := range seen {
		if strings.HasSuffix(path, ".woff2") {
			fonts++
		}
	}
	if len(seen) < 6 || fonts != 2 || total > 66_000 {
		t.Errorf("first visit: %d bytes in %d files: %v", total, len(seen), seen)
	}
}

// part matches resources that a page loads immediately: style sheets, fonts, scripts and their
// imports.
var part = regexp.MustCompile(`(?:rel="stylesheet" href="|as="font" type="font/woff2" href="|` +
	`script type="module" src="|from")(/?)((?:_/|\./)[^"]+)"`)
