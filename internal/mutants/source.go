package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place names a mutant so that the name outlives edits elsewhere: its kind, the
// line's own text, and which of the file's mutants with both it is, from 1.
type place struct {
	File string // from the module's folder
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

// site is where a mutant is made, and of what.
type site struct {
	place
	at       token.Position
	from, to token.Token
}

// source is a file with the sites of its mutants, in no order but their own.
type source struct {
	text  string
	sites []site
}

// readSource reads a file of the module.
func readSource(module, file string) (source, error) {
	text, err := os.ReadFile(filepath.Join(module, file))
	if err != nil {
		return source{}, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	s := source{text: string(text)}
	lines := strings.Split(s.text, "\n")
	ast.Inspect(tree, func(n ast.Node) bool {
		from, pos := operatorOf(n)
		for _, kind := range kindsOf(from) {
			at := set.Position(pos)
			p := place{File: file, Kind: kind, Text: strings.TrimSpace(lines[at.Line-1])}
			s.sites = append(s.sites, site{p, at, from, changes[kind][from]})
		}
		return true
	})
	s.count()
	return s, nil
}

// count numbers the sites that have everything else of their names in common,
// from the file's head on.
func (s *source) count() {
	slices.SortStableFunc(s.sites, func(a, b site) int { return a.at.Offset - b.at.Offset })
	seen := map[place]int{}
	for i := range s.sites {
		p := &s.sites[i].place
		seen[*p]++
		p.Nth = seen[*p]
	}
}

// find returns the site that gremlins means.
func (s source) find(kind string, line, column int) (site, error) {
	for _, found := range s.sites {
		if found.Kind == kind && found.at.Line == line && found.at.Column == column {
			return found, nil
		}
	}
	return site{}, fmt.Errorf("there is no %s at line %d, column %d", kind, line, column)
}

// mutated returns the file with the mutant in it, and the line with it.
func (s source) mutated(m site) (file, line string) {
	rest := s.text[m.at.Offset+len(m.from.String()):]
	file = s.text[:m.at.Offset] + m.to.String() + rest
	return file, strings.TrimSpace(strings.Split(file, "\n")[m.at.Line-1])
}
