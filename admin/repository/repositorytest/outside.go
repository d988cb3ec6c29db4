package repositorytest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Pushing returns a function for Harness.EditOutside that adds a line to a file below a folder in a
// clone of a bare repository, commits and pushes. It does not retry a rejected push.
func Pushing(t testing.TB, bare, folder string) func(id, path string) (pushed bool, err error) {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	git := func(dir string, args ...string) error {
		cmd := exec.Command("git", append([]string{"-c", "user.name=Bo", "-c", "user.email=bo@example.com",
			"-c", "commit.gpgsign=false"}, args...)...) //nolint:gosec // in a test
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
		return nil
	}
	var mu sync.Mutex
	return func(id, path string) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		if _, err := os.Stat(clone); err != nil {
			if err := git(".", "clone", "-q", bare, clone); err != nil {
				return false, err
			}
		}
		if err := git(clone, "fetch", "-q"); err != nil {
			return false, err
		}
		if err := git(clone, "reset", "-q", "--hard", "origin/main"); err != nil {
			return false, err
		}
		name := filepath.Join(clone, folder, filepath.FromSlash(path))
		before, err := os.ReadFile(name) //nolint:gosec // in a test
		if err != nil && !os.IsNotExist(err) {
			return false, err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return false, err
		}
		if err := os.WriteFile(name, append(bytes.Clone(before), id+"\n"...), 0o600); err != nil {
			return false, err
		}
		if err := git(clone, "add", "-A"); err != nil {
			return false, err
		}
		if err := git(clone, "commit", "-q", "-m", "Add "+id); err != nil {
			return false, err
		}
		err = git(clone, "push", "-q", "origin", "HEAD:main")
		if err != nil && (strings.Contains(err.Error(), "rejected") || strings.Contains(err.Error(), "cannot lock ref")) {
			return false, nil // another push was faster
		}
		return err == nil, err
	}
}
