package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
)

// mutants are the mutants of a package.
type mutants struct {
	compiler compiler
	sources  []source
	sites    map[int]site
	alone    map[int]bool      // mutants that have to be compiled alone
	name     string            // package name
	texts    map[string]string // the files with all other mutants, by name
}

// readMutants finds a package's mutants and how they can be compiled.
func readMutants(ctx context.Context, dir, pkg string) (mutants, error) {
	c, err := newCompiler(ctx, dir, pkg)
	if err != nil {
		return mutants{}, err
	}
	m := mutants{compiler: c, sites: map[int]site{}, alone: map[int]bool{}}
	for _, file := range c.files {
		s, err := readSource(c.set, dir, path.Join(pkg, file))
		if err != nil {
			return mutants{}, err
		}
		m.sources = append(m.sources, s)
		m.name = s.tree.Name.Name
	}
	err = m.compose()
	return m, err
}

// compose creates the texts of all files, with inactive mutants. If lines do not compile, it marks
// their mutants to be compiled alone and tries again.
func (m *mutants) compose() error {
	info, wrong := m.compiler.check(m.trees())
	if len(wrong) > 0 {
		return fmt.Errorf("%s does not compile: %v", m.name, wrong)
	}
	n := 0
	for i := range m.sources {
		own := &m.sources[i]
		own.sites = slices.DeleteFunc(own.sites, func(s site) bool { return subtractsText(s, info) })
		for j := range own.sites {
			n++
			own.sites[j].number = n
			m.sites[n] = own.sites[j]
		}
	}
	for {
		m.texts = map[string]string{}
		var trees []*ast.File
		for _, s := range m.sources {
			m.texts[s.name] = newSwitched(s, info, m.alone).text()
		}
		m.texts["mutants_switches.go"] = switchesFor(m.name)
		for name, text := range m.texts {
			tree, err := parse(m.compiler.set, name, text)
			if err != nil {
				return err
			}
			trees = append(trees, tree)
		}
		_, wrong = m.compiler.check(trees)
		if len(wrong) == 0 {
			return nil
		}
		if !m.setAside(wrong) {
			return fmt.Errorf("%s does not compile with its mutants: %v", m.name, wrong)
		}
	}
}

// setAside marks the mutants on the given lines to be compiled alone, and reports whether any were
// newly marked. If there are none, it marks the mutants in these files that swap break and
// continue: one that creates an endless loop causes an error on the last line of its function,
// which then lacks a return statement.
func (m *mutants) setAside(wrong map[line]string) bool {
	files := map[string]bool{}
	for at := range wrong {
		files[at.file] = true
	}
	return m.setAsideWhere(func(s site) bool { return wrong[line{path.Base(s.File), s.at.Line}] != "" }) ||
		m.setAsideWhere(func(s site) bool { return s.Kind == "INVERT_LOOPCTRL" && files[path.Base(s.File)] })
}

func (m *mutants) setAsideWhere(are func(site) bool) bool {
	before := len(m.alone)
	for n, s := range m.sites {
		if are(s) {
			m.alone[n] = true
		}
	}
	return len(m.alone) > before
}

func (m *mutants) trees() []*ast.File {
	var trees []*ast.File
	for _, s := range m.sources {
		trees = append(trees, s.tree)
	}
	return trees
}

// outcome tests a mutant and returns the result, or an empty one if the mutant does not compile.
func (m *mutants) outcome(ctx context.Context, t *trial, n int) (outcome, error) {
	s := m.sites[n]
	i := slices.IndexFunc(m.sources, func(own source) bool { return own.name == path.Base(s.File) })
	text, changed := m.sources[i].mutated(s)
	program := t.program
	if m.alone[n] {
		program = filepath.Join(t.dir, fmt.Sprint(n, ".test"))
		defer func() { _ = os.Remove(program) }() // the rest is removed with the folder
		var exit *exec.ExitError
		if err := t.compile(ctx, program, map[string]string{m.sources[i].name: text}); errors.As(err, &exit) {
			return outcome{}, ctx.Err()
		} else if err != nil {
			return outcome{}, err
		}
	}
	killed, err := t.kills(ctx, program, n)
	return outcome{Place: s.place, Line: s.at.Line, Mutated: changed, Killed: killed}, err
}

// subtractsText reports whether a mutant subtracts strings, which does not
// compile.
func subtractsText(m site, info types.Info) bool {
	switch n := m.node.(type) {
	case *ast.BinaryExpr:
		return m.Kind == "ARITHMETIC_BASE" && isText(info.TypeOf(n))
	case *ast.AssignStmt:
		return m.Kind == "INVERT_ASSIGNMENTS" && isText(info.TypeOf(n.Lhs[0]))
	}
	return false
}
