package mutation

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	hunt  = flag.Bool("hunt", false, "plant every bug and search for it (slow)")
	seeds = flag.Int("seeds", 3000, "with -hunt: how many histories to run for each bug")
	named = flag.String("named", "", "with -hunt: only bugs whose name contains this text")
)

const root = "../../.."

// sources returns the changed files with the bug planted, by path.
func (m mutant) sources(t *testing.T) map[string]string {
	t.Helper()
	mutated := map[string]string{}
	for i, c := range append([]change{{m.file, m.old, m.new}}, furtherChanges[m.name]...) {
		path, err := filepath.Abs(filepath.Join(root, c.file))
		if err != nil {
			t.Fatal(err)
		}
		if mutated[path] == "" {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			mutated[path] = string(b)
		}
		if n := strings.Count(mutated[path], c.old); n != 1 {
			t.Fatalf("%s: the text to replace occurs %d times in %s, want 1", m.name, n, c.file)
		}
		mutated[path] = strings.Replace(mutated[path], c.old, c.new, 1)
		if i == 0 {
			mutated[path] += added[m.name]
		}
	}
	return mutated
}

// The bugs can still be planted: the text that each replaces occurs exactly once.
func TestMutantsFit(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants {
		if seen[m.name] {
			t.Errorf("two mutants are named %q", m.name)
		}
		seen[m.name] = true
		if m.sources(t); m.old == m.new {
			t.Errorf("%s changes nothing", m.name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(added)), slices.Collect(maps.Keys(furtherChanges)),
		slices.Collect(maps.Keys(detectedByTests))) {
		if !seen[name] {
			t.Errorf("unknown mutant %q", name)
		}
	}
	t.Logf("%d mutants", len(mutants))
}

// Every planted bug breaks a promise in some history, or fails its test in detectedByTests.
func TestMutantsAreFound(t *testing.T) {
	if !*hunt {
		t.Skip("run make mutate")
	}
	for _, m := range mutants {
		if strings.Contains(m.name, *named) {
			t.Run(m.name, func(t *testing.T) { m.hunt(t) })
		}
	}
}

var finding = regexp.MustCompile(`seed (\d+) breaks a promise: \[\{(\w+) ([^}]*)`)

func (m mutant) hunt(t *testing.T) {
	if by, is := detectedByTests[m.name]; is {
		if out, _ := m.test(t, by.pkg, "-run", "^"+by.test+"$"); !strings.Contains(out, "--- FAIL: "+by.test+" ") {
			t.Errorf("%s passed with the bug:\n%s", by.test, tail(out))
		}
		return
	}
	began := time.Now()
	out, err := m.test(t, "./internal/simulation", "-run", "^TestSeeds$", "-timeout", "60m",
		"-once", "-shrink", "0", "-seeds", strconv.Itoa(*seeds))
	switch found := finding.FindStringSubmatch(out); {
	case found != nil:
		t.Logf("seed %s, %s: %.120s (%s)", found[1], found[2], found[3], time.Since(began).Round(time.Second))
		passesWithout(t, found[1])
	case err == nil:
		t.Errorf("%d histories passed with the bug", *seeds)
	default:
		t.Errorf("no history broke a promise, but the run failed:\n%s", tail(out))
	}
}

// passesWithout checks that the history in which a bug was found passes without the bug.
func passesWithout(t *testing.T, seed string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "./internal/simulation", "-run", "^TestSeeds$",
		"-once", "-shrink", "0", "-from", seed, "-seeds", "1")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the history breaks a promise even without the bug:\n%s", tail(string(out)))
	}
}

// test runs a package's tests with the bug planted.
func (m mutant) test(t *testing.T, pkg string, flags ...string) (string, error) {
	dir := t.TempDir()
	overlay := filepath.Join(dir, "overlay.json")
	replaced := map[string]string{}
	for path, text := range m.sources(t) {
		replaced[path] = filepath.Join(dir, fmt.Sprintf("bug%d.go", len(replaced)))
		if err := os.WriteFile(replaced[path], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	replace, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go",
		append([]string{"test", "-overlay", overlay, "-count=1", pkg}, flags...)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func tail(s string) string { return s[max(0, len(s)-400):] }
