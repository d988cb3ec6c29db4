package site_test

import (
	"crypto/rand"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/site"
)

// Other sites can load or frame only the files that are meant for them. Pages are isolated from the
// page that opened them.
func TestHeaders_CrossOrigin(t *testing.T) {
	tree := build(t, content(t), noon)
	pages := [3]string{"same-origin", "same-origin-allow-popups", "DENY"}
	for p, want := range map[string][3]string{
		"/":                      pages,
		"/campaigns/paper-boat/": pages,
		"/checkout/":             pages,
		"/manage/":               pages,
		"/admin/":                pages,
		"/embed/paper-boat/":     {"cross-origin", "", ""},
		"/share/paper-boat.png":  {"cross-origin", "", "DENY"},
		"/feed.xml":              {"cross-origin", "", "DENY"},
		"/api/campaigns.json":    {"cross-origin", "", "DENY"},
	} {
		w := httptest.NewRecorder()
		w.Header().Set("X-Frame-Options", "DENY") // the server's default
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		tree.Serve(w, httptest.NewRequest("GET", p, nil), http.NotFoundHandler())
		h := w.Result().Header
		got := [3]string{h.Get("Cross-Origin-Resource-Policy"), h.Get("Cross-Origin-Opener-Policy"), h.Get("X-Frame-Options")}
		if diff := cmp.Diff(want, got); w.Code != 200 || diff != "" {
			t.Errorf("%s, %d: (-want +got)\n%s", p, w.Code, diff)
		}
	}
}

// scripts matches script tags and event handler attributes in a page.
var scripts = regexp.MustCompile(`<script[^>]*>|<[^>]* on[a-z]+="`)

// The dashboard's page has its own policy and cannot be framed.
//
// Proves SEC-13, SEC-14.
func TestHeaders_Dashboard(t *testing.T) {
	made := build(t, content(t), noon)
	for _, p := range []string{"/admin/", "/es/admin/"} {
		w := httptest.NewRecorder()
		made.Serve(w, httptest.NewRequest("GET", p, nil), http.NotFoundHandler())
		header, page := w.Result().Header.Get("Content-Security-Policy"), html.UnescapeString(w.Body.String())
		_, after, _ := strings.Cut(page, `<meta http-equiv="Content-Security-Policy" content="`)
		policy, _, _ := strings.Cut(after, `">`)
		if !strings.HasPrefix(policy,
			"default-src 'none'; base-uri 'none'; form-action 'self'; script-src 'self'; style-src 'self'; ") ||
			strings.Contains(policy, "unsafe") {
			t.Errorf("policy of %s = %q", p, policy)
		}
		for _, script := range scripts.FindAllString(page, -1) {
			isData := strings.Contains(script, ` type="application/`)
			if !strings.Contains(script, ` src="`) && !isData {
				t.Errorf("%s has an inline script: %s", p, script)
			}
		}
		if header != policy+"; frame-ancestors 'none'" || w.Result().Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: header = %q", p, header)
		}
	}
}

// Only the dashboard's policy allows uploads to the media bucket. All pages may load media from the
// bucket's public address, but no scripts, styles or frames.
func TestPolicy_MediaBucket(t *testing.T) {
	files := content(t)
	cfg, err := config.Demo(rand.Reader, files, map[string]string{
		"MEDIA_STORE_URL": "https://account.r2.example/films", "MEDIA_STORE_KEY_ID": "k", "MEDIA_STORE_SECRET": "s",
		"MEDIA_PUBLIC_URL": "http://127.0.0.1:9000/films",
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := site.New(site.Options{Content: files, Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	made := tree(t, b, files, noon)
	for p, sends := range map[string]bool{"/admin/": true, "/es/admin/": true, "/": false,
		"/campaigns/paper-boat/": false} {
		w := httptest.NewRecorder()
		made.Serve(w, httptest.NewRequest("GET", p, nil), http.NotFoundHandler())
		for part := range strings.SplitSeq(w.Result().Header.Get("Content-Security-Policy"), "; ") {
			kind, of, _ := strings.Cut(part, " ")
			if strings.Contains(of, "r2.example") != (sends && kind == "connect-src") ||
				strings.Contains(of, "127.0.0.1:9000") != (kind == "media-src") {
				t.Errorf("%s allows %s", p, part)
			}
		}
	}
}

// The headers file for static hosts contains Strict-Transport-Security in live mode only.
func TestHeaders_LiveMode(t *testing.T) {
	for _, mode := range []psp.Mode{psp.Test, psp.Live} {
		files := content(t)
		cfg, err := config.Demo(rand.Reader, files, map[string]string{"SITE_BASE": "https://harbor.example"})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Mode.App = mode
		b, err := site.New(site.Options{Content: files, Config: cfg})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(text(t, tree(t, b, files, noon), "_headers"),
			"/*\n  Strict-Transport-Security: max-age=31536000\n"); got != (mode == psp.Live) {
			t.Errorf("%s mode: %t", mode, got)
		}
	}
}

// The headers file gives each file the headers that the server sends, within Cloudflare's limits of
// 100 entries and 2,000 characters a line, for any number of campaigns.
func TestHeaders_File(t *testing.T) {
	files := content(t)
	for i := range 30 {
		slug := fmt.Sprintf("copy-%d", i)
		text := strings.Replace(string(files["campaigns/paper-boat.md"].Data), "slug: paper-boat", "slug: "+slug, 1)
		files["campaigns/"+slug+".md"] = &fstest.MapFile{Data: []byte(text)}
	}
	made := build(t, files, noon)
	rules := parseHeaders(t, text(t, made, "_headers"))
	if len(rules) > 70 {
		t.Errorf("%d entries", len(rules))
	}
	for _, p := range made.Paths() {
		if p == "_headers" {
			continue
		}
		url := "/" + strings.TrimSuffix(p, "index.html")
		got := http.Header{}
		for _, r := range rules {
			if r.url.MatchString(url) {
				for name, values := range r.headers {
					got[name] = append(got[name], values...)
				}
			}
		}
		w := httptest.NewRecorder()
		made.Serve(w, httptest.NewRequest("GET", url, nil), http.NotFoundHandler())
		want := w.Result().Header
		if strings.HasSuffix(url, "/feed.xml") {
			want.Set("X-Type", want.Get("Content-Type")) // differs from that of the extension
			got["X-Type"] = got["Content-Type"]
			got.Del("Content-Type")
		}
		for _, name := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Vary", "Etag", "Accept-Ranges", "Last-Modified"} {
			want.Del(name)
		}
		if diff := cmp.Diff(want, got); w.Code != 200 || diff != "" {
			t.Errorf("%s, status %d: (-served +file)\n%s", url, w.Code, diff)
		}
	}
}

// headerRule is an entry of the headers file.
type headerRule struct {
	url     *regexp.Regexp
	headers http.Header
}

// parseHeaders reads a headers file as Cloudflare documents it.
func parseHeaders(t *testing.T, file string) (rules []headerRule) {
	t.Helper()
	for line := range strings.Lines(file) {
		if len(line) > 2000 {
			t.Errorf("line of %d characters: %.80s", len(line), line)
		}
		line = strings.TrimSuffix(line, "\n")
		if name, value, isHeader := strings.Cut(strings.TrimPrefix(line, "  "), ": "); isHeader && strings.HasPrefix(line, "  ") {
			rules[len(rules)-1].headers.Add(name, value)
			continue
		}
		expr := strings.ReplaceAll(regexp.QuoteMeta(line), `\*`, ".*")
		expr = regexp.MustCompile(`:[A-Za-z]\w*`).ReplaceAllString(expr, "[^/]+")
		rules = append(rules, headerRule{regexp.MustCompile("^" + expr + "$"), http.Header{}})
	}
	return rules
}
