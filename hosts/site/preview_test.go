package site_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// secretFile is the file of an unpublished campaign with a preview link.
const secretFile = `---
title: Hidden Harbor
published: true
preview_only: true
preview_enabled: true
short_blurb: Nobody knows yet.
start_date: 2026-12-01
goal_deadline: 2026-12-30
goal_amount: 900
hero_image: /assets/images/hidden.jpg
creator_name: The Yard
creator_links:
  - label: More
    url: https://yard.example/more
tiers:
  - name: Seat
    price: 20
    category: digital
campaign_add_ons:
  - name: Mug
    price: 5
    variants: [{label: Red}, {label: Blue}]
long_content:
  - type: video
    src: /assets/videos/large.mp4
  - type: audio
    src: /assets/audio/short.mp3
---
Read ![the plan](/assets/images/plan.png) first.
`

func hiddenCampaign(t *testing.T) (fstest.MapFS, *campaign.Campaign) {
	files := content(t)
	var wide bytes.Buffer
	if err := jpeg.Encode(&wide, image.NewGray(image.Rect(0, 0, 1200, 30)), nil); err != nil {
		t.Fatal(err)
	}
	files["assets/images/hidden.jpg"] = &fstest.MapFile{Data: wide.Bytes()}
	files["assets/images/plan.png"] = &fstest.MapFile{Data: clearPNG(t)}
	files["assets/videos/large.mp4"] = &fstest.MapFile{Data: make([]byte, 17<<20)}
	files["assets/audio/short.mp3"] = &fstest.MapFile{Data: []byte("sound")}
	files["campaigns/hidden-harbor.md"] = &fstest.MapFile{Data: []byte(secretFile)}
	c, err := campaignfile.Parse("campaigns/hidden-harbor.md", []byte(secretFile))
	if err != nil {
		t.Fatal(err)
	}
	return files, c
}

// The static preview pages contain nothing about the campaign, and no other file refers to it.
//
// Proves SIT-10, SIT-11, SIT-12, SIT-13, SIT-17.
func TestPreview_StaticPages(t *testing.T) {
	files, _ := hiddenCampaign(t)
	// a public campaign
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "published: true",
		"published: true\npreview_enabled: true", 1))
	tree := build(t, files, noon)
	for _, shell := range []string{"campaigns/hidden-harbor", "es/campaigns/hidden-harbor",
		"campaigns/paper-boat", "es/campaigns/paper-boat"} {
		p := shell + "/preview/index.html"
		page := text(t, tree, p)
		for _, want := range []string{`<meta name="robots" content="noindex, nofollow, noarchive">`,
			`<meta name="referrer" content="no-referrer">`, `data-page="preview"`} {
			if !strings.Contains(page, want) {
				t.Errorf("no %s in %s", want, p)
			}
		}
		for _, no := range []string{"Hidden Harbor", "Paper Boat", "Nobody knows", "900", "Seat",
			"hidden.jpg", "og:", "twitter:", "canonical", "ld+json"} {
			if strings.Contains(page, no) {
				t.Errorf("%s contains %s", p, no)
			}
		}
		f, _ := tree.File(p)
		if !f.Private || f.Framed {
			t.Errorf("%s is private: %t", p, f.Private)
		}
	}
	shell := regexp.MustCompile(`^(es/)?campaigns/hidden-harbor/preview/index\.html$`)
	for _, p := range tree.Paths() {
		if shell.MatchString(p) {
			continue
		}
		f, _ := tree.File(p)
		if strings.Contains(p, "hidden") || bytes.Contains(f.Body, []byte("hidden-harbor")) ||
			bytes.Contains(f.Body, []byte("Hidden Harbor")) {
			t.Errorf("%s refers to the campaign", p)
		}
	}
	without := build(t, content(t), noon)
	for _, p := range without.Paths() {
		if strings.Contains(p, "/preview/") {
			t.Errorf("%s exists although no campaign has previews", p)
		}
	}
}

// Preview pages are neither in the sitemap nor prefetched, not even those of public campaigns.
//
// Proves SIT-17.
func TestPreview_NotListed(t *testing.T) {
	files, _ := hiddenCampaign(t)
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "published: true",
		"published: true\npreview_enabled: true", 1))
	if list := text(t, build(t, files, noon), "sitemap.xml"); !strings.Contains(list, "/campaigns/paper-boat/<") ||
		strings.Contains(list, "/preview/") {
		t.Errorf("sitemap = %s", list)
	}
	script, err := os.ReadFile("scripts/prefetch.ts")
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(`documents = /(.+)/;`).FindSubmatch(script)
	if pattern == nil {
		t.Fatal("the script has no pattern for prefetching")
	}
	ahead := regexp.MustCompile(strings.ReplaceAll(string(pattern[1]), `\/`, "/"))
	for path, want := range map[string]bool{"/campaigns/paper-boat/": true, "/campaigns/paper-boat/preview/": false,
		"/es/campaigns/paper-boat/preview/": false} {
		if ahead.MatchString(path) != want {
			t.Errorf("%s is prefetched: %t", path, !want)
		}
	}
}

// A preview is the campaign's regular page as a single document without scripts, in which forms and
// links to other pages are disabled.
//
// Proves SIT-12, SIT-16.
func TestPreview(t *testing.T) {
	files, c := hiddenCampaign(t)
	b, err := builder(t, files)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	s := site.NewServer(b, catalogue, func() time.Time { return noon }, slog.New(slog.DiscardHandler))
	defer s.Close()
	s.Publish(catalogue)
	for lang, want := range map[string]string{"en": "Add to cart", "es": "Añadir al carrito", "xx": "Add to cart"} {
		b, err := s.Preview(c, lang)
		if err != nil {
			t.Fatal(err)
		}
		page := string(b)
		for _, w := range []string{"<h1>Hidden Harbor</h1>", want, "Seat", "<select disabled", `src="data:image/jpeg;base64,`,
			`src="data:image/png;base64,`, `src="data:audio/mpeg;base64,c291bmQ="`, "<video", `href="#rewards"`,
			"The Yard", ">More<", `<meta name="robots" content="noindex, nofollow, noarchive">`} {
			if !strings.Contains(page, w) {
				t.Errorf("%s lacks %s", lang, w)
			}
		}
		for name, no := range map[string]string{
			"a script": `<script`, "a note about scripts": `<noscript`, "a picture by URL": `<img[^>]* src="/`,
			"a srcset": `<img[^>]*srcset`, "a link to another page": `<a\b[^>]*href="[^#]`,
			"an enabled button": `<button(?: type="submit")?(?: class="\w+")?>`,
			"an enabled select": `<select (?:name|class)`, "an enabled input": `<input (?:name|type)`,
			"a hidden form": `<form[^>]* hidden[ >]`, "a preload": `preload"`, "a large video": `<video[^>]* src="[^"]`,
			"metadata": `og:|ld\+json`,
		} {
			if m := regexp.MustCompile(no).FindString(page); m != "" {
				t.Errorf("%s contains %s: %.200s", lang, name, m)
			}
		}
	}
	if _, err := s.Preview(c, "en"); err != nil {
		t.Fatal(err)
	}
	broken := *c
	broken.Media.Hero = "/assets/images/none.jpg"
	if _, err := s.Preview(&broken, "en"); err == nil || !strings.Contains(err.Error(), "none.jpg") {
		t.Errorf("missing picture: %v", err)
	}
	undated := *c
	undated.Start, undated.Deadline = campaign.Moment{}, campaign.Moment{}
	if b, err := s.Preview(&undated, "en"); err != nil || strings.Contains(string(b), "January 1, 1") {
		t.Errorf("without dates: %v", err)
	}
}
