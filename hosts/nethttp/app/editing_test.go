package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// initRepository turns a content directory into a Git repository.
func initRepository(t testing.TB, folder string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=Bo", "-c", "user.email=bo@example.com", "commit", "-q", "-m", "Begin"}} {
		cmd := exec.Command("git", args...) //nolint:gosec // of this test
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// goal returns a draft that changes the film's goal.
func goal(was, now int) content.Draft {
	value := func(n int) json.RawMessage { return json.RawMessage(fmt.Sprint(n)) }
	return content.Draft{File: "campaigns/film.md",
		Edits: []content.Edit{{Path: "goal_amount", Was: value(was), Value: value(now)}}}
}

func byAna(n int) content.Author {
	return content.Author{Author: repository.Author{Name: "Ana", Email: "ana@example.com"}, ID: fmt.Sprint("c", n)}
}

// A published change is a commit and appears on the site automatically.
//
// Proves CON-14.
func TestPublish_UpdatesSite(t *testing.T) {
	folder := contentOf(t)
	initRepository(t, folder)
	a, _ := openOn(t, folder, map[string]string{"CONTENT_REPOSITORY": "git", "DATA_DIR": t.TempDir()})
	ctx, stop := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() { defer close(watched); a.watch(ctx) }()
	defer func() { stop(); <-watched }()
	served := func(amount string) bool {
		for range 100 {
			if strings.Contains(shown(t, a, "/campaigns/film/"), amount) {
				return true
			}
			time.Sleep(10 * time.Millisecond)
		}
		return false
	}
	was, seen := 130, false
	for n := 1; n <= 30 && !seen; n++ { // changes before watching starts are not seen
		if _, err := a.Services.Content.Publish(t.Context(), byAna(n), goal(was, 300+n)); err != nil {
			t.Fatal(err)
		}
		was, seen = 300+n, served(fmt.Sprint("$", 300+n))
	}
	if !seen {
		t.Fatal("the site still has the old goal")
	}
	cmd := exec.Command("git", "status", "--porcelain") // the index must be unchanged, too
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("git status = %s, %v", out, err)
	}
}

// Settings with which the site cannot be built are not published.
//
// Proves STG-15, STG-16, STG-17, STG-18.
func TestPublish_InvalidSettings(t *testing.T) {
	a, _ := openOn(t, contentOf(t), map[string]string{"CONTENT_REPOSITORY": "folder", "DATA_DIR": t.TempDir()})
	publish := func(path, value string) error {
		_, err := a.Services.Content.Publish(t.Context(), byAna(len(path+value)),
			content.Draft{File: content.SettingsFile, Edits: []content.Edit{{Path: path, Value: json.RawMessage(value)}}})
		return err
	}
	wrong := map[string][]string{
		"design.font_body":    {`"Arial; x"`, `"url(https://evil.example/f)"`, `"a{b}"`},
		"design.font_display": {`"Arial; x"`, `"url(https://evil.example/f)"`, `"a{b}"`},
		"design.radius_lg":    {`"12"`, `"calc(1px)"`, `"-1px"`, `"1vw"`, `"1px;x:y"`, `"1px 2px"`},
		"design.shadow":       {`"none"`},
		"platform.nonsense":   {`1`},
		"platform.timezone":   {`"Mars/Base"`},
	}
	for _, color := range []string{"text", "text_muted", "surface_subtle", "border", "primary", "highlight"} {
		wrong["design.color_"+color] = []string{`"red"`, `"#12345"`, `"#123456;x:y"`, `"url(x)"`}
	}
	for path, values := range wrong {
		for _, value := range values {
			if err := publish(path, value); !fault.Is(err, fault.Invalid) || fault.Of(err).Field != path {
				t.Errorf("%s %s: %v", path, value, err)
			}
		}
	}
	for path, value := range map[string]string{"design.color_primary": `"#b5472f"`,
		"design.font_body": `"Georgia, serif"`, "design.font_display": `"Georgia, serif"`,
		"design.radius_lg": `"0.75rem"`, "platform.timezone": `"Pacific/Auckland"`} {
		if err := publish(path, value); err != nil {
			t.Errorf("%s %s: %v", path, value, err)
		}
	}
	if err := a.Reload(t.Context()); err != nil || len(a.problems()) > 0 {
		t.Errorf("the site was not built with the valid settings: %v, %v", err, a.problems())
	}
}

// Proves ARC-13.
func TestArchive_Folder(t *testing.T) {
	folder := contentOf(t)
	a, _ := openOn(t, folder, map[string]string{"ADMIN_LOCAL_REPO_WRITES_ENABLED": "true", "DATA_DIR": t.TempDir()})
	if _, err := a.Services.Content.Publish(t.Context(), byAna(1),
		content.Draft{File: "campaigns/film.md", Edits: []content.Edit{{Path: "published",
			Was: json.RawMessage("true"), Value: json.RawMessage("false")}}}); err != nil {
		t.Fatal(err)
	}
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Services.Content.Archive(t.Context(), byAna(2), "film"); err != nil {
		t.Fatal(err)
	}
	for path, there := range map[string]bool{"campaigns/film.md": false, "archive/campaigns/film/film.md": true,
		"archive/campaigns/film/archive-manifest.json": true} {
		if _, err := os.Stat(filepath.Join(folder, path)); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := a.Reload(t.Context()); err != nil {
		t.Errorf("content not loaded: %v", err)
	}
	if a, _ := openOn(t, contentOf(t), map[string]string{"DATA_DIR": t.TempDir()}); a.Services.Repository != nil {
		t.Error("files were written although editing is disabled")
	}
}

// BenchmarkPublish measures changing one field among a thousand campaigns in a Git repository.
func BenchmarkPublish(b *testing.B) {
	folder := b.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "campaigns"), 0o755); err != nil { //nolint:gosec // of this test
		b.Fatal(err)
	}
	for i := range 1000 {
		name := "film"
		if i > 0 {
			name = fmt.Sprint("film-", i)
		}
		text := strings.Replace(strings.Replace(film, "title: Film", "title: "+name, 1), "slug: film", "slug: "+name, 1)
		if err := os.WriteFile(filepath.Join(folder, "campaigns", name+".md"), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	initRepository(b, folder)
	a, _ := openOn(b, folder, map[string]string{"CONTENT_REPOSITORY": "git", "DATA_DIR": b.TempDir()})
	was := 130
	n := 0
	for b.Loop() {
		n++
		if _, err := a.Services.Content.Publish(b.Context(), byAna(n), goal(was, 1000+n)); err != nil {
			b.Fatal(err)
		}
		was = 1000 + n
	}
}

// shown returns a page of the site.
func shown(t testing.TB, a *App, path string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	a.site.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	return w.Body.String()
}
