package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
)

// compiler tells which mutants are programs at all. Go's test command ends alike
// for a test that fails and for a package that does not compile, and gremlins
// calls both killed.
type compiler struct {
	pkg      string
	dir      string
	files    []string // by their names in dir
	set      *token.FileSet
	importer types.Importer
}

func newCompiler(ctx context.Context, module, pkg string) (compiler, error) {
	out, err := output(ctx, module, "go", "list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", "./"+pkg)
	if err != nil {
		return compiler{}, err
	}
	c := compiler{set: token.NewFileSet()}
	exports := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var listed struct {
			ImportPath, Export, Dir string
			GoFiles                 []string
		}
		if err := decoder.Decode(&listed); err != nil {
			return compiler{}, err
		}
		exports[listed.ImportPath] = listed.Export
		c.pkg, c.dir, c.files = listed.ImportPath, listed.Dir, listed.GoFiles // the package itself comes last
	}
	c.importer = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	return c, nil
}

// check returns why the package does not compile with one file's text changed.
func (c compiler) check(name, text string) error {
	var trees []*ast.File
	for _, file := range c.files {
		var changed any
		if file == name {
			changed = text
		}
		tree, err := parser.ParseFile(c.set, filepath.Join(c.dir, file), changed, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		trees = append(trees, tree)
	}
	config := types.Config{Importer: c.importer}
	_, err := config.Check(c.pkg, c.set, trees, nil)
	return err
}
