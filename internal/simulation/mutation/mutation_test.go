package mutation

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	hunt  = flag.Bool("hunt", false, "plant every bug and look for it, which takes long")
	seeds = flag.Int("seeds", 3000, "with -hunt: how many histories a bug is looked for in")
	named = flag.String("named", "", "with -hunt: only bugs whose names have this in them")
)

const root = "../../.."

func (m mutant) source(t *testing.T) (path, mutated string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), m.old); n != 1 {
		t.Fatalf("%s: what it replaces stands %d times in %s", m.name, n, m.file)
	}
	mutated = strings.Replace(string(b), m.old, m.new, 1) + added[m.name]
	if m.name == "the pledges know of a charge before its group" {
		mutated = strings.Replace(mutated, "NotAfter:        g.FirstSubmittedAt.Add(psp.SafeAge),\n\t})))", "NotAfter:        g.FirstSubmittedAt.Add(psp.SafeAge),\n\t}))", 1)
	}
	return path, mutated
}

// The bugs can still be planted: the code has not moved away under them.
func TestMutantsFit(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants {
		if seen[m.name] {
			t.Errorf("two mutants are called %q", m.name)
		}
		seen[m.name] = true
		if _, mutated := m.source(t); m.old == m.new || mutated == "" {
			t.Errorf("%s changes nothing", m.name)
		}
	}
	for name := range added {
		if !seen[name] {
			t.Errorf("there is no mutant %q", name)
		}
	}
	t.Logf("%d mutants", len(mutants))
}

// Every planted bug breaks a promise in some history.
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
	began := time.Now()
	out, err := m.play(t)
	switch found := finding.FindStringSubmatch(out); {
	case found != nil:
		t.Logf("seed %s, %s: %.120s (%s)", found[1], found[2], found[3], time.Since(began).Round(time.Second))
	case err == nil:
		t.Errorf("%d histories did not find it", *seeds)
	default:
		t.Errorf("no history found it, something else failed:\n%s", tail(out))
	}
}

func (m mutant) play(t *testing.T) (string, error) {
	path, mutated := m.source(t)
	dir := t.TempDir()
	bug, overlay := filepath.Join(dir, "bug.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{path: bug}})
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string][]byte{bug: []byte(mutated), overlay: replace} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-count=1", "-run", "^TestSeeds$", "-timeout", "60m",
		"./internal/simulation", "-once", "-shrink", "0", "-seeds", strconv.Itoa(*seeds))
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func tail(s string) string { return s[max(0, len(s)-400):] }
