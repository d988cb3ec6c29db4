package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	pattern "regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// workerPrograms lists the programs compiled for workers: the service, and the test suite of its
// storage. TinyGo compiles both if it is installed.
var workerPrograms = []string{"./hosts/workers/wasm", "./internal/workerd/conformance"}

// maxOptional is the maximum number of optional repetitions in a pattern. Each is one level of
// nesting, and TinyGo's stack overflows at fewer than 60 levels.
const maxOptional = 16

// notInWorkers lists packages that need an operating system.
var notInWorkers = []string{"os/exec", "os/signal", "database/sql"}

var workerPackages = sync.OnceValues(func() ([]pkg, error) {
	cmd := exec.Command("go",
		append([]string{"list", "-trimpath", "-json=ImportPath,Dir,GoFiles,Export,Imports", "-export", "-deps"},
			workerPrograms...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

// TestWorkers_Imports checks that code compiled into a worker needs no operating
// system, and follows the rules of TinyGo that can be checked.
func TestWorkers_Imports(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the worker again")
	}
	all, err := workerPackages()
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string]string{}
	for _, p := range all {
		compiled[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	checked := 0
	for _, p := range all {
		if !ours(p.ImportPath) {
			continue
		}
		checked++
		report(t, checkWorkerImports(p))
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
			if inCore(p.path()) {
				report(t, checkTinyGo(p.path(), file, fset))
			}
		}
		report(t, checkIntegers(p.ImportPath, files, fset, from))
	}
	if checked < 40 {
		t.Errorf("only %d packages of this module are in the worker", checked)
	}
}

// checkWorkerImports checks that a package imports none of notInWorkers.
func checkWorkerImports(p pkg) (violations []string) {
	for _, imported := range p.Imports {
		if underAny(imported, notInWorkers) {
			violations = append(violations, fmt.Sprintf("%s imports %s: not allowed in workers", p.path(), imported))
		}
	}
	return violations
}

// checkTinyGo checks that a file does not use what TinyGo lacks: testing.B, and patterns with more
// than maxOptional optional repetitions. Code should compare lengths outside of patterns instead.
func checkTinyGo(where string, file *ast.File, fset *token.FileSet) (violations []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if name, ok := n.(*ast.SelectorExpr); ok && selector(file, name) == "testing.B" {
			violations = append(violations, fmt.Sprintf("%s: %s: testing.B is not available", where, fset.Position(n.Pos())))
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		name, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"MustCompile", "Compile"}, name.Sel.Name) ||
			selector(file, name) != "regexp."+name.Sel.Name {
			return true
		}
		text, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		repeated, _ := strconv.Unquote(text.Value)
		if n := optional(repeated); n > maxOptional {
			violations = append(violations, fmt.Sprintf(
				"%s: %s has %d optional repetitions: compare lengths outside of the pattern", where, fset.Position(call.Pos()), n))
		}
		return true
	})
	return violations
}

// optional returns the maximum number of optional repetitions of an element in a
// pattern.
func optional(text string) int {
	parsed, err := pattern.Parse(text, pattern.Perl)
	if err != nil {
		return 0 // an invalid pattern panics at startup
	}
	return optionalIn(parsed)
}

func optionalIn(p *pattern.Regexp) (most int) {
	if p.Op == pattern.OpRepeat && p.Max >= 0 {
		most = p.Max - p.Min
	}
	for _, sub := range p.Sub {
		most = max(most, optionalIn(sub))
	}
	return most
}

// checkIntegers reports constants that overflow an int of 32 bits, as a TinyGo worker has.
func checkIntegers(path string, files []*ast.File, fset *token.FileSet, from types.Importer) (violations []string) {
	config := types.Config{
		Importer: from, Sizes: types.SizesFor("gc", "386"),
		Error: func(err error) {
			if strings.Contains(err.Error(), "math.MaxInt ") {
				return // MaxInt adapts to each platform
			}
			violations = append(violations, fmt.Sprintf("%s: %v", inside(path), err))
		},
	}
	_, _ = config.Check(path, fset, files, nil) // errors were collected above
	return violations
}

func TestWorkers_FindsViolations(t *testing.T) {
	for source, want := range map[string]int{
		"package x\n\nimport \"regexp\"\n\nvar r = regexp.MustCompile(`^[a-z]{1,16}$`)\n":        0,
		"package x\n\nimport \"regexp\"\n\nvar r = regexp.MustCompile(`^([a-z]{26}|[0-9]+)$`)\n": 0,
		"package x\n\nimport \"regexp\"\n\nvar r = regexp.MustCompile(`^(a|[a-z]{1,64})$`)\n":    1,
		"package x\n\nimport re \"regexp\"\n\nvar r, _ = re.Compile(\"(?:x{0,20}y)*\")\n":        1,
		"package x\n\nimport \"testing\"\n\nfunc f(*testing.B) {}\n":                             1,
		"package x\n\nconst n int = 1<<31 - 1\n":                                                 0,
		"package x\n\nconst n int = 1 << 31\n":                                                   1,
		"package x\n\nvar n int64 = 1 << 40\n":                                                   0,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "x.go", source, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := append(checkTinyGo("x", file, fset), checkIntegers("x", []*ast.File{file}, fset, importer.Default())...)
		if len(got) != want {
			t.Errorf("%q, want %d of\n%s", got, want, source)
		}
	}
	if got := checkWorkerImports(pkg{ImportPath: modulePath + "/x",
		Imports: []string{"os/exec", "strings"}}); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
