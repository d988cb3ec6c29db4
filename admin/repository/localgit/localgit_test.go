package localgit_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/localgit"
	"github.com/pledgeworks/pledgeworks/admin/repository/repositorytest"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// edits is the total number of edits by eight writers; the acceptance criterion requires 1,000.
var edits = flag.Int("edits", 16, "edits of eight writers")

// runGit runs Git with the settings of a user.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Bo", "-c", "user.email=bo@example.com",
		"-c", "commit.gpgsign=false"}, args...)...) //nolint:gosec // of this test
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil { //nolint:gosec // in this test
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil { //nolint:gosec // in this test
		t.Fatal(err)
	}
}

// checkout returns a repository with a checked-out content folder.
func checkout(t testing.TB, files map[string]string) (top, content string) {
	t.Helper()
	top = t.TempDir()
	content = filepath.Join(top, "site", "content")
	runGit(t, top, "init", "-q", "-b", "main")
	put(t, top, "README", "of the repository\n")
	for name, text := range files {
		put(t, content, name, text)
	}
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "Begin")
	return top, content
}

func reopen(t testing.TB, folder string) *localgit.Repository {
	t.Helper()
	r, err := localgit.Open(t.Context(), folder, "main")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func checkIntegrity(t testing.TB, dir string) {
	t.Helper()
	if output := runGit(t, dir, "fsck", "--strict", "--full", "--no-dangling"); strings.Contains(output, "error") ||
		strings.Contains(output, "warning") {
		t.Errorf("git fsck: %s", output)
	}
	runGit(t, dir, "log", "--format=%H")
}

// wantClean verifies that git status reports no changed or untracked files in the folder.
func wantClean(t testing.TB, top string) {
	t.Helper()
	if output := runGit(t, top, "status", "--porcelain", "--untracked-files=all"); output != "" {
		t.Errorf("git status: %s", output)
	}
}

func TestConformance_BareRepository(t *testing.T) {
	var bare string
	var push func(id, path string) (bool, error)
	repositorytest.Run(t, repositorytest.Harness{
		Edits: *edits,
		Open: func(t testing.TB, files map[string]string) repository.Repository {
			top := t.TempDir()
			runGit(t, top, "init", "-q", "-b", "main")
			for name, text := range files {
				put(t, top, name, text)
			}
			runGit(t, top, "add", "-A")
			runGit(t, top, "commit", "-q", "-m", "Begin")
			bare = filepath.Join(t.TempDir(), "bare.git")
			runGit(t, top, "clone", "-q", "--bare", ".", bare)
			push = repositorytest.Pushing(t, bare, "")
			return reopen(t, bare)
		},
		Reopen:      func(t testing.TB) repository.Repository { return reopen(t, bare) },
		EditOutside: func(id, path string) (bool, error) { return push(id, path) },
		Verify:      func(t testing.TB) { checkIntegrity(t, bare) },
	})
}

func TestConformance_CheckedOutFolder(t *testing.T) {
	var top, content string
	repositorytest.Run(t, repositorytest.Harness{
		Edits: *edits,
		Open: func(t testing.TB, files map[string]string) repository.Repository {
			top, content = checkout(t, files)
			return reopen(t, content)
		},
		Reopen: func(t testing.TB) repository.Repository { return reopen(t, content) },
		Verify: func(t testing.TB) { checkIntegrity(t, top); wantClean(t, top) },
	})
}

func edit(id, path, was, text string) repository.Change {
	c := repository.Change{
		ID: id, Author: repository.Author{Name: "Ana", Email: "ana@example.com"}, Message: "Change " + id,
		At:     time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Writes: []repository.Write{{Path: path, Bytes: []byte(text)}},
	}
	if was != "" {
		c.Writes[0].Was = repository.SHA([]byte(was))
	}
	return c
}

// Uncommitted edits in the folder are neither lost nor committed, and other files can still
// be changed.
func TestCommit_KeepsUncommittedEdits(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, top, content string){
		"edited": func(t *testing.T, _, content string) { put(t, content, "a.md", "mine\n") },
		"prepared": func(t *testing.T, top, content string) {
			put(t, content, "a.md", "mine\n")
			runGit(t, top, "add", "-A")
		},
		"prepared and not": func(t *testing.T, top, content string) {
			put(t, content, "a.md", "mine\n")
			runGit(t, top, "add", "-A")
			put(t, content, "a.md", "a\n")
		},
		"removed": func(t *testing.T, _, content string) { _ = os.Remove(filepath.Join(content, "a.md")) },
		"a link": func(t *testing.T, _, content string) {
			_ = os.Remove(filepath.Join(content, "a.md"))
			if err := os.Symlink("b.md", filepath.Join(content, "a.md")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			top, content := checkout(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
			spoil(t, top, content)
			r, before := reopen(t, content), runGit(t, top, "status", "--porcelain")
			if _, err := r.Commit(t.Context(), edit("c1", "a.md", "a\n", "theirs\n")); !fault.Is(err, fault.Conflict) ||
				fault.Of(err).Field != "a.md" {
				t.Errorf("got %v", err)
			}
			if _, err := r.Commit(t.Context(), edit("c2", "b.md", "b\n", "theirs\n")); err != nil {
				t.Error(err)
			}
			if after := runGit(t, top, "status", "--porcelain"); after != before {
				t.Errorf("the folder's changes were %q, now %q", before, after)
			}
		})
	}
	t.Run("a new file", func(t *testing.T) {
		_, content := checkout(t, map[string]string{"a.md": "a\n"})
		put(t, content, "new.md", "mine\n")
		if _, err := reopen(t, content).Commit(t.Context(),
			edit("c1", "new.md", "", "theirs\n")); !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
	})
}

// Commits are based on commits that were made manually.
func TestCommit_OnManualCommits(t *testing.T) {
	top, content := checkout(t, map[string]string{"a.md": "a\n", "b.md": "b\n"})
	r := reopen(t, content)
	once := false
	r.AtStep(func(name string) {
		if name == "note" && !once {
			once = true
			put(t, content, "b.md", "by hand\n")
			runGit(t, top, "commit", "-q", "-a", "-m", "By hand")
		}
	})
	made, err := r.Commit(t.Context(), edit("c1", "a.md", "a\n", "ours\n"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := r.Log(t.Context(), "", 2)
	if err != nil || len(log) != 2 || log[0].Revision != made.Revision || log[1].Message != "By hand" {
		t.Errorf("the log is %+v, %v", log, err)
	}
	wantClean(t, top)

	once = false
	r.AtStep(func(name string) {
		if name == "note" && !once {
			once = true
			put(t, content, "a.md", "by hand\n")
			runGit(t, top, "commit", "-q", "-a", "-m", "By hand again")
		}
	})
	if _, err := r.Commit(t.Context(), edit("c2", "a.md", "ours\n", "lost\n")); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	wantClean(t, top)
}

// Users' Git settings have no effect.
func TestCommit_IgnoresUserSettings(t *testing.T) {
	top, content := checkout(t, map[string]string{"a.md": "a\n"})
	home := t.TempDir()
	put(t, home, ".gitconfig",
		"[user]\n\tname = X\n[commit]\n\tgpgsign = true\n[core]\n\tautocrlf = true\n\thooksPath = "+home+"\n[i18n]\n\tcommitEncoding = latin1\n\tlogOutputEncoding = latin1\n[log]\n\tshowSignature = true\n")
	for _, hook := range []string{"pre-commit", "commit-msg", "reference-transaction", "post-index-change"} {
		for _, dir := range []string{home, filepath.Join(top, ".git", "hooks")} {
			put(t, dir, hook, "#!/bin/sh\nexit 1\n")
			if err := os.Chmod(filepath.Join(dir, hook), 0o755); err != nil { //nolint:gosec // a hook
				t.Fatal(err)
			}
		}
	}
	put(t, top, ".git/info/attributes", "*.md text eol=crlf\n")
	for name, value := range map[string]string{"HOME": home, "GIT_DIR": home, "GIT_INDEX_FILE": home + "/x",
		"GIT_AUTHOR_NAME": "X", "LANG": "tr_TR.ISO-8859-9"} {
		t.Setenv(name, value)
	}
	r := reopen(t, content)
	c := edit("c1", "a.md", "a\n", "ü\n")
	c.Author.Name, c.Message = "Zoë", "Größe\n\nend"
	made, err := r.Commit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	log, err := r.Log(t.Context(), "", 1)
	if diff := cmp.Diff([]repository.Commit{made}, log); err != nil || diff != "" {
		t.Errorf("%v (-made +log):\n%s", err, diff)
	}
	if b, err := os.ReadFile(filepath.Join(content, "a.md")); err != nil || string(b) != "ü\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
}

func TestCommit_KeepsModesAndLinks(t *testing.T) {
	top, content := checkout(t, map[string]string{"run.sh": "a\n"})
	if err := os.Chmod(filepath.Join(content, "run.sh"), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(content, "link")); err != nil {
		t.Fatal(err)
	}
	runGit(t, top, "add", "-A")
	runGit(t, top, "commit", "-q", "-m", "A program and a link")
	r := reopen(t, content)
	if _, err := r.Commit(t.Context(), edit("c1", "run.sh", "a\n", "b\n")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"link", "link/passwd"} {
		if _, err := r.Commit(t.Context(), edit("c-"+path, path, "", "x")); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s was written: %v", path, err)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(content, "untracked")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Commit(t.Context(), edit("c3", "untracked/x", "", "x")); err == nil {
		t.Error("a file was written through a link")
	}
	if err := os.Remove(filepath.Join(content, "untracked")); err != nil {
		t.Fatal(err)
	}
	wantClean(t, top)
	if mode := runGit(t, top, "ls-files", "-s", "site/content/run.sh"); !strings.HasPrefix(mode, "100755") {
		t.Errorf("the program is %s", mode)
	}
}

func TestCommit_First(t *testing.T) {
	bare := t.TempDir()
	runGit(t, bare, "init", "-q", "--bare", "-b", "main")
	r := reopen(t, bare)
	if head, err := r.Head(t.Context()); err != nil || head != "" {
		t.Errorf("the head is %q, %v", head, err)
	}
	if files, err := r.Files(t.Context(), "", ""); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
	if log, err := r.Log(t.Context(), "", 1); err != nil || len(log) > 0 {
		t.Errorf("%v, %v", log, err)
	}
	made, err := r.Commit(t.Context(), edit("c1", "a.md", "", "a\n"))
	if err != nil || made.Parent != "" {
		t.Fatalf("%+v, %v", made, err)
	}
	checkIntegrity(t, bare)
}

func TestOpen_Rejects(t *testing.T) {
	top, _ := checkout(t, map[string]string{"a.md": "a\n"})
	for folder, branch := range map[string]string{t.TempDir(): "main", top: "other", filepath.Join(top, "none"): ""} {
		if _, err := localgit.Open(context.Background(), folder, branch); err == nil {
			t.Errorf("opened %s of %s", branch, folder)
		}
	}
}
