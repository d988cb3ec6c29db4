//go:build unix

package localgit_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/localgit"
)

const deadly = "LOCALGIT_TEST_DIES_AT"

func large() repository.Change {
	c := edit("c1", "a.md", "a\n", "A\n")
	c.Writes = append(c.Writes,
		repository.Write{Path: "b.md", Was: repository.SHA([]byte("b\n")), Remove: true},
		repository.Write{Path: "b.md/new", Bytes: []byte("N\n")},
		repository.Write{Path: "moved/d.md", From: "c/d.md", Was: repository.SHA([]byte("d\n"))},
	)
	return c
}

// TestMain runs the tests or, in the child process of a test, a commit that kills the process at a
// given step.
func TestMain(m *testing.M) {
	at, folder, dies := strings.Cut(os.Getenv(deadly), " ")
	if !dies {
		os.Exit(m.Run())
	}
	left, _ := strconv.Atoi(at)
	ctx := context.Background()
	r, err := localgit.Open(ctx, folder, "main")
	if err != nil {
		panic(err)
	}
	r.AtStep(func(string) {
		if left--; left < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	if _, err := r.Commit(ctx, large()); err != nil {
		panic(err)
	}
	os.Exit(0)
}

func run(t *testing.T, content string, at int) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0]) //nolint:gosec // this test
	cmd.Env = append(os.Environ(), deadly+"="+strconv.Itoa(at)+" "+content)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if s := cmd.ProcessState.String(); s != "signal: killed" {
		t.Fatalf("%s: %s", s, out)
	}
	return true
}

// If the process is killed at any step, the branch is either updated or not, the next start
// completes the folder's files, and repeating the change commits it once.
func TestCommit_KilledAtEachStep(t *testing.T) {
	for at := 0; ; at++ {
		top, content := checkout(t, map[string]string{"a.md": "a\n", "b.md": "b\n", "c/d.md": "d\n", "other.md": "o\n"})
		put(t, content, "other.md", "somebody edits this\n")
		if !run(t, content, at) {
			if at < 8 {
				t.Fatalf("a commit has %d steps", at)
			}
			t.Logf("killed at each of %d steps", at)
			return
		}
		r := reopen(t, content)
		if output := runGit(t, top, "status", "--porcelain", "--untracked-files=all"); output != "M site/content/other.md" {
			t.Errorf("step %d: git status: %s", at, output)
		}
		made, err := r.Commit(t.Context(), large())
		if err != nil {
			t.Errorf("step %d: %v", at, err)
			continue
		}
		if n := runGit(t, top, "rev-list", "--count", "HEAD"); n != "2" ||
			runGit(t, top, "rev-parse", "HEAD") != made.Revision {
			t.Errorf("step %d: there are %s commits", at, n)
		}
		runGit(t, top, "checkout", "-q", "--", "site/content/other.md")
		wantClean(t, top)
		if b, err := os.ReadFile(filepath.Join(content, "b.md", "new")); err != nil || string(b) != "N\n" {
			t.Errorf("step %d: %q, %v", at, b, err)
		}
		checkIntegrity(t, top)
	}
}
