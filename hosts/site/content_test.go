package site_test

import (
	"bytes"
	"crypto/rand"
	"image"
	"image/jpeg"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

var noon = time.Date(2026, time.November, 20, 19, 0, 0, 0, time.UTC)

const open = `---
title: Paper Boat
slug: paper-boat
published: true
start_date: 2026-11-01
goal_deadline: 2026-12-01
goal_amount: 1000
creator_name: The Yard
short_blurb: A boat of paper.
hero_image: /assets/images/boat.jpg
tiers:
  - {id: seat, name: Seat, price: 25, description: "A *dry* seat.", limit_total: 3}
  - {id: captain, name: Captain, price: 99.50, requires_threshold: 500}
decisions:
  - {id: name, type: vote, title: Which name, deadline: 2026-11-25, options: [Flo, Bob]}
diary:
  - date: 2026-11-10
    title: Glue
    phase: production
    content:
      - {type: text, text: "It holds. <em>Really.</em>"}
      - {type: quote, text: "Float!", attribution: everybody}
      - {type: image, src: /assets/images/boat.jpg, alt: A boat, caption: On the table}
      - {type: embed, url: "https://www.youtube.com/watch?v=abcdefghijk", title: Launch}
      - {type: divider}
---
Below the fold.
`

const secret = `---
title: Marmalade Conspiracy
slug: marmalade-conspiracy
published: true
preview_only: true
start_date: 2026-11-01
goal_deadline: 2026-12-01
goal_amount: 1000
campaign_add_ons: [{id: jar, name: Jar of marmalade, price: 5}]
---
`

func jpg(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(i / 7)
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func content(t testing.TB) fstest.MapFS {
	return fstest.MapFS{
		"campaigns/paper-boat.md":           {Data: []byte(open)},
		"campaigns/marmalade-conspiracy.md": {Data: []byte(secret)},
		"add-ons.yml":                       {Data: []byte("products:\n  - {id: pin, name: Pin, price: 4}\n")},
		"assets/images/boat.jpg":            {Data: jpg(t, 700, 400)},
		"site.yml": {
			Data: []byte("title: The Harbor\ndescription: Boats first.\n" +
				"platform: {name: The Harbor, support_email: help@harbor.example}\n")},
	}
}

func builder(t testing.TB, files fs.FS) (*site.Builder, error) {
	t.Helper()
	return builderAt(t, files, "https://harbor.example")
}

func builderAt(t testing.TB, files fs.FS, base string) (*site.Builder, error) {
	t.Helper()
	cfg, err := config.Demo(rand.Reader, files,
		map[string]string{"SITE_BASE": base, "WORKER_BASE": "https://api.harbor.example"})
	if err != nil {
		t.Fatal(err)
	}
	return site.New(site.Options{Content: files, Config: cfg})
}

func cachedBuilder(t *testing.T, files fs.FS, cache site.ImageCache) *site.Builder {
	t.Helper()
	cfg, err := config.Demo(rand.Reader, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := site.New(site.Options{Content: files, Config: cfg, Images: cache})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// getPage requests a page from a server without an API.
func getPage(s *site.Server, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func build(t testing.TB, files fs.FS, now time.Time) *site.Tree {
	t.Helper()
	return buildAt(t, files, "https://harbor.example", now)
}

func buildAt(t testing.TB, files fs.FS, base string, now time.Time) *site.Tree {
	t.Helper()
	b, err := builderAt(t, files, base)
	if err != nil {
		t.Fatal(err)
	}
	return tree(t, b, files, now)
}

// tree builds the site of the campaigns in files.
func tree(t testing.TB, b *site.Builder, files fs.FS, now time.Time) *site.Tree {
	t.Helper()
	catalogue, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	made, err := b.Build(catalogue, now)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func text(t testing.TB, tree *site.Tree, p string) string {
	t.Helper()
	f, ok := tree.File(p)
	if !ok {
		t.Fatalf("no file %s among %v", p, tree.Paths())
	}
	if f.Open == nil {
		return string(f.Body)
	}
	src, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	body, err := io.ReadAll(src)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
