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
)

// begin makes a content folder of campaigns a Git repository.
func begin(t testing.TB, folder string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=Bo", "-c", "user.email=bo@example.com", "commit", "-q", "-m", "Begin"}} {
		cmd := exec.Command("git", args...) //nolint:gosec // of this test
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

// goal is a draft that gives the film another goal.
func goal(was, now int) content.Draft {
	value := func(n int) json.RawMessage { return json.RawMessage(fmt.Sprint(n)) }
	return content.Draft{File: "campaigns/film.md", Edits: []content.Edit{{Path: "goal_amount", Was: value(was), Value: value(now)}}}
}

func byAna(n int) content.Author {
	return content.Author{Author: repository.Author{Name: "Ana", Email: "ana@example.com"}, ID: fmt.Sprint("c", n)}
}

// What is published is a commit, and on the site without anybody's doing.
//
// Proves CON-14.
func TestWhatIsPublishedIsOnTheSite(t *testing.T) {
	folder := contentOf(t)
	begin(t, folder)
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
	for n := 1; n <= 30 && !seen; n++ { // what is written before it watches is not seen
		if _, err := a.Services.Content.Publish(t.Context(), byAna(n), goal(was, 300+n)); err != nil {
			t.Fatal(err)
		}
		was, seen = 300+n, served(fmt.Sprint("$", 300+n))
	}
	if !seen {
		t.Fatal("the site has the old goal")
	}
	cmd := exec.Command("git", "status", "--porcelain") // not even the index differs
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("git says %s, %v", out, err)
	}
}

// BenchmarkPublish is a change of one field among a thousand campaigns in a Git repository.
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
	begin(b, folder)
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

// shown is a page of the site.
func shown(t testing.TB, a *App, path string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	a.site.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	return w.Body.String()
}
