package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is how the packages stand, and what is to be done.
type report struct {
	rows      []row
	survivors []outcome
	stale     equivalents
}

// add judges a package by its mutants and its list of equivalents.
func (r *report) add(pkg string, listed equivalents, digest string, outcomes []outcome) row {
	survivors, stale := listed.match(outcomes)
	judged := row{pkg: pkg, digest: listed.with(digest), covered: len(outcomes), equivalents: len(listed) - len(stale)}
	judged.killed = judged.covered - judged.equivalents - len(survivors)
	r.rows = append(r.rows, judged)
	r.survivors = append(r.survivors, survivors...)
	r.stale = append(r.stale, stale...)
	return judged
}

// String is the survivors, each as it would be listed with what it was changed
// to, and the table, which Markdown draws as one.
func (r report) String() string {
	var b strings.Builder
	for _, s := range r.survivors {
		fmt.Fprintf(&b, "%s\n\t%s:%d %s\n", s.Place, s.Place.File, s.Line, s.Mutated)
	}
	slices.SortFunc(r.rows, func(a, b row) int { return cmp.Compare(a.pkg, b.pkg) })
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintf(w, "\n| package\t| covered\t| killed\t| equivalent\t| %% killed\t| bar\t|\n|---\t|--:\t|--:\t|--:\t|--:\t|--:\t|\n")
	var unmeasured []string
	for _, p := range r.rows {
		if p.digest == "" {
			unmeasured = append(unmeasured, p.pkg)
			continue
		}
		fmt.Fprintf(w, "| %s\t| %d\t| %d\t| %d\t| %d\t| %d\t|\n", p.pkg, p.covered, p.killed, p.equivalents, p.percent(), bar(p.pkg))
	}
	w.Flush()
	if len(unmeasured) > 0 {
		fmt.Fprintf(&b, "\nNOT MEASURED, because the time was up: %s\nmake mutants measures and records them.\n", strings.Join(unmeasured, " "))
	}
	return b.String()
}

// failure returns what has to change, or nil. A package that was not measured is
// none of it.
func (r report) failure() error {
	var failures []error
	for _, p := range r.rows {
		if p.tooLow() {
			failures = append(failures, fmt.Errorf("%s: %d percent killed, the bar is %d", p.pkg, p.percent(), bar(p.pkg)))
		}
	}
	for _, e := range r.stale {
		failures = append(failures, fmt.Errorf("no survivor fits the entry of %s: %s", equivalentsFile, e.place))
	}
	return errors.Join(failures...)
}
