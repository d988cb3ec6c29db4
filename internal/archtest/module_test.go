package archtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	modulePath = "github.com/pledgeworks/pledgeworks"
	root       = "../.."
)

// pkg holds the fields of go list's output that the tests use.
type pkg struct {
	ImportPath   string
	Name         string
	Dir          string
	GoFiles      []string
	Export       string // the file with the compiled package, set with -export
	Standard     bool
	Module       *struct{ Path string }
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// path returns the package's path inside the module, such as "kv/memkv".
func (p pkg) path() string { return inside(p.ImportPath) }

// tests returns the imports of the package's tests.
func (p pkg) tests() []string { return slices.Concat(p.TestImports, p.XTestImports) }

// ours reports whether an import path belongs to the module.
func ours(importPath string) bool {
	return importPath == modulePath || strings.HasPrefix(importPath, modulePath+"/")
}

func inside(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, modulePath), "/")
}

// standard reports whether an import path belongs to the standard library, whose
// first element has no dot.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// under reports whether path is dir or below it.
func under(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

func underAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return under(path, dir) })
}

var module = sync.OnceValues(func() ([]pkg, error) { return list("./...") })

// packages returns every package of the module.
func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := module()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

func list(args ...string) ([]pkg, error) {
	cmd := exec.Command("go", append([]string{"list", "-e",
		"-json=ImportPath,Name,Dir,GoFiles,Export,Standard,Module,Imports,TestImports,XTestImports"}, args...)...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// files calls fn for each of the module's files with a suffix, with its path relative to the root.
// It skips hidden folders, testdata, node_modules and dist.
func files(t *testing.T, suffix string, fn func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root &&
			(strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "dist") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, suffix) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fn(filepath.ToSlash(rel), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// report fails the test with every violation.
func report(t *testing.T, violations []string) {
	t.Helper()
	for _, v := range violations {
		t.Error(v)
	}
}

// expect checks the violations in a planted text: exactly one that contains want,
// or none if want is "".
func expect(t *testing.T, violations []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(violations) > 0:
		t.Errorf("unexpected violations: %v", violations)
	case want != "" && (len(violations) != 1 || !strings.Contains(violations[0], want)):
		t.Errorf("the rule reports %q, want one violation with %q", violations, want)
	}
}
