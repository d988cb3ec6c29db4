package archtest

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

// leaky lists comparisons whose duration depends on how much of a text matches.
var leaky = []string{"bytes.Equal", "bytes.Compare", "strings.EqualFold", "strings.Compare",
	"slices.Equal", "cmp.Compare"}

// checkSecretComparisons checks that secrets are not compared with operators or with the functions
// in leaky. Comparisons with "" are allowed.
func checkSecretComparisons(name string, file *ast.File, fset *token.FileSet) []string {
	var violations []string
	bad := func(n ast.Node, what string) {
		violations = append(violations,
			fmt.Sprintf("%s:%d: a secret is compared with %s", name, fset.Position(n.Pos()).Line, what))
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

// reveals reports whether an expression reads a secret's text, from the
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

// Proves AAU-31.
func TestSecrets_ConstantTime(t *testing.T) {
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
		report(t, checkSecretComparisons(path, file, fset))
	})
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "hosts/httpapi/edge_secret.go"),
		nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	report(t, checkConstantTime(file))
}

// checkConstantTime checks the one place where secrets are compared: checkSecret only
// passes them to equal, and equal only compares digests.
func checkConstantTime(file *ast.File) (violations []string) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case ok && f.Name.Name == "checkSecret" && !comparesByEqual(f.Body):
			violations = append(violations, "checkSecret uses a secret without equal")
		case ok && f.Name.Name == "equal" && !comparesDigests(file, f.Body.List):
			violations = append(violations, "equal does more than compare digests in constant time")
		}
	}
	return violations
}

func comparesByEqual(body *ast.BlockStmt) bool {
	compared, shown := false, 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && fn.Name == "equal" && len(n.Args) == 2 {
				compared = reveals(n.Args[0]) && reveals(n.Args[1])
				return false
			}
		case *ast.SelectorExpr:
			if reveals(n) {
				shown++
			}
		}
		return true
	})
	return compared && shown == 0
}

// comparesDigests matches the assignment of two sha256.Sum256(…) to x and y,
// followed by return subtle.ConstantTimeCompare(…) == 1.
func comparesDigests(file *ast.File, body []ast.Stmt) bool {
	if len(body) != 2 {
		return false
	}
	digests, ok := body[0].(*ast.AssignStmt)
	if !ok || len(digests.Rhs) != 2 || !isCall(file, digests.Rhs[0], "sha256.Sum256") ||
		!isCall(file, digests.Rhs[1], "sha256.Sum256") {
		return false
	}
	result, ok := body[1].(*ast.ReturnStmt)
	if !ok || len(result.Results) != 1 {
		return false
	}
	is, ok := result.Results[0].(*ast.BinaryExpr)
	return ok && is.Op == token.EQL && isCall(file, is.X, "subtle.ConstantTimeCompare")
}

func isCall(file *ast.File, e ast.Expr, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn, ok := call.Fun.(*ast.SelectorExpr)
	return ok && selector(file, fn) == name
}

func TestConstantTime_FindsViolations(t *testing.T) {
	const check, same = "return equal(x.secret(), want.Reveal())",
		"a, b := sha256.Sum256(x), sha256.Sum256(y)\nreturn subtle.ConstantTimeCompare(a[:], b[:]) == 1"
	for _, tt := range []struct{ check, equal, want string }{
		{check, same, ""},
		{"return x.secret() == want.Reveal()", same, "uses a secret without equal"},
		{"return len(x.secret()) > 0 && equal(x.secret(), want.Reveal())", same, "uses a secret without equal"},
		{"return equal(x.secret(), x.id)", same, "uses a secret without equal"},
		{check, "return x == y", "does more"},
		{check, same + " && x == y", "does more"},
		{check, "if len(x) != len(y) { return false }\n" + same, "does more"},
		{check, "return subtle.ConstantTimeCompare([]byte(x), []byte(y)) == 1", "does more"},
	} {
		file, _ := snippet(t,
			"package x\nimport (\"crypto/sha256\"; \"crypto/subtle\")\nfunc checkSecret() bool {"+tt.check+"}\nfunc equal(x, y string) bool {\n"+tt.equal+"\n}")
		expect(t, checkConstantTime(file), tt.want)
	}
}

func TestSecretComparisons_FindsViolations(t *testing.T) {
	for body, want := range map[string]string{
		`func f() bool { return equal(x.secret(), want.Reveal()) }`:                         "",
		`func f() bool { return want.Reveal() == "" }`:                                      "",
		`func f() bool { return x.secret() == want.Reveal() }`:                              "compared with ==",
		`func f() bool { return given != want.Reveal() }`:                                   "compared with !=",
		`import "bytes"; func f() bool { return bytes.Equal(b, []byte(want.Reveal())) }`:    "compared with bytes.Equal",
		`import "strings"; func f() bool { return strings.EqualFold(want.Reveal(), b) }`:    "compared with strings.EqualFold",
		`import "strings"; func f() bool { return strings.EqualFold(scheme, "Bearer") }`:    "",
		`import "crypto/subtle"; var e = subtle.ConstantTimeCompare([]byte(a.Reveal()), b)`: "",
	} {
		file, fset := snippet(t, "package x\n"+body)
		expect(t, checkSecretComparisons("x.go", file, fset), want)
	}
}
