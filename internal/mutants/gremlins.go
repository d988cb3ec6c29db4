package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// gremlins runs the mutation tester of that name.
type gremlins struct {
	binary  string
	module  string
	results string
	workers int
}

// outcome is what became of a mutant that the tests reach.
type outcome struct {
	Place   place
	Line    int
	Mutated string // the line, as it was changed
	Killed  bool
}

// patience is how many times as long as the original a mutant may take before
// gremlins gives it up. It is then tried again alone.
const patience = 5

// measure returns the mutants of a package that its tests reach; from the
// results that are kept, where the package has not changed since.
func (g gremlins) measure(ctx context.Context, pkg, digest string) ([]outcome, error) {
	kept := filepath.Join(g.results, digest+".json")
	text, err := os.ReadFile(kept)
	if err == nil {
		var outcomes []outcome
		return outcomes, json.Unmarshal(text, &outcomes)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	fmt.Fprintln(os.Stderr, "measuring", pkg)
	outcomes, err := g.unleash(ctx, pkg)
	if err != nil || g.results == "" {
		return outcomes, err
	}
	if text, err = json.Marshal(outcomes); err != nil {
		return nil, err
	}
	return outcomes, errors.Join(os.MkdirAll(g.results, 0o755), os.WriteFile(kept, text, 0o644))
}

// unleash runs gremlins in a copy of the module, from which the tests of other
// packages are missing: it would run those below the package too.
func (g gremlins) unleash(ctx context.Context, pkg string) ([]outcome, error) {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := copyModule(g.module, dir, pkg); err != nil {
		return nil, err
	}
	t, err := newTrial(ctx, dir, pkg)
	if err != nil {
		return nil, err
	}

	written := filepath.Join(dir, "gremlins.json")
	args := []string{"unleash", "--output", written, "--exclude-files", "/", "--timeout-coefficient", strconv.Itoa(patience)}
	if g.workers > 0 {
		args = append(args, "--workers", strconv.Itoa(g.workers))
	}
	if _, err := output(ctx, dir, g.binary, append(append(args, kinds()...), "./"+pkg)...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(written)
	if errors.Is(err, fs.ErrNotExist) { // there was nothing to change
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	results, err := parseResults(text)
	if err != nil {
		return nil, err
	}
	return t.judge(ctx, results)
}

// result is a mutant as gremlins saw it.
type result struct {
	file         string // from the package's folder
	line, column int
	kind         string
	status       string
}

// parseResults reads what gremlins writes, from the head of each file on.
func parseResults(text []byte) ([]result, error) {
	var written struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type, Status string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(text, &written); err != nil {
		return nil, fmt.Errorf("what gremlins wrote: %w", err)
	}
	var results []result
	for _, f := range written.Files {
		for _, m := range f.Mutations {
			results = append(results, result{f.Name, m.Line, m.Column, m.Type, m.Status})
		}
	}
	slices.SortFunc(results, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line, a.column-b.column, cmp.Compare(a.kind, b.kind))
	})
	return results, nil
}
