package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// trial tests the mutants of one package in a copy of the module.
type trial struct {
	dir, pkg string
	workers  int
	program  string
	tests    []test
}

// test is a test that passes on the original package.
type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool // the mutants that it reaches
}

// newTrial compiles the package with all its mutants and runs each test without
// active mutants, which has to pass.
func newTrial(ctx context.Context, dir, pkg string, workers int, overlay map[string]string) (*trial, error) {
	t := &trial{dir: dir, pkg: pkg, workers: workers, program: filepath.Join(dir, "all.test")}
	if err := t.compile(ctx, t.program, overlay); err != nil {
		return nil, err
	}
	out, err := t.run(ctx, t.program, nil, "-test.list=^(Test|Example|Fuzz)")
	if err != nil {
		return nil, err
	}
	t.tests = make([]test, len(strings.Fields(string(out))))
	group, ctx := t.group(ctx)
	for i, name := range strings.Fields(string(out)) {
		group.Go(func() (err error) {
			t.tests[i], err = t.trace(ctx, name)
			return err
		})
	}
	return t, group.Wait()
}

func (t *trial) group(ctx context.Context) (*errgroup.Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.workers)
	return group, ctx
}

// compile builds the package's tests with some files replaced.
func (t *trial) compile(ctx context.Context, program string, overlay map[string]string) error {
	replace := map[string]string{}
	folder, err := os.MkdirTemp(t.dir, "overlay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for file, text := range overlay {
		changed := filepath.Join(folder, file)
		replace[filepath.Join(t.dir, filepath.FromSlash(t.pkg), file)] = changed
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			return err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	listed := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(listed, list, 0o600); err != nil {
		return err
	}
	_, err = output(ctx, t.dir, "go", "test", "-c", "-overlay", listed, "-o", program, "./"+t.pkg)
	return err
}

// run runs the package's compiled tests in the package's folder.
func (t *trial) run(ctx context.Context, program string, env []string, args ...string) ([]byte, error) {
	return outputWith(ctx, filepath.Join(t.dir, filepath.FromSlash(t.pkg)), env, program,
		append([]string{"-test.short", "-test.failfast"}, args...)...)
}

// trace runs one test alone and records the mutants that it reaches.
func (t *trial) trace(ctx context.Context, name string) (test, error) {
	seen := filepath.Join(t.dir, name+".seen")
	start := time.Now()
	if _, err := t.run(ctx, t.program, []string{"MUTANTS_SEEN=" + seen}, "-test.run=^"+name+"$"); err != nil {
		return test{}, fmt.Errorf("%s fails on the original package when run alone: %w", name, err)
	}
	met := test{name: name, took: time.Since(start), reaches: map[int]bool{}}
	text, err := os.ReadFile(seen)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return test{}, err
	}
	for field := range strings.FieldsSeq(string(text)) {
		var n int
		if _, err := fmt.Sscan(field, &n); err != nil {
			return test{}, err
		}
		met.reaches[n] = true
	}
	return met, nil
}

// rounds are the minimum total durations of the tests in each round, so that
// mutants killed by a fast test do not wait for slow ones.
var rounds = []time.Duration{100 * time.Millisecond, time.Second, time.Hour}

// kills reports whether a test that reaches a mutant fails on it or does not end.
func (t *trial) kills(ctx context.Context, program string, n int) (killed bool, err error) {
	meeting := slices.DeleteFunc(slices.Clone(t.tests), func(own test) bool { return !own.reaches[n] })
	slices.SortStableFunc(meeting, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	for round := 0; len(meeting) > 0 && !killed && err == nil; round++ {
		var names []string
		var took time.Duration
		for len(meeting) > 0 && took < rounds[min(round, len(rounds)-1)] {
			names, took = append(names, meeting[0].name), took+meeting[0].took
			meeting = meeting[1:]
		}
		killed, err = t.fails(ctx, program, n, names, took)
	}
	return killed, err
}

// fails reports whether one of the tests fails on a mutant. The time limit is ten
// times their duration plus ten seconds: a slow machine does not count as a
// failure, an endless loop does.
func (t *trial) fails(ctx context.Context, program string, n int, names []string, took time.Duration) (bool, error) {
	limit := 10*took + 10*time.Second
	running, cancel := context.WithTimeout(ctx, limit+10*time.Second)
	defer cancel()
	_, err := t.run(running, program, []string{fmt.Sprint("MUTANT=", n)}, "-test.timeout="+limit.String(),
		"-test.run=^("+strings.Join(names, "|")+")$")
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil:
		return false, nil
	case errors.As(err, &exit):
		return true, nil
	}
	return false, err
}

// all returns the numbers of the mutants that any test reaches.
func (t *trial) all() []int {
	met := map[int]bool{}
	for _, own := range t.tests {
		maps.Copy(met, own.reaches)
	}
	return slices.Sorted(maps.Keys(met))
}
