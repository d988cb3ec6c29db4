package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// report is the result of all packages and the necessary actions.
type report struct {
	rows      []row
	survivors []outcome
	stale     equivalents
	broken    []error // packages that could not be measured, such as those with failing tests
}

// add evaluates a package's mutants and its equivalents.
func (r *report) add(pkg string, listed equivalents, digest string, outcomes []outcome) row {
	survivors, stale := listed.match(outcomes)
	judged := row{pkg: pkg, digest: listed.with(digest), covered: len(outcomes), equivalents: len(listed) - len(stale)}
	judged.killed = judged.covered - judged.equivalents - len(survivors)
	r.rows = append(r.rows, judged)
	r.survivors = append(r.survivors, survivors...)
	r.stale = append(r.stale, stale...)
	return judged
}

// String returns the survivors, each in the format of an entry with the changed
// line, and a Markdown table.
func (r *report) String() string {
	var b strings.Builder
	for _, s := range r.survivors {
		fmt.Fprintf(&b, "%s\n\t%s:%d %s\n", s.Place, s.Place.File, s.Line, s.Mutated)
	}
	slices.SortFunc(r.rows, func(a, b row) int { return cmp.Compare(a.pkg, b.pkg) })
	longest := len("package")
	for _, p := range r.rows {
		longest = max(longest, len(p.pkg))
	}
	fmt.Fprintf(&b, "\n| %-*s | covered | killed | equivalent | %% killed | bar |\n", longest, "package")
	fmt.Fprintf(&b, "|%s|--------:|-------:|-----------:|---------:|----:|\n", strings.Repeat("-", longest+2))
	var unmeasured []string
	for _, p := range r.rows {
		if p.digest == "" {
			unmeasured = append(unmeasured, p.pkg)
			continue
		}
		fmt.Fprintf(&b, "| %-*s | %7d | %6d | %10d | %8d | %3d |\n", longest, p.pkg, p.covered,
			p.killed, p.equivalents, p.percent(), bar(p.pkg))
	}
	if len(unmeasured) > 0 {
		fmt.Fprintf(&b, "\nNOT MEASURED (out of time or no record): %s\nmake mutants measures and records them.\n",
			strings.Join(unmeasured, " "))
	}
	return b.String()
}

// failure returns what has to change, or nil. Packages that were not measured are
// not failures.
func (r *report) failure() error {
	failures := slices.Clone(r.broken)
	for _, p := range r.rows {
		if p.tooLow() {
			failures = append(failures, fmt.Errorf("%s: %d percent killed, the bar is %d", p.pkg, p.percent(), bar(p.pkg)))
		}
	}
	for _, e := range r.stale {
		failures = append(failures, fmt.Errorf("no survivor matches the entry in %s: %s", equivalentsFile, e.place))
	}
	return errors.Join(failures...)
}
