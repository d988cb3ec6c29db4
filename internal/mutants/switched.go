package main

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

//go:embed switches/switches.go
var switches string

// switchesImport lists the imports of switches.go.
var switchesImport = []string{"cmp", "fmt", "os", "runtime", "strconv", "sync", "time"}

// switchesFor returns switches.go as a file of a package.
func switchesFor(pkg string) string {
	return strings.Replace(switches, "\npackage switches\n", "\npackage "+pkg+"\n", 1)
}

// switched writes a file with its mutants next to the original code, each inactive until selected,
// so that a package is compiled once for all of them. Line numbers do not change. For a mutant
// that cannot be written this way, the file only records whether its statement is executed.
type switched struct {
	source
	types  types.Info
	here   map[ast.Node][]site
	beside map[ast.Stmt][]site // mutants that are only recorded
}

func newSwitched(s source, info types.Info, alone map[int]bool) switched {
	w := switched{source: s, types: info, here: map[ast.Node][]site{}, beside: map[ast.Stmt][]site{}}
	for _, m := range s.sites {
		if !alone[m.number] {
			w.here[m.node] = append(w.here[m.node], m)
		} else if around := s.statement(m); around != nil {
			w.beside[around] = append(w.beside[around], m)
		}
	}
	return w
}

// statement returns the innermost statement that contains a mutant and can be
// preceded by another statement, or nil outside of functions.
func (s *source) statement(m site) (innermost ast.Stmt) {
	ast.Inspect(s.tree, func(n ast.Node) bool {
		for _, own := range list(n) {
			if own.Pos() <= m.node.Pos() && m.node.End() <= own.End() {
				innermost = own
			}
		}
		return n != nil && n.Pos() <= m.node.Pos() && m.node.End() <= n.End()
	})
	return innermost
}

// list returns the statements of a block or clause.
func list(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		if !isSwitch(n) {
			return n.List
		}
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// isSwitch reports whether a block belongs to a switch or select.
func isSwitch(n *ast.BlockStmt) bool {
	if len(n.List) == 0 {
		return false
	}
	switch n.List[0].(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// text returns the complete file.
func (w switched) text() string {
	return w.within(w.tree.FileStart, w.tree.FileEnd, w.tree)
}

// edit replaces a part of the source.
type edit struct {
	from, to token.Pos
	text     string
}

// within returns a part of the source with the mutants below a node.
func (w switched) within(from, to token.Pos, top ast.Node) string {
	var edits []edit
	ast.Inspect(top, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if s, is := n.(ast.Stmt); is {
			for _, m := range w.beside[s] {
				edits = append(edits, edit{n.Pos(), n.Pos(), fmt.Sprintf("mutantIs(%d); ", m.number)})
			}
		}
		if n != top && len(w.here[n]) > 0 {
			edits = append(edits, edit{n.Pos(), n.End(), w.mutants(n)})
			return false
		}
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return int(a.from - b.from) })
	var text strings.Builder
	for _, e := range edits {
		text.WriteString(w.between(from, e.from) + e.text)
		from = e.to
	}
	text.WriteString(w.between(from, to))
	return text.String()
}

// part returns an expression with its mutants.
func (w switched) part(n ast.Expr) string {
	if len(w.here[n]) > 0 {
		return w.mutants(n)
	}
	return w.within(n.Pos(), n.End(), n)
}

var words = map[token.Token]string{
	token.ADD: "Add", token.SUB: "Subtract", token.MUL: "Multiply", token.QUO: "Divide", token.REM: "Remainder",
	token.ADD_ASSIGN: "Add", token.SUB_ASSIGN: "Subtract", token.MUL_ASSIGN: "Multiply", token.QUO_ASSIGN: "Divide",
	token.LSS: "Less", token.LEQ: "LessOrEqual", token.GTR: "Greater", token.GEQ: "GreaterOrEqual",
	token.LAND: "And", token.LOR: "Or",
}

// mutants returns the text of a node with its own mutants and those below it.
func (w switched) mutants(n ast.Node) string {
	sites := w.here[n]
	first := sites[0].number
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return w.binary(n)
	case *ast.UnaryExpr:
		word := map[token.Token]string{token.SUB: "Minus", token.ADD: "Plus"}[n.Op]
		return fmt.Sprintf("mutant%s%s(%d, %s)", word, w.typed(n), first, w.part(n.X))
	case *ast.IncDecStmt:
		operator := map[token.Token]string{token.INC: "+=", token.DEC: "-="}[n.Tok]
		return fmt.Sprintf("%s %s mutantStep(%d, %[1]s)", w.part(n.X), operator, first)
	case *ast.AssignStmt:
		word := words[n.Tok]
		if isText(w.types.TypeOf(n.Lhs[0])) {
			word = "Text"
		}
		return fmt.Sprintf("%s = mutantAssign%s(%d, %d, %[1]s, %[5]s)", w.part(n.Lhs[0]), word,
			w.number(n, "INVERT_ASSIGNMENTS"), w.number(n, "REMOVE_SELF_ASSIGNMENTS"), w.part(n.Rhs[0]))
	case *ast.BranchStmt:
		label := ""
		if n.Label != nil {
			label = " " + n.Label.Name
		}
		return fmt.Sprintf("if mutantIs(%d) { %s%s } else { %s%[3]s }", first, sites[0].to, label, n.Tok)
	}
	panic(fmt.Sprintf("no mutants of a %T", n))
}

func (w switched) binary(n *ast.BinaryExpr) string {
	first := w.here[n][0].number
	between := w.between(n.X.End(), n.Y.Pos())
	lines := strings.Repeat("\n", strings.Count(between, "\n"))
	a, b := w.part(n.X), w.part(n.Y)
	switch n.Op {
	case token.LAND, token.LOR:
		return fmt.Sprintf("mutant%s(%d, %s, %sfunc() bool { return %s })", words[n.Op], first, a, lines, b)
	case token.EQL, token.NEQ:
		return fmt.Sprintf("mutantNot(%d, %s%s%s)", first, a, between, b)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return fmt.Sprintf("mutant%s(%d, %d, %s, %s%s)", words[n.Op],
			w.number(n, "CONDITIONALS_BOUNDARY"), w.number(n, "CONDITIONALS_NEGATION"), a, lines, b)
	default:
		return fmt.Sprintf("mutant%s%s(%d, %s, %s%s)", words[n.Op], w.typed(n), first, a, lines, b)
	}
}

// number returns the number of a node's mutant of a kind, or 0.
func (w switched) number(n ast.Node, kind string) int {
	for _, m := range w.here[n] {
		if m.Kind == kind {
			return m.number
		}
	}
	return 0
}

// typed returns the type argument for a constant expression, which a generic
// function could not infer from untyped constants.
func (w switched) typed(n ast.Expr) string {
	known := w.types.Types[n]
	if known.Value == nil || known.Value.Kind() == constant.Unknown {
		return ""
	}
	return "[" + types.TypeString(types.Default(known.Type), func(p *types.Package) string {
		if p.Name() == w.tree.Name.Name {
			return ""
		}
		return p.Name()
	}) + "]"
}

// isText reports whether a type is a string type, which has + but not -.
func isText(t types.Type) bool {
	basic, is := t.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsString != 0
}
