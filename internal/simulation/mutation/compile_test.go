package mutation

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every mutant compiles. One that does not would be reported only by make mutate.
func TestMutants_Compile(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks about a hundred packages")
	}
	c := newChecker(t)
	for _, m := range mutants {
		if err := c.check(m.sources(t)); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

func TestChecker_FindsErrors(t *testing.T) {
	m := mutant{"a package is not imported", "settlement/supporter.go",
		"func (r *run) visit(", "var none kv.Write\n\nfunc (r *run) visit("}
	if err := newChecker(t).check(m.sources(t)); err == nil {
		t.Error("a mutant that uses a package without importing it passes")
	}
}

// checker type-checks packages of the module with some of their files replaced.
type checker struct {
	fset     *token.FileSet
	importer types.Importer
	packages map[string]listed // by folder
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	c := &checker{fset: token.NewFileSet(), packages: map[string]listed{}}
	exports := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath], c.packages[p.Dir] = p.Export, p
	}
	c.importer = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	return c
}

// check type-checks the packages of the changed files, given by path.
func (c *checker) check(changed map[string]string) error {
	checked := map[string]bool{}
	for path := range changed {
		dir := filepath.Dir(path)
		if checked[dir] {
			continue
		}
		checked[dir] = true
		var files []*ast.File
		for _, name := range c.packages[dir].GoFiles {
			var source any
			if text, is := changed[filepath.Join(dir, name)]; is {
				source = text
			}
			file, err := parser.ParseFile(c.fset, filepath.Join(dir, name), source, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		config := types.Config{Importer: c.importer}
		if _, err := config.Check(c.packages[dir].ImportPath, c.fset, files, nil); err != nil {
			return err
		}
	}
	return nil
}
