package site_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Proves SIT-30, CFG-03.
func TestPages_Content(t *testing.T) {
	tree := build(t, content(t), noon)
	for p, want := range map[string][]string{
		"index.html": {"<h1>Pledge today.<br>Pay only if it <em>happens.</em></h1>", "<title>The Harbor</title>",
			"Boats first.", "Paper Boat", "by The Yard", "Goal $1,000", `property="og:locale" content="en_US"`,
			"Ends December 1, 2026", `hreflang="es" href="https://harbor.example/es/"`},
		"campaigns/paper-boat/index.html": {"<h1>Paper Boat</h1>", "A <em>dry</em> seat.", "$99.50",
			"Limited to 3", "Unlocks at $500", "Below the fold.",
			"It holds. <em>Really.</em>", "— everybody", `alt="A boat"`, "On the table",
			`data-frame="https://www.youtube-nocookie.com/embed/abcdefghijk"`, "November 10, 2026", "Which name",
			`aria-current="step"`, "is pledged by December 1, 2026, 11:59 PM MST, you&#39;re charged after that.",
			`data-service="https://api.harbor.example"`, `"@type":"Project"`, ` data-prefetch="`,
			`content="https://harbor.example/share/paper-boat.png"`},
		"es/campaigns/paper-boat/index.html": {`<html lang="es">`, `property="og:locale" content="es_ES"`,
			"Precios en dólares de EE. UU.", `de <a href="#creator">The Yard</a>`,
			"<strong data-pledged>1.000\u00a0US$</strong>", "1 de diciembre de 2026 a las 23:59 (MST)", "Producción"},
		"404.html":                    {"This page doesn&#39;t exist", `content="noindex, nofollow, noarchive"`},
		"es/404.html":                 {"Esta página no existe"},
		"about/index.html":            {"The Harbor runs all-or-nothing campaigns", "help@harbor.example"},
		"checkout/index.html":         {"noindex", `content="no-referrer"`},
		"embed/paper-boat/index.html": {`class="framed"`, `target="_blank"`, "Paper Boat"},
		"sitemap.xml":                 {"<loc>https://harbor.example/es/campaigns/paper-boat/</loc>"},
		"robots.txt":                  {"Disallow: /es/manage/", "Sitemap: https://harbor.example/sitemap.xml"},
		"feed.xml":                    {"Paper Boat: Glue", "https://harbor.example/campaigns/paper-boat/#"},
		"api/campaigns.json":          {`"slug":"paper-boat"`, `"state":"live"`, `"endsAt":"2026-12-02T07:00:00Z"`},
		"api/add-ons.json":            {`"id":"pin"`},
		"search.json":                 {`"s":"paper-boat"`},
		"_headers":                    {"/campaigns/:slug/\n", "Content-Security-Policy: default-src 'none'"},
	} {
		got := text(t, tree, p)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s has no %q:\n%s", p, w, got[:min(len(got), 3000)])
			}
		}
	}
	for _, p := range []string{"api/campaigns.json", "api/add-ons.json"} {
		if !json.Valid([]byte(text(t, tree, p))) {
			t.Errorf("%s is not JSON", p)
		}
	}
	if img, err := png.Decode(strings.NewReader(text(t, tree, "share/paper-boat.png"))); err != nil ||
		img.Bounds().Dx() != 1200 || img.Bounds().Dy() != 630 {
		t.Errorf("share card: %v", err)
	}
}

// HTML entities in Markdown are decoded exactly once, so that authors can write &amp;lt; to show
// &lt;.
func TestPages_EntitiesDecodedOnce(t *testing.T) {
	files := content(t)
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "Below the fold.",
		"Tom &amp; Jo &copy; 2026 &lt;3 &#169; &amp;lt; `&copy;` AT&T\n\n"+
			"![Tom &amp; Jo &amp;lt;](/assets/images/boat.jpg)", 1))
	got := text(t, build(t, files, noon), "campaigns/paper-boat/index.html")
	for _, want := range []string{"<p>Tom &amp; Jo © 2026 &lt;3 © &amp;lt; <code>&amp;copy;</code> AT&amp;T</p>",
		`alt="Tom &amp; Jo &amp;lt;"`} {
		if !strings.Contains(got, want) {
			_, from, _ := strings.Cut(got, "<p>Tom")
			t.Errorf("no %s in <p>Tom%s", want, from[:min(len(from), 200)])
		}
	}
}

// Pages and the feed contain the query strings of links unchanged. In the feed, links to anchors
// contain the page's URL.
func TestLinks_KeepQueries(t *testing.T) {
	files := content(t)
	source := strings.Replace(open, "Below the fold.",
		"[shop](https://shop.example/?id=4&region=eu&copy=2&times=3&sect=9)", 1)
	source = strings.Replace(source, "diary:\n",
		"diary:\n  - {title: Links, date: 2026-11-02, content: '[shop](https://shop.example/?id=5&reg=1&para=2), "+
			"[sail](#reward-sail), [us](/about/?a=b&lt=c)'}\n", 1)
	files["campaigns/paper-boat.md"].Data = []byte(source)
	tree := build(t, files, noon)
	for p, want := range map[string][]string{
		"campaigns/paper-boat/index.html": {
			`<a href="https://shop.example/?id=4&amp;region=eu&amp;copy=2&amp;times=3&amp;sect=9"`,
			`<a href="https://shop.example/?id=5&amp;reg=1&amp;para=2"`, `<a href="#reward-sail">`,
			`<a href="/about/?a=b&amp;lt=c">`},
		"feed.xml": {"https://shop.example/?id=5&amp;amp;reg=1&amp;amp;para=2",
			"https://harbor.example/campaigns/paper-boat/#reward-sail", "https://harbor.example/about/?a=b&amp;amp;lt=c"},
		"es/feed.xml": {"https://harbor.example/es/campaigns/paper-boat/#reward-sail"},
	} {
		got := text(t, tree, p)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s has no %s", p, w)
			}
		}
	}
}

// Rich text can contain links to email addresses.
//
// Proves CON-47.
func TestPages_MailLinks(t *testing.T) {
	files := content(t)
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "Below the fold.",
		"[Write to us](mailto:crew@example.com).", 1))
	if got := text(t, build(t, files, noon), "campaigns/paper-boat/index.html"); !strings.Contains(got,
		`<a href="mailto:crew@example.com"`) {
		t.Error("no mailto link")
	}
}

// A copy of the site on another origin contains the original's URLs for search engines and feed
// readers.
func TestPages_CanonicalLink(t *testing.T) {
	files := content(t)
	files["site.yml"].Data = bytes.Replace(files["site.yml"].Data, []byte("platform: {"),
		[]byte("platform: {site_url: 'https://harbor.example', "), 1)
	tree := buildAt(t, files, "http://localhost:8787", noon)
	for p, want := range map[string]string{
		"index.html":                      `<link rel="canonical" href="https://harbor.example/">`,
		"campaigns/paper-boat/index.html": `<meta property="og:url" content="https://harbor.example/campaigns/paper-boat/">`,
		"sitemap.xml":                     "<loc>https://harbor.example/</loc>",
		"robots.txt":                      "Sitemap: https://harbor.example/",
		"feed.xml":                        "<id>https://harbor.example/</id>",
		"api/campaigns.json":              `"url":"https://harbor.example/`,
	} {
		if got := text(t, tree, p); !strings.Contains(got, want) || strings.Contains(got, "localhost") {
			t.Errorf("%s of a copy lacks %s, or contains the copy's origin:\n%s", p, want, got[:min(len(got), 3000)])
		}
	}
}

// Unpublished campaigns appear in no page, list, feed, card or file name.
//
// Proves SIT-01, SIT-02, SIT-03, SIT-04, SIT-05, SIT-06, SIT-07, SIT-08, SIT-09.
func TestPages_NoUnpublishedCampaigns(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"preview only": func(s string) string { return s },
		"unpublished": func(s string) string {
			return strings.Replace(s, "published: true\npreview_only: true", "published: false", 1)
		},
	} {
		files := content(t)
		files["campaigns/marmalade-conspiracy.md"] = &fstest.MapFile{Data: []byte(change(secret))}
		tree := build(t, files, noon)
		for _, p := range tree.Paths() {
			if strings.Contains(strings.ToLower(p+text(t, tree, p)), "marmalade") {
				t.Errorf("%s: %s contains the campaign", name, p)
			}
		}
	}
	files := content(t)
	files["campaigns/marmalade-conspiracy.md"] = &fstest.MapFile{
		Data: []byte(strings.Replace(secret, "preview_only: true\n", "preview_only: true\npreview_enabled: true\n", 1))}
	tree := build(t, files, noon)
	for _, p := range tree.Paths() { // there is a preview page, but no other page refers to it
		own := strings.HasSuffix(p, "campaigns/marmalade-conspiracy/preview/index.html")
		if !own && strings.Contains(strings.ToLower(p+text(t, tree, p)), "marmalade") {
			t.Errorf("with previews enabled, %s contains the campaign", p)
		}
	}
	files["campaigns/marmalade-conspiracy.md"] = &fstest.MapFile{
		Data: []byte(strings.Replace(secret, "preview_only: true\n", "", 1))}
	tree = build(t, files, noon)
	for p, want := range map[string]string{
		"index.html": "Marmalade", "es/index.html": "Marmalade",
		"campaigns/marmalade-conspiracy/index.html":    "Jar of marmalade",
		"es/campaigns/marmalade-conspiracy/index.html": "Jar of marmalade", "api/campaigns.json": `"Jar of marmalade"`,
		"sitemap.xml": "/campaigns/marmalade-conspiracy/", "embed/marmalade-conspiracy/index.html": "Marmalade",
	} {
		if got := text(t, tree, p); !strings.Contains(got, want) {
			t.Errorf("after the launch, %s lacks %s", p, want)
		}
	}
}

// No page has inline scripts or styles, so that the policy can forbid them. Personal pages are
// private, and only embeds can be framed.
func TestPages_ContentPolicy(t *testing.T) {
	tree := build(t, content(t), noon)
	for _, p := range tree.Paths() {
		if !strings.HasSuffix(p, ".html") {
			continue
		}
		f, _ := tree.File(p)
		got := text(t, tree, p)
		for _, forbidden := range []string{"<style", " style=", "javascript:", " onclick", "<script>", "{{", "%!"} {
			if strings.Contains(got, forbidden) {
				t.Errorf("%s has %s", p, forbidden)
			}
		}
		if f.Policy == "" || strings.Contains(f.Policy, "unsafe") {
			t.Errorf("policy of %s = %q", p, f.Policy)
		}
		about := strings.Contains(p, "manage/") || strings.Contains(p, "checkout/") || strings.Contains(p, "pledge-") ||
			strings.Contains(p, "community/") || strings.Contains(p, "mails/") || strings.Contains(p, "reminder/") ||
			strings.Contains(p, "preview/") || strings.Contains(p, "admin/")
		if f.Private != about || f.Framed != strings.Contains(p, "embed/") {
			t.Errorf("%s: private = %t, framed = %t", p, f.Private, f.Framed)
		}
	}
}

// The times for countdowns are in the platform's time zone.
//
// Proves STG-06.
func TestPages_CountdownTimezone(t *testing.T) {
	for zone, want := range map[string]string{
		"America/Denver":   `data-starts="2026-11-01T00:00:00-06:00" data-ends="2026-12-01T23:59:59-07:00"`,
		"Pacific/Auckland": `data-starts="2026-11-01T00:00:00+13:00" data-ends="2026-12-01T23:59:59+13:00"`,
	} {
		files := content(t)
		files["site.yml"].Data = bytes.Replace(files["site.yml"].Data, []byte("platform: {"),
			[]byte("platform: {timezone: "+zone+", "), 1)
		made := build(t, files, noon)
		for _, p := range []string{"index.html", "campaigns/paper-boat/index.html", "embed/paper-boat/index.html"} {
			if page := strings.ReplaceAll(text(t, made, p), "&#43;", "+"); !strings.Contains(page, want) {
				t.Errorf("%s: no %s in %s", zone, want, p)
			}
		}
	}
}

// Every reward has the policy that it cannot be returned. Only the policy's country is
// configurable.
//
// Proves STG-10, STG-11.
func TestPages_ReturnPolicy(t *testing.T) {
	files := content(t)
	site := string(files["site.yml"].Data)
	policyWith := func(setting string) (string, error) {
		files["site.yml"].Data = []byte(site + setting)
		b, err := builder(t, files)
		if err != nil {
			return "", err
		}
		made := tree(t, b, files, noon)
		all := map[string]bool{}
		for _, p := range []string{"campaigns/paper-boat/index.html", "es/campaigns/paper-boat/index.html"} {
			page := text(t, made, p)
			policies := regexp.MustCompile(`"hasMerchantReturnPolicy":\{[^}]*\}`).FindAllString(page, -1)
			if n := strings.Count(page, `"@type":"Offer"`); len(policies) != n || n != 2 {
				t.Errorf("%s: %d of %d rewards have the policy", p, len(policies), n)
			}
			for _, s := range policies {
				all[s] = true
			}
		}
		return strings.Join(slices.Sorted(maps.Keys(all)), " and "), nil
	}
	for setting, country := range map[string]string{"": "US",
		"seo: {merchant_return_policy: {applicable_country: CA}}\n": "CA"} {
		got, err := policyWith(setting)
		if want := `"hasMerchantReturnPolicy":{"@type":"MerchantReturnPolicy","applicableCountry":"` + country +
			`","returnPolicyCategory":"https://schema.org/MerchantReturnNotPermitted"}`; err != nil || got != want {
			t.Errorf("with %q: policy = %s, %v", setting, got, err)
		}
	}
	if _, err := policyWith("seo: {merchant_return_policy: {applicable_country: Canada}}\n"); err == nil ||
		!strings.Contains(err.Error(), "seo.merchant_return_policy.applicable_country") {
		t.Errorf("a country's name: %v", err)
	}
	fixed := fstest.MapFS{"site.yml": {
		Data: []byte("seo: {merchant_return_policy: {return_policy_category: MerchantReturnFiniteReturnWindow}}\n")}}
	if _, err := config.Demo(rand.Reader, fixed, nil); err == nil ||
		!strings.Contains(err.Error(), "return_policy_category") {
		t.Errorf("another policy: %v", err)
	}
}

// A hero video is either a file of the site, or a frame of an approved provider that is loaded on
// click.
//
// Proves MED-16.
func TestPages_HeroVideo(t *testing.T) {
	files := content(t)
	files["assets/videos/boat.mp4"] = &fstest.MapFile{Data: []byte("film")}
	for film, want := range map[string]string{
		"https://vimeo.com/123456789":                 `data-frame="https://player.vimeo.com/video/123456789`,
		"https://www.youtube.com/watch?v=abcdefghijk": `data-frame="https://www.youtube-nocookie.com/embed/abcdefghijk`,
		"/assets/videos/boat.mp4":                     `src="/assets/videos/boat.mp4"`,
	} {
		files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "short_blurb",
			"hero_video: "+film+"\nshort_blurb", 1))
		hero, _, _ := strings.Cut(text(t, build(t, files, noon), "campaigns/paper-boat/index.html"), `<div class="panel">`)
		if !strings.Contains(hero, want) {
			t.Errorf("%s: hero = %.400s", film, hero[strings.Index(hero, `<div class="hero">`):])
		}
	}
}

// Proves MED-23.
func TestPictures_Widths(t *testing.T) {
	files := content(t)
	var wide bytes.Buffer
	if err := jpeg.Encode(&wide, image.NewGray(image.Rect(0, 0, 2000, 20)), nil); err != nil {
		t.Fatal(err)
	}
	files["assets/images/wide.jpg"] = &fstest.MapFile{Data: wide.Bytes()}
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "short_blurb",
		"creator_image: /assets/images/wide.jpg\nshort_blurb", 1))
	tree := build(t, files, noon)
	page := text(t, tree, "campaigns/paper-boat/index.html")
	_, name, _ := strings.Cut(page[:strings.Index(page, "-1600.jpg")], "/_/images/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	widths := map[string]int{}
	for _, m := range regexp.MustCompile("/(_/images/"+name+`-\d+\.jpg) (\d+)w`).FindAllStringSubmatch(page, -1) {
		img, err := jpeg.Decode(strings.NewReader(text(t, tree, m[1])))
		if err != nil {
			t.Fatal(m[1], err)
		}
		widths[m[2]] = img.Bounds().Dx()
	}
	if want := map[string]int{"320": 320, "480": 480, "640": 640, "960": 960, "1600": 1600}; !maps.Equal(widths, want) {
		t.Errorf("widths = %v, want %v", widths, want)
	}
}

// Proves SIT-19.
func TestPictures_Settings(t *testing.T) {
	files := content(t)
	files["assets/images/clear.png"] = &fstest.MapFile{Data: clearPNG(t)}
	files["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "short_blurb",
		"creator_image: /assets/images/clear.png\nshort_blurb", 1))
	files["site.yml"].Data = append(files["site.yml"].Data,
		"design: {color_primary: \"#123456\", color_text: \"#222\", radius_lg: 3px}\n"+
			"performance: {intent_prefetch_delay_ms: 70, intent_prefetch_limit: 4}\n"...)
	tree := build(t, files, noon)
	page := text(t, tree, "campaigns/paper-boat/index.html")
	for _, want := range []string{`-320.jpg 320w`, `-640.jpg 640w`, `-700.jpg 700w`,
		`width="700" height="400"`, `data-prefetch="70 4"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page[:4000])
		}
	}
	files["site.yml"].Data = bytes.Replace(files["site.yml"].Data, []byte("performance: {"),
		[]byte("performance: {intent_prefetch_enabled: false, "), 1)
	if off := text(t, build(t, files, noon), "campaigns/paper-boat/index.html"); strings.Contains(off, "data-prefetch") {
		t.Error("pages prefetch although it is disabled")
	}
	if strings.Contains(page, "960w") {
		t.Error("a picture was enlarged")
	}
	css := ""
	for _, p := range tree.Paths() {
		if strings.HasPrefix(p, "_/site.") && strings.HasSuffix(p, ".css") {
			css = text(t, tree, p)
		}
		if strings.HasSuffix(p, "-320.jpg") {
			if img, err := jpeg.Decode(strings.NewReader(text(t, tree, p))); err != nil ||
				img.Bounds().Dx() != 320 || img.Bounds().Dy() != 182 {
				t.Errorf("%s: %v", p, err)
			}
		}
	}
	if !strings.Contains(css, ":root{--text:light-dark(#222,#eceef8);--primary:#123456;--radius:3px;}") {
		t.Errorf("the theme: %s", css[max(0, len(css)-200):])
	}
}

func clearPNG(t testing.TB) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 400, 400))
	img.Set(3, 3, color.NRGBA{255, 0, 0, 255})
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// New and Build fail with each problem and its location.
func TestCheck_Faults(t *testing.T) {
	for want, change := range map[string]func(fstest.MapFS){
		"design.color_primary: write a color": func(f fstest.MapFS) {
			f["site.yml"].Data = append(f["site.yml"].Data, "design: {color_primary: red}\n"...)
		},
		"design.shadow: is not a known setting": func(f fstest.MapFS) {
			f["site.yml"].Data = append(f["site.yml"].Data, "design: {shadow: none}\n"...)
		},
		"there is no file /assets/images/boat.jpg": func(f fstest.MapFS) { delete(f, "assets/images/boat.jpg") },
		"is not a picture": func(f fstest.MapFS) {
			f["assets/images/boat.jpg"].Data = []byte("boat")
		},
		"pages/about.md": func(f fstest.MapFS) {
			f["pages/about.md"] = &fstest.MapFile{Data: []byte("<script>x</script>")}
		},
		"pages/terms.md:2: has characters that are not UTF-8": func(f fstest.MapFS) {
			f["pages/terms.md"] = &fstest.MapFile{Data: []byte("Terms\nfor a r\xe9sum\xe9\n")}
		},
		"pages/es/terms.md": func(f fstest.MapFS) { f["pages/es/terms.md"] = &fstest.MapFile{Data: []byte("<iframe>")} },
	} {
		files := content(t)
		change(files)
		b, err := builder(t, files)
		if err == nil {
			catalogue, broken := campaignfile.Load(files)
			if broken != nil {
				t.Fatal(broken)
			}
			_, err = b.Build(catalogue, noon)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// A page that the operator writes replaces the built-in one, and the files that it and the settings
// refer to are published.
func TestPages_OperatorTexts(t *testing.T) {
	files := content(t)
	files["pages/terms.md"] = &fstest.MapFile{Data: []byte("# House rules\n\nBe kind. ![The house](/assets/house.svg)")}
	files["site.yml"].Data = bytes.Replace(files["site.yml"].Data, []byte("platform: {"),
		[]byte("platform: {logo_path: /assets/logo.svg, favicon_path: /assets/mark.svg, "), 1)
	files["campaigns/paper-boat.md"].Data = []byte(
		strings.Replace(open, "Below the fold.", "![A map](/assets/map.png)", 1))
	for _, name := range []string{"house.svg", "logo.svg", "mark.svg", "map.png"} {
		files["assets/"+name] = &fstest.MapFile{Data: []byte("<svg/>")}
	}
	tree := build(t, files, noon)
	if got := text(t, tree, "terms/index.html"); !strings.Contains(got, "<h1>House rules</h1>") {
		t.Error(got)
	}
	if got := text(t, tree, "es/terms/index.html"); !strings.Contains(got, "Condiciones") {
		t.Error(got)
	}
	for _, name := range []string{"house.svg", "logo.svg", "mark.svg", "map.png"} {
		if _, ok := tree.File("assets/" + name); !ok {
			t.Errorf("a page refers to %s, which the site does not contain", name)
		}
	}
}

// Write updates a directory to match the site, and rejects directories with other files.
func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	tree := build(t, content(t), noon)
	if err := tree.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, p := range tree.Paths() {
		if body, err := os.ReadFile(filepath.Join(dir, p)); err != nil || string(body) != text(t, tree, p) {
			t.Errorf("%s: %v", p, err)
		}
	}
	stray := filepath.Join(dir, "campaigns", "gone", "index.html")
	if err := os.MkdirAll(filepath.Dir(stray), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stray, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tree.Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); !os.IsNotExist(err) {
		t.Error("a removed file still exists")
	}
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "letter.txt"), []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tree.Write(home); err == nil {
		t.Error("Write wrote to a directory with other files")
	}
}
