package archtest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// source is the parsed and type-checked code of a package, without tests.
type source struct {
	path  string // relative to the module
	files []*ast.File
	fset  *token.FileSet
	info  *types.Info
	types *types.Package
}

// sources returns the source of every package of the module.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := allSources()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// allSources type-checks the module using the export data of imported packages.
var allSources = sync.OnceValues(func() ([]source, error) {
	all, err := list("-export", "-deps", "./...")
	if err != nil {
		return nil, err
	}
	compiled := map[string]string{}
	for _, p := range all {
		compiled[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	var done []source
	for _, p := range all {
		if !ours(p.ImportPath) {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		s, err := typed(p.ImportPath, files, fset, from)
		if err != nil {
			return nil, err
		}
		done = append(done, s)
	}
	return done, nil
})

func typed(path string, files []*ast.File, fset *token.FileSet, from types.Importer) (source, error) {
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Uses: map[*ast.Ident]types.Object{}}
	of, err := (&types.Config{Importer: from}).Check(path, fset, files, info)
	return source{inside(path), files, fset, info, of}, err
}
