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
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
)

var (
	audit = flag.Bool("lighthouse", false, "audit the site with Lighthouse")
	all   = flag.Bool("all", false, "run every story in all of its languages and sizes")
	story = flag.String("story", "", "run only the stories whose names contain this text")
	shots = flag.String("screenshots", "", "save screenshots of all pages to this folder")
)

// required is the environment variable that makes a missing browser a test failure. make unit sets
// it after installing the browser.
const required = "PLEDGEWORKS_BROWSER"

// chromium returns the path of the browser, preferably the headless shell, which uses less CPU time
// than Chromium. If Chromium or Playwright is missing, it skips the test, or fails it if a browser is
// required.
func chromium(t *testing.T) string {
	t.Helper()
	missing := "Chromium"
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
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

// content returns a folder with the example site and the additional campaigns of testdata.
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

// serve starts a demo server without seed data. It returns the server's URL and the settlement
// secret.
func serve(t *testing.T) (base, secret string) { return serveDemo(t, false, io.Discard) }

// serveDemo starts a demo server after calling the prepare functions. With seeded, it has pledges, a
// demo bar and writable content, as `pledged demo` does.
func serveDemo(t *testing.T, seeded bool, log io.Writer,
	prepare ...func(context.Context, *app.App) error) (base, secret string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	folder, dir := content(t), t.TempDir()
	if seeded {
		configureBucket(t, dir, "http://"+strings.Replace(l.Addr().String(), "127.0.0.1", "localhost", 1))
	}
	d, err := demo.Open(ctx, demo.Options{
		Dir: dir, Content: os.DirFS(folder), Folder: folder, Writable: seeded,
		// Passkeys require a host name.
		Address:       strings.Replace(l.Addr().String(), "127.0.0.1", "localhost", 1),
		Log:           slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		TrustedHeader: demo.ClientHeader, Bar: seeded,
	})
	if err != nil {
		t.Fatal(err)
	}
	if seeded {
		if err := d.Seed(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, email := range []string{"ada@example.com", "ben@example.com", "cy@example.com",
		"dee@example.com", "eve@example.com"} {
		if _, err := d.App.Services.Access.Save(ctx, "",
			access.User{Email: email, Name: "Somebody", Role: access.SuperAdmin}); err != nil {
			t.Fatal(err)
		}
	}
	for _, may := range access.Permissions {
		for _, lang := range []string{"en", "es"} {
			u := access.User{Email: string(may) + "." + lang + "@example.com", Name: "Somebody", Role: access.CampaignUser,
				Campaigns: []string{"night-ferry"}, Permissions: []access.Permission{may}, Lang: lang}
			if _, err := d.App.Services.Access.Save(ctx, "", u); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range prepare {
		if err := f(ctx, d.App); err != nil {
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

// configureBucket starts a fake S3 bucket for videos that accepts uploads from an origin, and writes
// it to the demo's settings. At the end of the test it checks that location metadata was removed
// from all published files.
func configureBucket(t *testing.T, dir, origin string) {
	t.Helper()
	bucket := s3test.New(t, time.Now)
	bucket.Allow(origin)
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(values, map[string]string{
		"MEDIA_STORE_URL": bucket.URL, "MEDIA_STORE_KEY_ID": s3test.KeyID, "MEDIA_STORE_SECRET": s3test.Secret,
		"MEDIA_PUBLIC_URL": bucket.URL,
	})
	text, err := config.FormatEnv(values)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "demo.env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for key, o := range bucket.Objects() {
			if strings.Contains(string(o.Bytes), "+48.20") != strings.HasPrefix(key, media.Incoming) {
				t.Errorf("%s: unexpected content %q", key, o.Bytes)
			}
		}
	})
}

// TestStories runs the stories of the public site. Their files name the requirements that they
// prove.
func TestStories(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a browser")
	}
	t.Parallel()
	chromium(t)
	base, secret := serve(t)
	if n := runStories(t, ".story.mjs", base, secret); n < 20 && *story == "" {
		t.Errorf("only %d stories ran", n)
	}
}

// TestNight runs the dashboard's stories against the seeded demo: analytics, editing, reviewers,
// users and settlement. Their files name the requirements that they prove.
func TestNight(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a browser")
	}
	t.Parallel()
	chromium(t)
	var log logBuffer
	base, secret := serveDemo(t, true, &log)
	if n := runStories(t, ".night.mjs", base, secret); n < 18 && *story == "" {
		t.Errorf("only %d stories ran", n)
	}
	if line := log.find("msg=request"); line == "" {
		t.Error("no requests in the log")
	}
	if line := log.find(`@|%40|(?i)\bmaya\b|shore road|sign-in=|[?&](t|token)=|csrf`); line != "" {
		t.Errorf("personal data in the log: %s", line)
	}
}

// logBuffer collects log output. It is safe for concurrent use.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// requestID matches the request IDs in the log. find ignores them: they are random, so they could
// match a pattern by chance.
var requestID = regexp.MustCompile(`\brequest=[A-Z2-7]{26}\b`)

// find returns the first line of the log that matches a pattern, or "".
func (l *logBuffer) find(pattern string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return regexp.MustCompile(`(?m)^.*(?:` + pattern + `).*$`).
		FindString(requestID.ReplaceAllString(l.text.String(), "request=…"))
}

// runStories runs the stories of all files with a suffix as subtests, and returns their number.
func runStories(t *testing.T, suffix, base, secret string) (n int) {
	t.Helper()
	return runMatchingStories(t, suffix, *story, base, secret)
}

// runMatchingStories runs the stories of all files with a suffix whose names contain a text as
// subtests, and returns their number.
func runMatchingStories(t *testing.T, suffix, text, base, secret string, env ...string) (n int) {
	t.Helper()
	path := chromium(t)
	cmd := exec.CommandContext(t.Context(), "node", "run.mjs", suffix, text)
	cmd.Dir = "stories"
	cmd.Env = append(append(os.Environ(), "BASE="+base, "CHROMIUM="+path, "SECRET="+secret), env...)
	if *all {
		cmd.Env = append(cmd.Env, "ALL=1")
	}
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
			Story, Error, Note string
			OK                 bool
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Errorf("%s: %v", lines.Text(), err)
			continue
		}
		n++
		t.Run(line.Story, func(t *testing.T) {
			if !line.OK {
				t.Error(line.Error)
			}
			if line.Note != "" {
				t.Log(line.Note)
			}
		})
	}
	if err := cmd.Wait(); err != nil && !t.Failed() {
		t.Error(err)
	}
	return n
}

// runScript runs a node script against a new demo server and logs its output.
func runScript(t *testing.T, dir, script string, env ...string) {
	t.Helper()
	base, secret := serve(t)
	runScriptAt(t, dir, script, base, secret, env...)
}

// runScriptAt runs a node script against a running demo server and logs its output.
func runScriptAt(t *testing.T, dir, script, base, secret string, env ...string) {
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

// TestTheDemo walks through the demo as `pledged demo` shows it.
func TestTheDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a browser")
	}
	t.Parallel()
	chromium(t)
	base, secret := serveDemo(t, true, io.Discard)
	runScriptAt(t, "stories", "demo.mjs", base, secret)
}

// Every email fits a 320-pixel screen and has sufficient contrast in light and dark mode.
func TestMails(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a browser")
	}
	t.Parallel()
	path, dir := chromium(t), t.TempDir()
	platform := mailtext.Platform{Name: "Small Hours", Company: "Small Hours Ltd.",
		Address: "1 Shore Road, Taos, NM 87571"}
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

// TestLighthouse prints Lighthouse scores. They depend on timing, so it does not fail on low scores.
func TestLighthouse(t *testing.T) {
	if !*audit {
		t.Skip("run with make lighthouse")
	}
	runScript(t, "lighthouse", "audit.mjs")
	base, secret := serveDemo(t, true, io.Discard)
	runScriptAt(t, "lighthouse", "audit.mjs", base, secret, "DASHBOARD=1")
}

func TestScreenshots(t *testing.T) {
	if *shots == "" {
		t.Skip("run with make screenshots")
	}
	runScript(t, "stories", "screenshots.mjs", "SHOTS="+*shots)
}

func TestScreenshots_Dashboard(t *testing.T) {
	if *shots == "" {
		t.Skip("run with make screenshots")
	}
	base, secret := serveDemo(t, true, io.Discard)
	runScriptAt(t, "stories", "dashboard-screenshots.mjs", base, secret, "SHOTS="+*shots)
}
