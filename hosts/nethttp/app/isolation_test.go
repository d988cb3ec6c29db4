package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// contentFS is a content directory whose files can be changed, made unreadable, or made to block
// readers.
type contentFS struct {
	mu      sync.Mutex
	files   fstest.MapFS
	failing map[string]bool
	gates   map[string]*gate
}

// gate blocks readers of a file.
type gate struct {
	once    sync.Once
	entered chan struct{} // closed when the first reader waits
	open    chan struct{}
}

func newGate() *gate { return &gate{entered: make(chan struct{}), open: make(chan struct{})} }

func (c *contentFS) Open(name string) (fs.File, error) {
	c.mu.Lock()
	files, failing, gate := c.files, c.failing[name], c.gates[name]
	c.mu.Unlock()
	if failing {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("input/output error")}
	}
	if gate != nil {
		gate.once.Do(func() { close(gate.entered) })
		<-gate.open
	}
	return files.Open(name)
}

// set replaces files; an empty text removes a file.
func (c *contentFS) set(changes map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	files := maps.Clone(c.files)
	for name, text := range changes {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c.files = files
}

// running is a server on a content directory.
type running struct {
	*App
	t      *testing.T
	base   string
	logged *log
}

func serve(t *testing.T, content fs.FS) *running {
	t.Helper()
	return serveFrom(t, content, filepath.Join(t.TempDir(), "data"))
}

func serveFrom(t *testing.T, content fs.FS, dir string) *running {
	t.Helper()
	cfg, err := config.Demo(rand.Reader, content, map[string]string{"DATA_DIR": dir})
	if err != nil {
		t.Fatal(err)
	}
	logged := &log{}
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: content, Now: fixed, Log: slog.New(slog.NewTextHandler(logged, nil))})
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
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, a.Close()); err != nil {
			t.Error(err)
		}
	})
	return &running{a, t, "http://" + l.Addr().String(), logged}
}

// get fetches a path and returns the status, the media type and the body.
func (r *running) get(path string) (status int, kind, body string) {
	r.t.Helper()
	answer, err := http.Get(r.base + path) //nolint:noctx // a server of this test
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Content-Type"), string(text)
}

// shows fails the test unless the page at a path contains a text.
func (r *running) shows(path, want string) {
	r.t.Helper()
	if status, _, body := r.get(path); status != 200 || !strings.Contains(body, want) {
		r.t.Errorf("%s: status %d without %q", path, status, want)
	}
}

func (r *running) lacks(path string) {
	r.t.Helper()
	if status, _, _ := r.get(path); status != 404 {
		r.t.Errorf("%s: status %d, want 404", path, status)
	}
}

func campaignNamed(title, more string) string {
	slug := strings.ToLower(title)
	return fmt.Sprintf(
		"---\ntitle: %s\nslug: %s\npublished: true\nstart_date: 2026-11-01\ngoal_deadline: 2026-12-15\ngoal_amount: 40\n%s---\n",
		title, slug, more)
}

func photo(t *testing.T, w, h int) string {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, w, h)), nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// bomb returns a small PNG file whose header claims w by h pixels with four 16-bit channels.
func bomb(w, h uint32) string {
	chunk := func(name string, body []byte) string {
		whole := append([]byte(name), body...)
		out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
		return string(binary.BigEndian.AppendUint32(append(out, whole...), crc32.ChecksumIEEE(whole)))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return "\x89PNG\r\n\x1a\n" + chunk("IHDR", append(header, 16, 6, 0, 0, 0)) +
		chunk("IDAT", []byte("x")) + chunk("IEND", nil)
}

const (
	heroes     = "hero_image: /assets/stage.jpg\n"
	lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
)

func goodContent(t *testing.T) *contentFS {
	c := &contentFS{files: fstest.MapFS{}}
	c.set(map[string]string{
		"campaigns/ballet.md": campaignNamed("Ballet", heroes), "campaigns/circus.md": campaignNamed("Circus", heroes),
		"campaigns/drama.md": campaignNamed("Drama", heroes),
		"campaigns/opera.md": campaignNamed("Opera", "hero_image: /assets/opera.png\ncreator_image: /assets/singer.jpg\n"),
		"add-ons.yml":        "products:\n  - {name: Poster, price: 12}\n", "assets/stage.jpg": photo(t, 500, 200),
		"assets/opera.png": photo(t, 400, 90), "assets/singer.jpg": photo(t, 30, 30),
		"pages/about.md": "# Our house\n", "site.yml": "design: {color_primary: \"#112233\"}\n",
	})
	return c
}

// spoil breaks one thing of each kind and makes other, valid changes.
func spoil(c *contentFS) {
	c.set(map[string]string{
		// passes validation but cannot be rendered
		"campaigns/ballet.md": campaignNamed("Ballet",
			"tiers: [{name: Seat, price: 9, category: physical, ships_to: [QQ]}]\n"),
		"campaigns/circus.md": campaignNamed("Circus", "goal_amount: [\n"),
		"campaigns/opera.md": campaignNamed("Opera",
			"short_blurb: Sung at night\nhero_image: /assets/opera.png\ncreator_image: /assets/singer.jpg\n"),
		"add-ons.yml": "products: 7\n", "assets/opera.png": bomb(6000, 5000), "assets/singer.jpg": lfsPointer,
		"pages/about.md": "<script>x</script>", "site.yml": "design: {color_primary: \"#1122\", radius_lg: 3px}\n",
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failing = map[string]bool{"campaigns/drama.md": true}
}

// spoiled lists the files and lines of the problems that spoil causes.
var spoiled = []string{
	"add-ons.yml:1: products", "campaigns/ballet.md:8: tiers[0].ships_to: QQ is not a country", "campaigns/circus.md:",
	"campaigns/drama.md: cannot be read: input/output error",
	"campaigns/opera.md:9: hero_image: /assets/opera.png is too large: 6000 by 5000 pixels",
	"campaigns/opera.md:10: creator_image: /assets/singer.jpg is a Git LFS pointer",
	"pages/about.md: ", "site.yml: design.color_primary",
}

func (r *running) reports(want []string) {
	r.t.Helper()
	all := r.problems()
	for _, w := range want {
		if !strings.Contains(all.Error(), w) {
			r.t.Errorf("no problem contains %q", w)
		}
	}
	if len(all) != len(want) {
		r.t.Errorf("%d problems, want %d:\n%s", len(all), len(want), all)
	}
	for _, p := range all {
		if !r.logged.has(p.File) {
			r.t.Errorf("%s is not logged", p.File)
		}
	}
	if n, err := r.vitals(r.t.Context()); err != nil || n.ContentProblems != len(want) {
		r.t.Errorf("metric = %d, %v", n.ContentProblems, err)
	}
	report, err := r.API.CheckHealth(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.ID == "content" {
			r.t.Error("health reports no problem with the content")
		}
	}
}

// drawsPlaceholder fails the test unless a placeholder is served for the picture.
func (r *running) drawsPlaceholder(path string) {
	r.t.Helper()
	if status, kind, body := r.get(path); status != 200 || kind != "image/svg+xml" || !strings.Contains(body, "<svg") {
		r.t.Errorf("%s is %d %s", path, status, kind)
	}
}

func TestReload_BadContentKeepsItsLastGoodVersion(t *testing.T) {
	content := goodContent(t)
	r := serve(t, content)
	for _, slug := range []string{"ballet", "circus", "drama", "opera"} {
		r.shows("/campaigns/"+slug+"/", "<h1>")
	}
	spoil(content)
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"Ballet", "Circus", "Drama", "Opera"} {
		r.shows("/es/campaigns/"+strings.ToLower(title)+"/", "<h1>"+title+"</h1>")
		r.shows("/live/"+strings.ToLower(title), "pledgedAmount")
		r.shows("/", title)
	}
	r.shows("/campaigns/opera/", "Sung at night")
	r.drawsPlaceholder("/assets/opera.png")
	r.drawsPlaceholder("/assets/singer.jpg")
	r.shows("/about/", "<h1>Our house</h1>")
	if _, err := r.Catalogue().AddOn("poster"); err != nil {
		t.Errorf("add-ons are missing: %v", err)
	}
	_, _, home := r.get("/")
	sheet := home[strings.Index(home, "/_/site."):]
	r.shows(sheet[:strings.Index(sheet, `"`)], ":root{--primary:#112233;--radius:3px;}")
	r.reports(spoiled)

	good := goodContent(t)
	content.mu.Lock()
	content.files, content.failing = good.files, nil
	content.mu.Unlock()
	if err := r.Reload(t.Context()); err != nil || len(r.problems()) > 0 {
		t.Errorf("after the fix: %v\n%v", err, r.problems())
	}
	if status, kind, _ := r.get("/assets/opera.png"); status == 200 && kind == "image/svg+xml" {
		t.Error("the placeholder is still served after the fix")
	}
}

func TestStart_BadContentIsLeftOut(t *testing.T) {
	content := goodContent(t)
	spoil(content)
	r := serve(t, content)
	r.shows("/healthz", "")
	r.shows("/campaigns/opera/", "Sung at night")
	r.drawsPlaceholder("/assets/opera.png")
	r.shows("/live/opera", "pledgedAmount")
	for _, slug := range []string{"ballet", "circus", "drama"} {
		r.lacks("/campaigns/" + slug + "/")
		r.lacks("/live/" + slug)
	}
	r.shows("/about/", "<h1>")
	if len(r.Catalogue().AddOns()) != 0 {
		t.Error("add-ons of an unreadable file were loaded")
	}
	r.reports(spoiled)
}

// After a restart, the last good version of a broken file is served, whether it cannot be read,
// parsed or rendered. Files deleted in the meantime are not served.
func TestStart_BadContentKeepsItsLastGoodVersion(t *testing.T) {
	content, dir := goodContent(t), filepath.Join(t.TempDir(), "data")
	content.set(map[string]string{"campaigns/encore.md": campaignNamed("Encore", heroes)})
	for _, run := range []string{"first", "again"} {
		t.Run(run, func(t *testing.T) {
			r := serveFrom(t, content, dir)
			for _, slug := range []string{"ballet", "circus", "drama", "encore"} {
				r.shows("/campaigns/"+slug+"/", "<h1>")
			}
		})
	}
	spoil(content)
	content.mu.Lock()
	delete(content.files, "campaigns/encore.md")
	content.mu.Unlock()
	for _, run := range []string{"broken", "broken still"} {
		t.Run(run, func(t *testing.T) {
			r := serveFrom(t, content, dir)
			for _, slug := range []string{"ballet", "circus", "drama"} {
				r.shows("/campaigns/"+slug+"/", "<h1>")
				r.shows("/live/"+slug, "pledgedAmount")
			}
			r.shows("/campaigns/opera/", "Sung at night")
			r.lacks("/campaigns/encore/")
			if n := len(r.Catalogue().AddOns()); n != 1 {
				t.Errorf("%d add-ons", n)
			}
			r.reports(spoiled)
		})
	}
}

// While a site is being built, requests get the previous catalogue and pages. Then both change
// together.
func TestReload_RequestsDoNotWait(t *testing.T) {
	content := goodContent(t)
	r := serve(t, content)
	r.shows("/campaigns/drama/", "<h1>Drama</h1>")

	slow := newGate()
	content.mu.Lock()
	content.gates = map[string]*gate{"assets/slow.jpg": slow}
	content.mu.Unlock()
	content.set(map[string]string{"campaigns/drama.md": strings.Replace(campaignNamed("Drama",
		"hero_image: /assets/slow.jpg\n"), "goal_amount: 40", "goal_amount: 70", 1), "assets/slow.jpg": photo(t, 90, 60)})
	reloaded := make(chan error, 1)
	go func() { reloaded <- r.Reload(t.Context()) }()
	<-slow.entered
	seen := func() (goal string) {
		t.Helper()
		r.shows("/healthz", "")
		r.shows("/live/drama", "pledgedAmount")
		r.shows("/campaigns/opera/", "<h1>Opera</h1>")
		c, err := r.Catalogue().Campaign("drama")
		if err != nil {
			t.Fatal(err)
		}
		r.shows("/campaigns/drama/", c.Goal.String()[:3])
		return c.Goal.String()
	}
	before := seen()
	close(slow.open)
	if err := <-reloaded; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"$40.00", "$70.00"}, []string{before, seen()}); diff != "" {
		t.Error(diff)
	}
}

func TestStart_APIAnswersDuringTheFirstBuild(t *testing.T) {
	content := goodContent(t)
	slow := newGate()
	content.gates = map[string]*gate{"assets/stage.jpg": slow}
	r := serve(t, content)
	<-slow.entered
	r.shows("/healthz", "")
	r.shows("/live/circus", "pledgedAmount")
	answer, err := http.Post(r.base+"/webhooks/psp", "application/json", strings.NewReader("{}")) //nolint:noctx // a server of this test
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode < 400 || answer.StatusCode >= 500 {
		t.Errorf("webhook without signature: status %d", answer.StatusCode)
	}
	close(slow.open)
	r.shows("/campaigns/circus/", "<h1>Circus</h1>")
}

// A draft whose public pages cannot be rendered is rejected with the line number.
func TestPublish_RejectsUnrenderablePages(t *testing.T) {
	folder := contentOf(t)
	if err := os.MkdirAll(filepath.Join(folder, "assets"), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"huge.png": bomb(7000, 4000), "torn.jpg": photo(t, 640, 480)[:900]} {
		if err := os.WriteFile(filepath.Join(folder, "assets", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := openOn(t, folder, map[string]string{"ADMIN_LOCAL_REPO_WRITES_ENABLED": "true", "DATA_DIR": t.TempDir()})
	for _, tt := range []struct{ path, value, want string }{
		{"tiers[seat].ships_to", `["ZQ"]`, "ZQ is not a country"},
		{"hero_image", `"/assets/huge.png"`, "/assets/huge.png is too large: 7000 by 4000 pixels"},
		{"creator_image", `"/assets/torn.jpg"`, "/assets/torn.jpg is damaged"},
	} {
		draft := content.Draft{File: "campaigns/film.md",
			Edits: []content.Edit{{Path: tt.path, Value: json.RawMessage(tt.value)}}}
		if strings.HasPrefix(tt.path, "tiers") {
			draft.Edits = append(draft.Edits, content.Edit{Path: "tiers[seat].category", Value: json.RawMessage(`"physical"`)})
		}
		review, err := a.Services.Content.Preview(t.Context(), draft)
		if err != nil || len(review.Problems) != 1 || review.Problems[0].Line == 0 ||
			!strings.Contains(review.Problems[0].Message, tt.want) {
			t.Errorf("%s: %+v, %v", tt.path, review, err)
		}
		if _, err := a.Services.Content.Publish(t.Context(), byAna(1), draft); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s was published: %v", tt.path, err)
		}
	}
	if _, err := a.Services.Content.Publish(t.Context(), byAna(2), goal(130, 160)); err != nil {
		t.Errorf("a good draft: %v", err)
	}
}
