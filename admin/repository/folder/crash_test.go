//go:build unix

package folder_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/folder"
)

const deadly = "FOLDER_TEST_DIES_AT"

func large() repository.Change {
	return change("c1",
		repository.Write{Path: "a.md", Was: sha("a\n"), Bytes: []byte("A\n")},
		repository.Write{Path: "b.md", Was: sha("b\n"), Remove: true},
		repository.Write{Path: "b.md/new", Bytes: []byte("N\n")},
		repository.Write{Path: "moved/d.md", From: "c/d.md", Was: sha("d\n")},
	)
}

// TestMain runs the tests or, in the child process of a test, a commit that kills the process at a
// given step.
func TestMain(m *testing.M) {
	at, dir, dies := strings.Cut(os.Getenv(deadly), " ")
	if !dies {
		os.Exit(m.Run())
	}
	left, _ := strconv.Atoi(at)
	ctx := context.Background()
	r, err := folder.Open(dir, filepath.Join(dir, "data", "past"), fixed, filepath.Join(dir, "data"))
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

// If the process is killed at any step, the commit is either made or not, the next start completes
// the folder's files, and repeating the change commits it once.
func TestCommit_KilledAtEachStep(t *testing.T) {
	before := map[string]string{"a.md": "a\n", "b.md": "b\n", "c/d.md": "d\n", "other.md": "o\n"}
	after := map[string]string{"a.md": "A\n", "b.md/new": "N\n", "moved/d.md": "d\n", "other.md": "o\n"}
	for at := 0; ; at++ {
		dir := content(t, before)
		if !run(t, dir, at) {
			if at < 8 {
				t.Fatalf("a commit has %d steps", at)
			}
			t.Logf("killed at each of %d steps", at)
			return
		}
		r := reopen(t, dir)
		log, err := r.Log(t.Context(), "", 9)
		if err != nil {
			t.Fatal(err)
		}
		want := []map[string]string{before, after}[len(log)-1]
		if diff := cmp.Diff(want, onDisk(t, dir)); diff != "" {
			t.Errorf("step %d: after %d commits (-want +got):\n%s", at, len(log), diff)
		}
		if _, err := r.Commit(t.Context(), large()); err != nil {
			t.Errorf("step %d: %v", at, err)
		}
		if log, err := r.Log(t.Context(), "", 9); err != nil || len(log) != 2 || cmp.Diff(after, onDisk(t, dir)) != "" {
			t.Errorf("step %d: there are %d commits, %v", at, len(log), err)
		}
	}
}
