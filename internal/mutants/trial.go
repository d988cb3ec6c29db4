package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"time"
)

// goflags are what every package is tested with: its short tests, always anew,
// because gremlins' patience comes from how long they take, and without vet,
// whose opinion of a mutant is no test's.
const goflags = "-short -count=1 -vet=off -trimpath"

// trial judges the mutants of one package in a copy of the module.
type trial struct {
	dir      string
	pkg      string
	limit    time.Duration // for the tests with a mutant
	compiler compiler
	sources  map[string]source
}

var passed = regexp.MustCompile(`(?m)^ok\s+\S+\s+([\d.]+s)`)

// newTrial runs the tests as they are, which have to pass, and gives a mutant
// ten times as long and half a minute: where it takes longer, it has no end.
func newTrial(ctx context.Context, dir, pkg string) (trial, error) {
	out, err := output(ctx, dir, "go", "test", "./"+pkg)
	if err != nil {
		return trial{}, err
	}
	t := trial{dir: dir, pkg: pkg, limit: 30 * time.Second, sources: map[string]source{}}
	if took := passed.FindSubmatch(out); took != nil {
		once, err := time.ParseDuration(string(took[1]))
		if err != nil {
			return trial{}, err
		}
		t.limit += 10 * once
	}
	t.compiler, err = newCompiler(ctx, dir, pkg)
	return t, err
}

// judge returns what became of the mutants that the tests reach. Those that do
// not compile are none, and those that gremlins gave up are tried again: a slow
// machine is no evidence, a loop without an end is.
func (t trial) judge(ctx context.Context, results []result) ([]outcome, error) {
	var outcomes []outcome
	for _, r := range results {
		if r.status == "NOT COVERED" || r.status == "NOT VIABLE" {
			continue
		}
		s, err := t.source(r.file)
		if err != nil {
			return nil, err
		}
		m, err := s.find(r.kind, r.line, r.column)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.file, err)
		}
		text, line := s.mutated(m)
		if t.compiler.check(r.file, text) != nil {
			continue
		}
		killed := r.status == "KILLED"
		if r.status == "TIMED OUT" {
			if killed, err = t.kills(ctx, s, m.File, text); err != nil {
				return nil, err
			}
		}
		outcomes = append(outcomes, outcome{Place: m.place, Line: r.line, Mutated: line, Killed: killed})
	}
	return outcomes, nil
}

func (t trial) source(name string) (source, error) {
	if s, ok := t.sources[name]; ok {
		return s, nil
	}
	s, err := readSource(t.dir, path.Join(t.pkg, name))
	t.sources[name] = s
	return s, err
}

// kills reports whether the tests fail on a file's changed text, or do not end.
func (t trial) kills(ctx context.Context, s source, file, text string) (bool, error) {
	name := filepath.Join(t.dir, file)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return false, err
	}
	_, failure := output(ctx, t.dir, "go", "test", "-failfast", "-timeout", t.limit.String(), "./"+t.pkg)
	if err := os.WriteFile(name, []byte(s.text), 0o644); err != nil {
		return false, err
	}
	var exit *exec.ExitError
	if failure != nil && !errors.As(failure, &exit) {
		return false, failure
	}
	return failure != nil, nil
}
