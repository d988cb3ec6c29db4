package browser_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/media/s3/s3test"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/demo"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/preview"
	"github.com/pledgeworks/pledgeworks/notify"
)

var (
	judge = flag.Bool("lighthouse", false, "have Lighthouse judge the site")
	story = flag.String("story", "", "tell only the stories whose names contain this, instead of all")
	shots = flag.String("screenshots", "", "take a picture of every page into this folder")
)

// required says that a browser that is missing is a failure: make unit, which
// installs it, sets it.
const required = "PLEDGEWORKS_BROWSER"

// chromium finds the browser and what drives it.
func chromium(t *testing.T) string {
	t.Helper()
	missing := "Chromium"
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join("stories", "node_modules", "playwright-core")); err == nil {
			return path
		}
		missing = "Playwright"
	}
	if os.Getenv(required) != "" {
		t.Fatalf("%s is missing: run make browser", missing)
	}
	t.Skipf("%s is missing: make browser installs it", missing)
	return ""
}

// content is that of the example, with the campaigns of testdata beside its own.
func content(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, from := range []string{"../../examples/site", "testdata"} {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serve starts a demo of its own and returns its address.
func serve(t *testing.T) (base, secret string) { return serveDemo(t, false, io.Discard) }

// serveDemo serves a demo once it was prepared; as `pledged demo` shows it there are pledges
// and a bar.
func serveDemo(t *testing.T, shown bool, log io.Writer, before ...func(context.Context, *app.App) error) (base, secret string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	folder, dir := content(t), t.TempDir()
	if shown {
		bucket(t, dir, "http://"+strings.Replace(l.Addr().String(), "127.0.0.1", "localhost", 1))
	}
	d, err := demo.Open(ctx, demo.Options{
		Dir: dir, Content: os.DirFS(folder), Folder: folder, Writable: shown, Address: strings.Replace(l.Addr().String(), "127.0.0.1", "localhost", 1), // passkeys take a name
		Log:           slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		TrustedHeader: demo.ClientHeader, Bar: shown,
	})
	if err != nil {
		t.Fatal(err)
	}
	if shown {
		if err := d.Seed(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, email := range []string{"ada@example.com", "ben@example.com", "cy@example.com", "dee@example.com", "eve@example.com"} {
		if _, err := d.App.Services.Access.Save(ctx, "", access.User{Email: email, Name: "Somebody", Role: access.SuperAdmin}); err != nil {
			t.Fatal(err)
		}
	}
	for _, may := range access.Permissions {
		for _, lang := range []string{"en", "es"} {
			u := access.User{Email: string(may) + "." + lang + "@example.com", Name: "Somebody", Role: access.CampaignUser, Campaigns: []string{"night-ferry"}, Permissions: []access.Permission{may}, Lang: lang}
			if _, err := d.App.Services.Access.Save(ctx, "", u); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, prepare := range before {
		if err := prepare(ctx, d.App); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := d.App.Close(); err != nil {
			t.Error(err)
		}
	})
	return d.Base, d.App.Config.Secrets.AdminSettlement.Reveal()
}

// bucket is one for films that pages of an origin may send files to, among a demo's settings.
func bucket(t *testing.T, dir, origin string) {
	t.Helper()
	peer := s3test.New(t, time.Now)
	peer.Allow(origin)
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(values, map[string]string{
		"MEDIA_STORE_URL": peer.URL, "MEDIA_STORE_KEY_ID": s3test.KeyID, "MEDIA_STORE_SECRET": s3test.Secret, "MEDIA_PUBLIC_URL": peer.URL,
	})
	text, err := config.FormatEnv(values)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "demo.env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for key, o := range peer.Objects() {
			if strings.Contains(string(o.Bytes), "+48.20") != strings.HasPrefix(key, media.Incoming) {
				t.Errorf("%s has %q", key, o.Bytes)
			}
		}
	})
}

// Every story of stories/ holds. The stories name what they prove in their own files.
func TestStories(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	chromium(t)
	base, secret := serve(t)
	if told := tell(t, ".story.mjs", base, secret); told < 20 && *story == "" {
		t.Errorf("only %d stories were told", told)
	}
}

// An operator sees what the demo's campaigns come to, changes one, shows it to reviewers,
// lets somebody else in, and settles one of them at night. The stories name what they prove in
// their own files.
func TestNight(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	chromium(t)
	var log lines
	base, secret := serveDemo(t, true, &log)
	if told := tell(t, ".night.mjs", base, secret); told < 18 && *story == "" {
		t.Errorf("only %d stories were told", told)
	}
	if line := log.find("msg=request"); line == "" {
		t.Error("the log has no requests")
	}
	if line := log.find(`@|%40|(?i)\bmaya\b|shore road|sign-in=|[?&](t|token)=|csrf`); line != "" {
		t.Errorf("the log tells of somebody: %s", line)
	}
}

// lines are those of a log, which many write at once.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// requestID is chance, in which any word may be.
var requestID = regexp.MustCompile(`\brequest=[A-Z2-7]{26}\b`)

// find returns the first line in which a pattern is, "" for none.
func (l *lines) find(pattern string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return regexp.MustCompile(`(?m)^.*(?:` + pattern + `).*$`).FindString(requestID.ReplaceAllString(l.text.String(), "request=…"))
}

// tell tells the stories of the files whose names end so, and counts them.
func tell(t *testing.T, files, base, secret string) (told int) {
	t.Helper()
	path := chromium(t)
	cmd := exec.CommandContext(t.Context(), "node", "tell.mjs", files, *story)
	cmd.Dir = "stories"
	cmd.Env = append(os.Environ(), "BASE="+base, "CHROMIUM="+path, "SECRET="+secret)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var line struct {
			Story, Error string
			OK           bool
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Errorf("%s: %v", lines.Text(), err)
			continue
		}
		told++
		t.Run(line.Story, func(t *testing.T) {
			if !line.OK {
				t.Error(line.Error)
			}
		})
	}
	if err := cmd.Wait(); err != nil && !t.Failed() {
		t.Error(err)
	}
	return told
}

// run has node do something with a demo, and shows what it prints.
func run(t *testing.T, dir, script string, env ...string) {
	t.Helper()
	base, secret := serve(t)
	play(t, dir, script, base, secret, env...)
}

func play(t *testing.T, dir, script, base, secret string, env ...string) {
	t.Helper()
	path := chromium(t)
	cmd := exec.CommandContext(t.Context(), "node", script)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "BASE="+base, "CHROMIUM="+path, "SECRET="+secret), env...)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
}

// A newcomer walks through what `pledged demo` shows.
func TestTheDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	chromium(t)
	base, secret := serveDemo(t, true, io.Discard)
	play(t, "stories", "demo.mjs", base, secret)
}

// Every mail fits a screen of 320 pixels, and is easy enough to read in the light and in
// the dark.
func TestMails(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	path, dir := chromium(t), t.TempDir()
	platform := notify.Platform{Name: "Small Hours", Company: "Small Hours Ltd.", Address: "1 Shore Road, Taos, NM 87571"}
	if _, err := preview.Write(dir, "https://example.org", platform); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "mails.mjs")
	cmd.Dir = "stories"
	cmd.Env = append(os.Environ(), "MAILS="+dir, "CHROMIUM="+path)
	if *shots != "" {
		cmd.Env = append(cmd.Env, "SHOTS="+*shots)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// make lighthouse runs it. Its figures are timings, so they decide nothing.
func TestLighthouse(t *testing.T) {
	if !*judge {
		t.Skip("make lighthouse runs it")
	}
	run(t, "lighthouse", "judge.mjs")
	base, secret := serveDemo(t, true, io.Discard)
	play(t, "lighthouse", "judge.mjs", base, secret, "DASHBOARD=1")
}

// make screenshots runs it.
func TestScreenshots(t *testing.T) {
	if *shots == "" {
		t.Skip("make screenshots runs it")
	}
	run(t, "stories", "shots.mjs", "SHOTS="+*shots)
}

// make screenshots runs it.
func TestScreenshotsOfTheDashboard(t *testing.T) {
	if *shots == "" {
		t.Skip("make screenshots runs it")
	}
	base, secret := serveDemo(t, true, io.Discard)
	play(t, "stories", "desk.shots.mjs", base, secret, "SHOTS="+*shots)
}
