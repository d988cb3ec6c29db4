package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// place identifies a mutant in a way that is stable under edits elsewhere: its
// kind, the line's text, and its number among the file's mutants with the same
// kind and line, from 1.
type place struct {
	File string // relative to the module's root
	Kind string
	Nth  int
	Text string
}

func (p place) String() string {
	if p.Nth == 1 {
		return fmt.Sprintf("%s %s: %s", p.File, p.Kind, p.Text)
	}
	return fmt.Sprintf("%s %s %d: %s", p.File, p.Kind, p.Nth, p.Text)
}

// site is the position of a mutant and its replacement.
type site struct {
	place
	number   int // number in the package, from 1
	at       token.Position
	from, to token.Token
	node     ast.Node
	inner    bool // whether it is an operand of another operator
}

// source is a file with the sites of its mutants.
type source struct {
	name  string // in its folder
	text  string
	start token.Pos
	tree  *ast.File
	sites []site
}

// readSource parses a file of the module and finds the sites of its mutants.
func readSource(set *token.FileSet, module, file string) (source, error) {
	text, err := os.ReadFile(filepath.Join(module, file))
	if err != nil {
		return source{}, err
	}
	tree, err := parse(set, file, string(text))
	if err != nil {
		return source{}, err
	}
	s := source{name: path.Base(file), text: string(text), start: tree.FileStart, tree: tree}
	lines := strings.Split(s.text, "\n")
	operands := map[ast.Node]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if binary, is := n.(*ast.BinaryExpr); is {
			operands[binary.X], operands[binary.Y] = true, true
		}
		from, pos := operatorOf(n)
		for _, kind := range kindsOf(from) {
			at := set.Position(pos)
			p := place{File: file, Kind: kind, Text: strings.TrimSpace(lines[at.Line-1])}
			s.sites = append(s.sites, site{place: p, at: at, from: from, to: changes[kind][from], node: n, inner: operands[n]})
		}
		return true
	})
	s.count()
	return s, nil
}

// count numbers the sites with the same place in file order.
func (s *source) count() {
	slices.SortStableFunc(s.sites, func(a, b site) int { return a.at.Offset - b.at.Offset })
	seen := map[place]int{}
	for i := range s.sites {
		p := &s.sites[i].place
		seen[*p]++
		p.Nth = seen[*p]
	}
}

// mutated returns the file with the mutant and its changed line. If the new
// operator binds less tightly, it adds parentheses to keep the operands.
func (s *source) mutated(m site) (file, line string) {
	before, after := s.text[:m.at.Offset], s.text[m.at.Offset+len(m.from.String()):]
	if m.to.Precedence() < m.from.Precedence() && m.inner {
		from, to := m.node.Pos()-s.start, int(m.node.End()-s.start)-len(s.text)+len(after)
		before, after = before[:from]+"("+before[from:], after[:to]+")"+after[to:]
	}
	file = before + m.to.String() + after
	return file, strings.TrimSpace(strings.Split(file, "\n")[m.at.Line-1])
}

// between returns the text between two positions.
func (s *source) between(from, to token.Pos) string { return s.text[from-s.start : to-s.start] }
