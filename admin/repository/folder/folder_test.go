package folder_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/folder"
	"github.com/pledgeworks/pledgeworks/admin/repository/repositorytest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var edits = flag.Int("edits", 200, "edits of eight writers")

func fixed() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil { //nolint:gosec // for this test
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil { //nolint:gosec // for this test
		t.Fatal(err)
	}
}

// content returns a folder that contains its data folder.
func content(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "data/database", "not content")
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func reopen(t testing.TB, dir string) *folder.Repository {
	t.Helper()
	r, err := folder.Open(dir, filepath.Join(dir, "data", "past"), fixed, filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// onDisk returns the files of a folder without its data.
func onDisk(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, "data/") {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, path)) //nolint:gosec // for this test
		files[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestConformance(t *testing.T) {
	var dir string
	repositorytest.Run(t, repositorytest.Harness{
		Edits: *edits,
		Open: func(t testing.TB, files map[string]string) repository.Repository {
			dir = content(t, files)
			return reopen(t, dir)
		},
		Reopen: func(t testing.TB) repository.Repository { return reopen(t, dir) },
		Verify: func(t testing.TB) { // the folder must match its newest revision
			r := reopen(t, dir)
			all, err := r.Files(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			want, got := map[string]string{}, map[string]string{}
			for _, e := range all {
				want[e.Path] = e.SHA
			}
			for path, text := range onDisk(t, dir) {
				got[path] = repository.SHA([]byte(text))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the folder (-repository +disk):\n%s", diff)
			}
			if log, err := r.Log(t.Context(), "", 2000); err != nil || len(log) == 0 ||
				log[len(log)-1].Message != "Edited in the folder" || log[0].Message == "Edited in the folder" && len(log) > 1 {
				t.Errorf("unexpected manual edit: %+v, %v", log[0], err)
			}
		},
	})
}

func change(id string, writes ...repository.Write) repository.Change {
	return repository.Change{ID: id, Author: repository.Author{Name: "Ana", Email: "ana@example.com"},
		At: fixed(), Message: "Change " + id, Writes: writes}
}

func sha(text string) string { return repository.SHA([]byte(text)) }

func TestManualEdits_AreCommitted(t *testing.T) {
	dir := content(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	r := reopen(t, dir)
	put(t, dir, "a.md", "by hand\n")
	put(t, dir, "new.md", "by hand\n")
	put(t, dir, ".editor/swap", "hidden\n")
	if err := os.Remove(filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Commit(t.Context(), change("c1",
		repository.Write{Path: "a.md", Was: sha("a\n"), Bytes: []byte("ours\n")})); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	log, err := r.Log(t.Context(), "", 9)
	if err != nil || len(log) != 2 {
		t.Fatalf("%+v, %v", log, err)
	}
	all, err := r.Files(t.Context(), "", "")
	want := []repository.Entry{{Path: "a.md", SHA: sha("by hand\n"), Size: 8},
		{Path: "new.md", SHA: sha("by hand\n"), Size: 8}}
	if diff := cmp.Diff(want, all); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	before, err := r.File(t.Context(), log[0].Parent, "b.md")
	if err != nil || string(before.Bytes) != "b\n" {
		t.Errorf("the removed file: %+v, %v", before, err)
	}
	for _, path := range []string{".editor/swap", ".editor/new", "data/database", "a/.x"} {
		if _, err := r.Commit(t.Context(),
			change("h"+path, repository.Write{Path: path, Bytes: []byte("x")})); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s was written: %v", path, err)
		}
	}
}

// A truncated log entry was never acknowledged.
func TestOpen_TruncatedLog(t *testing.T) {
	dir := content(t, map[string]string{"a.md": "a\n"})
	head, err := reopen(t, dir).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "data", "past", "log.jsonl"), os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"revision":"ab`); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	r := reopen(t, dir)
	if got, err := r.Head(t.Context()); err != nil || got != head {
		t.Errorf("the head is %s, %v, want %s", got, err, head)
	}
	if _, err := r.Commit(t.Context(),
		change("c1", repository.Write{Path: "a.md", Was: sha("a\n"), Bytes: []byte("b\n")})); err != nil {
		t.Error(err)
	}
	if log, err := reopen(t, dir).Log(t.Context(), "", 9); err != nil || len(log) != 2 {
		t.Errorf("%+v, %v", log, err)
	}
}

// A pending record without a log entry has no effect.
func TestOpen_PendingWithoutLogEntry(t *testing.T) {
	dir := content(t, map[string]string{"a.md": "a\n"})
	r := reopen(t, dir)
	if _, err := r.Commit(t.Context(),
		change("c1", repository.Write{Path: "a.md", Was: sha("a\n"), Bytes: []byte("b\n")})); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "a.md", "a\n") // the original content, by hand
	put(t, dir, "data/past/pending", "0000000000000000000000000000000000000000")
	reopen(t, dir)
	if got := onDisk(t, dir)["a.md"]; got != "a\n" {
		t.Errorf("the file is %q", got)
	}
}
