package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// checkState checks that package variables of the core are never written to, since two
// services may run in one process.
func checkState(where string, files []*ast.File) []string {
	variables := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					for _, n := range s.(*ast.ValueSpec).Names {
						variables[n.Name] = true
					}
				}
			}
		}
	}
	var violations []string
	for _, f := range files {
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			local := declared(function)
			for _, name := range writtenNames(function) {
				if variables[name] && !local[name] {
					violations = append(violations,
						fmt.Sprintf("%s: %s writes to the package variable %s", where, function.Name.Name, name))
				}
			}
		}
	}
	return violations
}

// writtenNames returns the variables that a function may change, completely or in part: it assigns
// to them, takes their address, or calls delete or clear.
func writtenNames(f *ast.FuncDecl) []string {
	var names []string
	add := func(e ast.Expr) {
		if name := rootOf(e); name != "" {
			names = append(names, name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				break
			}
			for _, e := range n.Lhs {
				add(e)
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				if _, composite := n.X.(*ast.CompositeLit); !composite {
					add(n.X)
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") {
				add(n.Args[0])
			}
		}
		return true
	})
	return names
}

// declared returns every name that a function declares.
func declared(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && id != nil {
			names[id.Name] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					add(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		}
		return true
	})
	return names
}

// rootOf returns the variable that an expression is a part of, or "".
func rootOf(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}

func TestState(t *testing.T) {
	parsed := map[string][]*ast.File{}
	eachCoreFile(t, func(name string, file *ast.File, _ *token.FileSet) {
		dir := name[:strings.LastIndexByte(name, '/')]
		parsed[dir] = append(parsed[dir], file)
	})
	for dir, files := range parsed {
		report(t, checkState(dir, files))
	}
}

func TestState_FindsViolations(t *testing.T) {
	const vars = "package x\nvar table = map[string]int{}\nvar n int\nvar s struct{ n int }\n"
	for body, want := range map[string]string{
		"func F() int { return table[\"a\"] }":              "",
		"func F() { n := 1; n++; _ = n }":                   "",
		"func F(table map[string]int) { table[\"a\"] = 1 }": "",
		"func F() { n = 1 }":                                "variable n",
		"func F() { n++ }":                                  "variable n",
		"func F() { s.n += 2 }":                             "variable s",
		"func F() { table[\"a\"] = 1 }":                     "variable table",
		"func F() { delete(table, \"a\") }":                 "variable table",
		"func F() *int { return &n }":                       "variable n",
		"func F() { func() { n = 1 }() }":                   "variable n",
	} {
		file, _ := snippet(t, vars+body)
		expect(t, checkState("x", []*ast.File{file}), want)
	}
}
