package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// checkSeeds checks that random tests are reproducible: tests do not use functions
// of math/rand that draw from the global generator.
func checkSeeds(path string, file *ast.File, fset *token.FileSet) []string {
	local := ""
	for _, i := range file.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); p == "math/rand" || p == "math/rand/v2" {
			local = "rand"
			if i.Name != nil {
				local = i.Name.Name
			}
		}
	}
	var violations []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || strings.HasPrefix(f.Sel.Name, "New") {
			return true
		}
		if x, ok := f.X.(*ast.Ident); ok && local != "" && x.Name == local {
			violations = append(violations,
				fmt.Sprintf("%s:%d: rand.%s has no seed: use seed.Rand", path, fset.Position(n.Pos()).Line, f.Sel.Name))
		}
		return true
	})
	return violations
}

func TestUnseeded(t *testing.T) {
	files(t, "_test.go", func(path string, source []byte) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		report(t, checkSeeds(path, file, fset))
	})
}

func TestUnseeded_FindsViolations(t *testing.T) {
	for source, want := range map[string]string{
		"import \"math/rand/v2\"\nvar a = rand.IntN(2)":                        "rand.IntN",
		"import mathrand \"math/rand\"\nvar a = mathrand.Perm(2)":              "rand.Perm",
		"import \"math/rand/v2\"\nvar a = rand.New(rand.NewPCG(1, 2)).Int()":   "",
		"import \"crypto/rand\"\nvar a = rand.Text()":                          "",
		"import \"math/rand/v2\"\nfunc f(r *rand.Rand) int { return r.Int() }": "",
	} {
		file, fset := snippet(t, "package x\n\n"+source)
		expect(t, checkSeeds("x_test.go", file, fset), want)
	}
}
