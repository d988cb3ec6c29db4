package laws

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leaky are the comparisons whose time tells how much of a text was right.
var leaky = []string{"bytes.Equal", "bytes.Compare", "strings.EqualFold", "strings.Compare", "slices.Equal", "cmp.Compare"}

// secretComparisons is the law of secrets: what a Secret reveals is compared in
// constant time, over digests of equal length.
func secretComparisons(name string, file *ast.File, fset *token.FileSet) []string {
	var violations []string
	bad := func(n ast.Node, what string) {
		violations = append(violations, fmt.Sprintf("%s:%d: a secret is compared by %s", name, fset.Position(n.Pos()).Line, what))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			ordered := slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ}, n.Op)
			if ordered && !isEmpty(n.X) && !isEmpty(n.Y) && (reveals(n.X) || reveals(n.Y)) {
				bad(n, n.Op.String())
			}
		case *ast.CallExpr:
			s, ok := n.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains(leaky, selector(file, s)) && slices.ContainsFunc(n.Args, reveals) {
				bad(n, selector(file, s))
			}
		}
		return true
	})
	return violations
}

func isEmpty(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == `""`
}

// reveals reports whether an expression takes a secret's text, from the
// configuration or from a request.
func reveals(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Reveal" || s.Sel.Name == "secret") {
			found = true
		}
		return !found
	})
	return found
}

// calls lists the functions of packages that a function calls, and those of its
// own package.
func calls(file *ast.File, function string) []string {
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != function {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch fn := call.Fun.(type) {
			case *ast.Ident:
				names = append(names, fn.Name)
			case *ast.SelectorExpr:
				names = append(names, selector(file, fn))
			}
			return true
		})
	}
	return names
}

// Proves AAU-31.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	files(t, ".go", func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		report(t, secretComparisons(path, file, fset))
	})
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "hosts/httpapi/secret.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(calls(file, "checkSecret"), "equal") {
		t.Error("checkSecret does not compare by equal")
	}
	got := calls(file, "equal")
	for _, want := range []string{"sha256.Sum256", "subtle.ConstantTimeCompare"} {
		if !slices.Contains(got, want) {
			t.Errorf("equal calls %v, not %s", got, want)
		}
	}
}

func TestSecretComparisonsFindsViolations(t *testing.T) {
	for body, want := range map[string]string{
		`func f() bool { return equal(x.secret(), want.Reveal()) }`:                         "",
		`func f() bool { return want.Reveal() == "" }`:                                      "",
		`func f() bool { return x.secret() == want.Reveal() }`:                              "compared by ==",
		`func f() bool { return given != want.Reveal() }`:                                   "compared by !=",
		`import "bytes"; func f() bool { return bytes.Equal(b, []byte(want.Reveal())) }`:    "compared by bytes.Equal",
		`import "strings"; func f() bool { return strings.EqualFold(want.Reveal(), b) }`:    "compared by strings.EqualFold",
		`import "strings"; func f() bool { return strings.EqualFold(scheme, "Bearer") }`:    "",
		`import "crypto/subtle"; var e = subtle.ConstantTimeCompare([]byte(a.Reveal()), b)`: "",
	} {
		file, fset := snippet(t, "package x\n"+body)
		expect(t, secretComparisons("x.go", file, fset), want)
	}
}
