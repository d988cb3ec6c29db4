package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// coreForbids maps functions that the core must not use to the reason.
var coreForbids = map[string]string{
	"time.Now":        "the core gets the time from its caller",
	"time.Since":      "the core gets the time from its caller",
	"time.Until":      "the core gets the time from its caller",
	"time.Sleep":      "the core must not sleep",
	"time.After":      "the core must not sleep",
	"time.Tick":       "the core must not sleep",
	"time.AfterFunc":  "the core must not sleep",
	"time.NewTimer":   "the core must not sleep",
	"time.NewTicker":  "the core must not sleep",
	"ulid.Parse":      "it panics under TinyGo; use UnmarshalText",
	"ulid.MustParse":  "it panics under TinyGo; use UnmarshalText",
	"ulid.Make":       "the core gets time and randomness from its caller",
	"slog.Default":    "the core gets its logger from its caller",
	"slog.SetDefault": "the core gets its logger from its caller",
}

// mayPanic lists the functions that panic on programming errors at startup: wrong registrations
// and invalid embedded files.
var mayPanic = []string{"kv.register", "locale.MustRead"}

// checkSyntax reports where a file of the core uses goroutines, floating-point numbers, panic,
// recover, or a function in coreForbids.
func checkSyntax(name string, file *ast.File, fset *token.FileSet) []string {
	var violations []string
	bad := func(n ast.Node, format string, args ...any) {
		violations = append(violations,
			fmt.Sprintf("%s:%d: %s", name, fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...)))
	}
	for _, d := range file.Decls {
		function := ""
		if f, ok := d.(*ast.FuncDecl); ok {
			function = f.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				bad(n, "go statement: the core starts no goroutines")
			case *ast.BasicLit:
				if n.Kind == token.FLOAT {
					bad(n, "float %s: amounts are cents, rates are decimals", n.Value)
				}
			case *ast.Ident:
				if n.Name == "float64" || n.Name == "float32" {
					bad(n, "%s: amounts are cents, rates are decimals", n.Name)
				}
			case *ast.SelectorExpr:
				if why := coreForbids[selector(file, n)]; why != "" {
					bad(n, "%s: %s", selector(file, n), why)
				}
			case *ast.CallExpr:
				called, _ := n.Fun.(*ast.Ident)
				switch {
				case called == nil:
				case called.Name == "panic" && !slices.Contains(mayPanic, file.Name.Name+"."+function):
					bad(n, "panic outside registration: return an error")
				case called.Name == "recover":
					bad(n, "recover: return an error in the first place")
				}
			}
			return true
		})
	}
	return violations
}

// selector returns an imported identifier with the name of its package, such as "time.Now", or ""
// for other selectors.
func selector(file *ast.File, s *ast.SelectorExpr) string {
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	path := importOf(file, x.Name)
	if path == "" {
		return ""
	}
	return base(path) + "." + s.Sel.Name
}

// importOf returns the import path that a name refers to in a file, or "".
func importOf(file *ast.File, name string) string {
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		local := base(path)
		if i.Name != nil {
			local = i.Name.Name
		}
		if local == name {
			return path
		}
	}
	return ""
}

// base returns a package's name from its path: "ulid" for ".../ulid/v2".
func base(path string) string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9' {
		return parts[len(parts)-2]
	}
	return last
}

// eachCoreFile parses the source of the core, including files for other platforms but not
// tests, and calls fn for each file.
func eachCoreFile(t *testing.T, fn func(name string, file *ast.File, fset *token.FileSet)) {
	t.Helper()
	eachFileOf(t, inCore, fn)
}

// eachFileOf is like eachCoreFile, for the packages whose paths satisfy in.
func eachFileOf(t *testing.T, in func(path string) bool, fn func(name string, file *ast.File, fset *token.FileSet)) {
	t.Helper()
	for _, p := range packages(t) {
		if !in(p.path()) {
			continue
		}
		names, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			fn(p.path()+"/"+filepath.Base(name), file, fset)
		}
	}
}

func TestSyntax(t *testing.T) {
	eachCoreFile(t, func(name string, file *ast.File, fset *token.FileSet) {
		report(t, checkSyntax(name, file, fset))
	})
}

func TestSyntax_FindsViolations(t *testing.T) {
	const imports = `import ("time"; clock "time"; "github.com/oklog/ulid/v2"; "log/slog");`
	tests := []struct{ body, want string }{
		{`func F(now func() time.Time) time.Duration { return now().Sub(time.Time{}) }`, ""},
		{`func F(s struct{ Now func() int }) int { return s.Now() }`, ""},
		{`func register() { panic("twice") }`, ""},
		{`const n = 1e3`, "float 1e3"},
		{`func F() { go F() }`, "go statement"},
		{`func F() time.Time { return time.Now() }`, "time.Now"},
		{`var now = time.Now`, "time.Now"},
		{`func F() { clock.Sleep(1) }`, "time.Sleep"},
		{`func F() { <-time.After(1) }`, "time.After"},
		{`func F(u string) { ulid.MustParse(u) }`, "ulid.MustParse"},
		{`func F() { slog.Default() }`, "slog.Default"},
		{`type Price float64`, "float64"},
		{`func F(n int) int { return int(float32(n)) }`, "float32"},
		{`const half = 0.5`, "float 0.5"},
		{`func F() { panic("no") }`, "panic outside registration"},
		{`func F() { defer func() { _ = recover() }() }`, "recover"},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			file, fset := snippet(t, "package kv\n"+imports+"\n"+tt.body)
			expect(t, checkSyntax("x.go", file, fset), tt.want)
		})
	}
}

func snippet(t *testing.T, source string) (*ast.File, *token.FileSet) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "x.go", source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file, fset
}
