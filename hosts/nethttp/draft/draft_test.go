package draft_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/nethttp/draft"
)

const file = "campaigns/night-ferry.md"

func content(text string) fstest.MapFS {
	return fstest.MapFS{file: {Data: []byte(text)}}
}

func get(p *draft.Preview, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8788"+path, nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func preview(files fstest.MapFS) *draft.Preview {
	return draft.New(draft.Options{Content: files, File: file, Base: "http://127.0.0.1:8788",
		Now: func() time.Time { return time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC) }})
}

// An unpublished draft without dates and goal is rendered in both languages, and rendered again
// when it changes. While it is invalid, its problems are shown with lines.
func TestPreview_FileChanges(t *testing.T) {
	const good = "---\ntitle: Night Ferry\npreview_only: true\npublished: false\ntest_only: true\nshort_blurb: One boat\n---\nHello.\n"
	files := content(good)
	p := preview(files)
	if w := get(p, "/"); w.Code != http.StatusFound || w.Header().Get("Location") != "/campaigns/night-ferry/" {
		t.Fatalf("%d, %v", w.Code, w.Header())
	}
	for _, path := range []string{"/campaigns/night-ferry/", "/es/campaigns/night-ferry/"} {
		w := get(p, path)
		if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "Night Ferry") ||
			strings.Count(body, `src="/preview.js"`) != 1 {
			t.Errorf("%s: %d\n%s", path, w.Code, body)
		}
	}
	if body := get(p, "/campaigns/night-ferry/").Body.String(); !strings.Contains(body, "December 5, 2026") {
		t.Errorf("draft without a deadline got none: %s", body)
	}
	first := get(p, "/preview/revision").Body.String()
	if again := get(p, "/preview/revision").Body.String(); again != first {
		t.Error("revision changed without a change")
	}
	files[file].Data = []byte(strings.Replace(good, "short_blurb: One boat", "goal_amount: <lots>", 1))
	if get(p, "/preview/revision").Body.String() == first {
		t.Error("a change was not detected")
	}
	w := get(p, "/campaigns/night-ferry/")
	if body := w.Body.String(); w.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(body, file+":6: goal_amount: write an amount") || !strings.Contains(body, "/preview.js") ||
		strings.Contains(body, "<lots>") {
		t.Errorf("%d\n%s", w.Code, body)
	}
	files[file].Data = []byte(strings.Replace(good, "Hello.", "Farewell.", 1))
	if w := get(p, "/campaigns/night-ferry/"); w.Code != 200 || !strings.Contains(w.Body.String(), "Farewell.") {
		t.Errorf("mended: %d\n%s", w.Code, w.Body)
	}
}

func TestPreview_MissingParts(t *testing.T) {
	files := content("---\ntitle: Night Ferry\npreview_only: true\nhero_image: /assets/boat.svg\n---\n")
	p := preview(files)
	revision := get(p, "/preview/revision").Body.String()
	if w := get(p, "/campaigns/night-ferry/"); w.Code != 422 ||
		!strings.Contains(w.Body.String(), file+":4: hero_image: there is no file /assets/boat.svg") {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
	files["assets/boat.svg"] = &fstest.MapFile{Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"/>`)}
	if get(p, "/preview/revision").Body.String() == revision {
		t.Error("the added picture was not detected")
	}
	if w := get(p, "/campaigns/night-ferry/"); w.Code != 200 || !strings.Contains(w.Body.String(), "boat") {
		t.Errorf("with the picture: status %d\n%s", w.Code, w.Body)
	}
	if w := get(preview(fstest.MapFS{}), "/"); w.Code != 422 || !strings.Contains(w.Body.String(), "not exist") {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
}

func TestPreview_LocalOnly(t *testing.T) {
	p := preview(content("---\ntitle: Night Ferry\npreview_only: true\n---\n"))
	for host, want := range map[string]int{"127.0.0.1:8788": 200, "localhost:8788": 200, "[::1]:8788": 200,
		"evil.example:8788": 403, "10.0.0.1": 403, "": 403} {
		r := httptest.NewRequest(http.MethodGet, "/campaigns/night-ferry/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
	if w := get(p, "/nothing/"); w.Code != 404 {
		t.Errorf("nonexistent page: status %d", w.Code)
	}
	if w := get(p, "/live/night-ferry"); w.Code != 404 {
		t.Errorf("the API: %d", w.Code)
	}
}
