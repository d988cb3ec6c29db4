package app

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/health"
	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/media/s3/s3test"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// openOn opens a service on a content directory with one campaign.
func openOn(t testing.TB, content string, settings map[string]string) (*App, *log) {
	t.Helper()
	all := map[string]string{"DATA_DIR": filepath.Join(content, "data")}
	maps.Copy(all, settings)
	cfg, err := config.Demo(rand.Reader, os.DirFS(content), all)
	if err != nil {
		t.Fatal(err)
	}
	logged := &log{}
	load := func(site fs.FS) error {
		_, err := config.Demo(rand.Reader, site, all)
		return err
	}
	a, err := Open(t.Context(), Options{Config: cfg, Content: os.DirFS(content), Folder: content,
		Load: load, Now: fixed, Log: slog.New(slog.NewTextHandler(logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a, logged
}

func contentOf(t *testing.T) string {
	t.Helper()
	content := t.TempDir()
	if err := os.Mkdir(filepath.Join(content, "campaigns"), 0o755); err != nil { //nolint:gosec // of this test
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "campaigns", "film.md"), []byte(film), 0o600); err != nil {
		t.Fatal(err)
	}
	return content
}

func raise(was, now string) repository.Change {
	return repository.Change{
		ID: "raise" + now, Author: repository.Author{Name: "Ana", Email: "ana@example.com"},
		At: noon, Message: "Raise the goal",
		Writes: []repository.Write{{
			Path: "campaigns/film.md", Was: repository.SHA([]byte(strings.Replace(film, "130", was, 1))),
			Bytes: []byte(strings.Replace(film, "130", now, 1)),
		}},
	}
}

func goalOf(t *testing.T, a *App) string {
	t.Helper()
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := a.Catalogue().Campaign("film")
	if err != nil {
		t.Fatal(err)
	}
	return c.Goal.String()
}

// A change is committed to the repository and appears in the served directory.
func TestChanges_Location(t *testing.T) {
	for name, settings := range map[string]map[string]string{
		"git":                       {"CONTENT_REPOSITORY": "git"},
		"a folder":                  {"CONTENT_REPOSITORY": "folder"},
		"a folder for a local test": {"ADMIN_LOCAL_REPO_WRITES_ENABLED": "true"},
	} {
		t.Run(name, func(t *testing.T) {
			content := contentOf(t)
			if name == "git" {
				initRepository(t, content)
			}
			a, _ := openOn(t, content, settings)
			if _, err := a.Services.Repository.Commit(t.Context(), raise("130", "310")); err != nil {
				t.Fatal(err)
			}
			if got := goalOf(t, a); got != "$310.00" {
				t.Errorf("goal = %s", got)
			}
			files, err := a.Services.Repository.Files(t.Context(), "", "")
			if err != nil || len(files) != 1 {
				t.Errorf("content = %+v, %v", files, err)
			}
		})
	}
	if a, _ := openOn(t, contentOf(t), nil); a.Services.Repository != nil {
		t.Error("a repository was opened without the setting")
	}
}

func TestContent_InvalidRepository(t *testing.T) {
	content := contentOf(t)
	cfg, err := config.Demo(rand.Reader, os.DirFS(content),
		map[string]string{"DATA_DIR": filepath.Join(content, "data"), "CONTENT_REPOSITORY": "git"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(),
		Options{Config: cfg, Content: os.DirFS(content), Folder: content, Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "CONTENT_REPOSITORY") {
		t.Errorf("error = %v", err)
	}
}

// The directory becomes a copy of the repository: broken campaigns are not copied, deleted files
// are removed, and unrelated files stay. A change by the service, such as a new campaign, is copied
// at once.
//
// Proves CON-30.
func TestContent_RemoteRepository(t *testing.T) {
	content := contentOf(t)
	a, logged := openOn(t, content, nil)
	kept := memory.New(map[string][]byte{"campaigns/film.md": []byte(film), "notes/x.md": []byte("x"),
		"assets/a.bin": []byte("\x00")})
	a.copy = &remoteCopy{Repository: kept, app: a, wake: make(chan struct{}, 1)}
	pull := func() {
		t.Helper()
		if err := a.copy.pull(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(content, name))
		return err == nil
	}
	pull()
	if !has("notes/x.md") || !has("assets/a.bin") || !has("data") {
		t.Error("a file was not copied, or an unrelated file was removed")
	}
	made, err := a.copy.Commit(t.Context(), raise("130", "310"))
	if err != nil || len(a.copy.wake) != 1 {
		t.Fatalf("a commit was not copied: %v", err)
	}
	pull()
	if got := goalOf(t, a); got != "$310.00" {
		t.Errorf("goal = %s", got)
	}
	if b, err := os.ReadFile(filepath.Join(content, "data", revisionFile)); err != nil || string(b) != made.Revision {
		t.Errorf("revision = %q, %v", b, err)
	}

	wrong := raise("310", "less")
	wrong.Writes = append(wrong.Writes,
		repository.Write{Path: "notes/x.md", Was: repository.SHA([]byte("x")), Remove: true})
	if _, err := kept.Commit(t.Context(), wrong); err != nil {
		t.Fatal(err)
	}
	pull()
	if got := goalOf(t, a); got != "$310.00" || has("notes/x.md") || !logged.has("campaigns/film.md:7: goal_amount") ||
		len(a.problems()) != 1 {
		t.Errorf("goal = %s", got)
	}
	looked := func() string {
		var m health.Deps
		a.Services.Repository = kept
		a.healthDeps(&m)
		refused, err := m.Repository(t.Context())
		if err != nil {
			t.Error(err)
		}
		return refused
	}
	if head, err := kept.Head(t.Context()); err != nil || looked() != head {
		t.Errorf("health does not report the revision: %v", err)
	}
	if _, err := kept.Commit(t.Context(), raise("less", "320")); err != nil {
		t.Fatal(err)
	}
	pull()
	if got := goalOf(t, a); got != "$320.00" || looked() != "" || has("notes") || !has("data") || len(a.problems()) != 0 {
		t.Errorf("goal = %s, notes exist: %t", got, has("notes"))
	}
}

// A malicious Git host cannot make the service write outside of the directory.
func TestContent_PathOutside(t *testing.T) {
	for _, path := range []string{"../evil.md", "campaigns/../../evil.md", "/evil.md", ".git/hooks/evil.md"} {
		content := contentOf(t)
		a, logged := openOn(t, content, map[string]string{"DATA_DIR": filepath.Join(content, "data")})
		kept := memory.New(map[string][]byte{"campaigns/film.md": []byte(strings.Replace(film, "130", "310", 1)),
			path: []byte("evil")})
		a.copy = &remoteCopy{Repository: kept, app: a, wake: make(chan struct{}, 1)}
		if err := a.copy.pull(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := goalOf(t, a); got != "$130.00" || !logged.has("has problems") {
			t.Errorf("%s: goal = %s", path, got)
		}
		err := filepath.WalkDir(filepath.Dir(content), func(p string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(p, "evil.md") {
				t.Errorf("%s was written to %s", path, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestPush_Signature(t *testing.T) {
	const secret = "0123456789abcdef0123456789abcdef"
	a, _ := openOn(t, contentOf(t),
		map[string]string{"CONTENT_WEBHOOK_SECRET": secret, "CONTENT_REPOSITORY": "github:o/n", "CONTENT_TOKEN": "token"})
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(`{"ref":"refs/heads/main"}`))
	signed := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	for _, test := range []struct {
		signature, body string
		want, scheduled int
	}{
		{"", `{"ref":"refs/heads/main"}`, 401, 0},
		{signed, `{"ref":"refs/heads/other"}`, 401, 0},
		{signed, `{"ref":"refs/heads/main"}`, 202, 1},
		{signed, `{"ref":"refs/heads/main"}`, 202, 1},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/webhooks/content", strings.NewReader(test.body))
		r.Header.Set(repository.PushHeader, test.signature)
		a.Handler().ServeHTTP(w, r)
		if w.Code != test.want || len(a.copy.wake) != test.scheduled {
			t.Errorf("signature %q: status %d, %d copies scheduled", test.signature, w.Code, len(a.copy.wake))
		}
	}
	a, _ = openOn(t, contentOf(t), map[string]string{"CONTENT_WEBHOOK_SECRET": secret})
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, httptest.NewRequest("POST", "/webhooks/content", nil))
	if w.Code != 404 {
		t.Errorf("without a repository: status %d", w.Code)
	}
}

// The configured bucket is used for uploads and health checks, with the system clock.
func TestFilmBucket_FromSettings(t *testing.T) {
	bucket := s3test.New(t, time.Now)
	a, _ := openOn(t, contentOf(t), map[string]string{
		"MEDIA_STORE_URL": bucket.URL, "MEDIA_STORE_KEY_ID": s3test.KeyID, "MEDIA_STORE_SECRET": s3test.Secret,
		"MEDIA_PUBLIC_URL": "https://films.example",
	})
	checkFilms := func() string {
		t.Helper()
		r, err := a.API.CheckHealth(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Findings, func(f health.Finding) bool { return strings.HasPrefix(f.ID, "films") })
		if i < 0 {
			t.Fatalf("the bucket was not checked: %+v", r.Findings)
		}
		return r.Findings[i].ID
	}
	if got := checkFilms(); got != "films.refused" {
		t.Errorf("finding if no origin may upload = %s", got)
	}
	bucket.Allow(string(a.Config.Site.Base))
	if got := checkFilms(); got != "films" {
		t.Errorf("finding if the site may upload = %s", got)
	}
	if !a.Services.Media.Direct(media.Video) || a.Services.Media.Direct(media.Image) {
		t.Error("videos must be uploaded to the bucket, pictures must not")
	}
	if a, _ := openOn(t, contentOf(t), nil); a.Services.Media.Direct(media.Video) {
		t.Error("direct uploads are enabled without a bucket")
	}
}
