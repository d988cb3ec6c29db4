package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// tester measures the packages of a module.
type tester struct {
	module  string
	results string // folder with the stored results; empty for none
	workers int    // mutants tested in parallel
}

// outcome is the result of a mutant that the tests reach.
type outcome struct {
	Place   place
	Line    int
	Mutated string // the changed line
	Killed  bool
}

// measure returns the outcomes of the mutants that a package's tests reach, from the stored
// results if the package is unchanged.
func (m tester) measure(ctx context.Context, pkg, digest string) ([]outcome, error) {
	kept := filepath.Join(m.results, digest+".json")
	text, err := os.ReadFile(kept)
	if err == nil {
		var outcomes []outcome
		err = json.Unmarshal(text, &outcomes)
		return outcomes, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	fmt.Fprintln(os.Stderr, "measuring", pkg)
	outcomes, err := m.measureCopy(ctx, pkg)
	if err != nil || m.results == "" {
		return outcomes, err
	}
	if text, err = json.Marshal(outcomes); err != nil {
		return nil, err
	}
	return outcomes, errors.Join(os.MkdirAll(m.results, 0o755), os.WriteFile(kept, text, 0o644))
}

// measureCopy measures a package in a copy of the module.
func (m tester) measureCopy(ctx context.Context, pkg string) ([]outcome, error) {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := copyModule(m.module, dir, pkg); err != nil {
		return nil, err
	}
	all, err := readMutants(ctx, dir, pkg)
	if err != nil || len(all.sites) == 0 {
		return nil, err
	}
	t, err := newTrial(ctx, dir, pkg, m.workers, all.texts)
	if err != nil {
		return nil, err
	}
	met := t.all()
	outcomes := make([]outcome, len(met))
	group, ctx := t.group(ctx)
	for i, n := range met {
		group.Go(func() (err error) {
			outcomes[i], err = all.outcome(ctx, t, n)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(outcomes, func(o outcome) bool { return o.Line == 0 }), nil
}
