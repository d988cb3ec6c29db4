package site_test

import (
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// The server rebuilds the site when the catalogue changes or a deadline passes, and passes unknown
// paths to the API. A broken picture does not make the site unavailable.
func TestServer(t *testing.T) {
	files, now := content(t), noon
	b, err := builder(t, files)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	s := site.NewServer(b, catalogue, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	defer s.Close()
	s.Publish(catalogue)
	api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	get := func(method, target string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, nil)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.Handler(api).ServeHTTP(w, r)
		return w
	}
	w := get("GET", "/campaigns/paper-boat/")
	if w.Code != 200 || !strings.Contains(w.Body.String(), ">Add to cart<") ||
		w.Header().Get("Content-Security-Policy") == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if again := get("GET", "/campaigns/paper-boat/", "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
		t.Errorf("unchanged page was sent again: status %d", again.Code)
	}
	for target, want := range map[string]int{"/live/paper-boat": 418, "/campaigns/paper-boat": 301,
		"/nothing": 418, "/es/": 200, "/assets/images/boat.jpg": 418, "/_headers": 418} {
		if got := get("GET", target); got.Code != want {
			t.Errorf("%s: %d", target, got.Code)
		}
	}
	if got := get("POST", "/"); got.Code != 418 {
		t.Errorf("POST to a page: status %d", got.Code)
	}
	if got := get("GET", "/manage/").Header(); got.Get("Referrer-Policy") != "no-referrer" ||
		got.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", got)
	}
	gone := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"Not found"}`)
	}
	api = gone
	for target, want := range map[string]string{"/nothing": "This page doesn&#39;t exist",
		"/es/nada": "Esta página no existe"} {
		if got := get("GET", target, "Accept", "text/html,*/*"); got.Code != 404 ||
			!strings.Contains(got.Body.String(), want) || strings.Contains(got.Body.String(), `{"error"`) {
			t.Errorf("%s: %d %s", target, got.Code, got.Body)
		}
	}
	if got := get("GET", "/nothing"); got.Code != 404 || got.Body.String() != `{"error":"Not found"}` {
		t.Errorf("without Accept: text/html: status %d: %s", got.Code, got.Body)
	}
	now = now.AddDate(0, 0, 20) // the deadline has passed
	get("GET", "/campaigns/paper-boat/")
	s.Close() // waits for the rebuild that the request started
	if w := get("GET", "/campaigns/paper-boat/"); strings.Contains(w.Body.String(), ">Add to cart<") ||
		!strings.Contains(w.Body.String(), "Ended December 1, 2026") {
		t.Error("the page still shows the campaign as open")
	}
	changed := maps.Clone(files)
	changed["campaigns/paper-boat.md"] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(open, "Paper Boat", "Tin Boat"))}
	if catalogue, err = campaignfile.Load(changed); err != nil {
		t.Fatal(err)
	}
	s.Publish(catalogue)
	if w := get("GET", "/campaigns/paper-boat/"); !strings.Contains(w.Body.String(), "Tin Boat") {
		t.Error("the change is not visible")
	}
	changed["campaigns/paper-boat.md"].Data = []byte(strings.Replace(open, "boat.jpg", "gone.jpg", 1))
	if catalogue, err = campaignfile.Load(changed); err != nil {
		t.Fatal(err)
	}
	s.Publish(catalogue)
	if w := get("GET", "/campaigns/paper-boat/"); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "<h1>Paper Boat</h1>") {
		t.Error("a single bad picture made the site unavailable")
	}
}

// blockable is a content directory in which opening a file blocks while the lock is held.
type blockable struct {
	files fs.FS
	lock  sync.RWMutex
	tried atomic.Int64 // number of calls of Open
}

func (c *blockable) Open(name string) (fs.File, error) {
	c.tried.Add(1)
	c.lock.RLock()
	defer c.lock.RUnlock()
	return c.files.Open(name)
}

// In the first build, a campaign that cannot be rendered is replaced with its version in Last. It
// is left out if Last does not contain it or contains the same broken version.
func TestServer_FirstBuildWithBrokenCampaign(t *testing.T) {
	good, err := campaignfile.Load(content(t))
	if err != nil {
		t.Fatal(err)
	}
	c, err := good.Campaign("paper-boat")
	if err != nil {
		t.Fatal(err)
	}
	broken := *c
	broken.Tiers = slices.Clone(c.Tiers)
	broken.Tiers[0].Category, broken.Tiers[0].ShipsTo, broken.Revision = campaign.Physical, []string{"QQ"}, "broken"
	for name, tt := range map[string]struct {
		last *campaign.Catalogue
		want int
	}{
		"Last is good":   {good, 200},
		"Last is nil":    {nil, 404},
		"Last is broken": {good.With(&broken), 404},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := builder(t, content(t))
			if err != nil {
				t.Fatal(err)
			}
			s := site.NewServer(b, good.With(&broken), func() time.Time { return noon }, slog.New(slog.DiscardHandler))
			defer s.Close()
			var shown *campaign.Catalogue
			s.Last, s.Shown = tt.last, func(c *campaign.Catalogue) { shown = c }
			s.Publish(good.With(&broken))
			w := httptest.NewRecorder()
			s.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/campaigns/paper-boat/", nil))
			if w.Code != tt.want || len(s.Problems()) == 0 || shown != s.Catalogue() {
				t.Errorf("page: status %d, problems %v", w.Code, s.Problems())
			}
		})
	}
}

// After a deadline, requests get the previous site until the new one is built.
func TestServer_PreviousSiteDuringRebuild(t *testing.T) {
	files := &blockable{files: content(t)}
	now := noon
	b, err := builder(t, files)
	if err != nil {
		t.Fatal(err)
	}
	catalogue := loadCatalogue(t, files)
	s := site.NewServer(b, catalogue, func() time.Time { return now }, slog.New(slog.DiscardHandler))
	s.Publish(catalogue)
	now = now.AddDate(0, 1, 0)
	files.lock.Lock()
	tried := files.tried.Load()
	for range 3 {
		if got := getPage(s, "/campaigns/paper-boat/"); got.Code != 200 ||
			!strings.Contains(got.Body.String(), ">Add to cart<") {
			t.Errorf("during the build: status %d", got.Code)
		}
	}
	for files.tried.Load() == tried { // a build is running and blocked
		runtime.Gosched()
	}
	files.lock.Unlock()
	s.Close()
	if got := getPage(s, "/campaigns/paper-boat/"); got.Code != 200 ||
		strings.Contains(got.Body.String(), ">Add to cart<") {
		t.Errorf("the page still shows the campaign as open: status %d", got.Code)
	}
}
