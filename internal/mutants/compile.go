package main

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
)

// compiler type-checks a package without its mutants, for the types of its expressions, and with
// them, to find those that do not compile. The go command is not used for this because its "build
// failed" and "test failed" are hard to distinguish.
type compiler struct {
	pkg      string   // import path
	files    []string // names in the package's folder
	set      *token.FileSet
	importer types.Importer
}

func newCompiler(ctx context.Context, module, pkg string) (compiler, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export,GoFiles"}
	out, err := output(ctx, module, "go", append(append(args, switchesImport...), "./"+pkg)...)
	if err != nil {
		return compiler{}, err
	}
	c := compiler{set: token.NewFileSet()}
	exports := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var listed struct {
			ImportPath, Export string
			GoFiles            []string
		}
		if err := decoder.Decode(&listed); err != nil {
			return compiler{}, err
		}
		exports[listed.ImportPath] = listed.Export
		c.pkg, c.files = listed.ImportPath, listed.GoFiles // the package itself is listed last
	}
	c.importer = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	return c, nil
}

func parse(set *token.FileSet, name, text string) (*ast.File, error) {
	return parser.ParseFile(set, name, text, parser.SkipObjectResolution|parser.ParseComments)
}

// line is a line of a file.
type line struct {
	file   string
	number int
}

// check returns the types of a package's expressions, and the error of each line that does not
// compile.
func (c compiler) check(trees []*ast.File) (types.Info, map[line]string) {
	wrong := map[line]string{}
	config := types.Config{Importer: c.importer, Error: func(err error) {
		if e, ok := err.(types.Error); ok { //nolint:errorlint // passed unwrapped
			at := c.set.Position(e.Pos)
			wrong[line{at.Filename, at.Line}] = e.Msg
		}
	}}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	_, _ = config.Check(c.pkg, c.set, trees, &info) // errors were collected above
	return info, wrong
}
