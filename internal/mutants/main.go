// Mutants is a mutation tester: it measures which changes of the code the tests
// notice. It changes one token at a time in the packages that handle pledges,
// money, mail and storage, and runs those of the package's own tests that reach
// the changed code. A mutant on which a test fails is killed; one on which all
// tests pass survives.
//
// Survivors that behave like the original are listed in equivalents.txt with the
// reason. The last measurement of each package is stored in record.txt, with a
// digest of the measured files, and in docs/reliability.md. The -check mode
// measures only packages that have changed since.
//
// Run it in the module's root, as make mutants does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"time"
)

const (
	equivalentsFile = "internal/mutants/equivalents.txt"
	recordFile      = "internal/mutants/record.txt"
	tableFile       = "docs/reliability.md"
)

func main() {
	m := tester{module: "."}
	flag.StringVar(&m.results, "results", "",
		"folder in which to store results, so that unchanged packages are not measured again")
	flag.IntVar(&m.workers, "workers", runtime.NumCPU(), "number of mutants to test in parallel")
	budget := flag.Duration("check", 0,
		"use the record for unchanged packages without updating it, and measure others for at most this duration")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, m, flag.Args(), *budget); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run prints the results of the named packages, or of all. It fails if a package cannot be
// measured or is below its bar, or if an equivalent has no survivor.
func run(ctx context.Context, m tester, names []string, budget time.Duration) error {
	all, err := listPackages(ctx, m.module)
	if err != nil {
		return err
	}
	packages, err := choose(all, names)
	if err != nil {
		return err
	}
	list, err := readEquivalents(equivalentsFile)
	if err != nil {
		return err
	}
	recorded, err := readRecord(recordFile)
	if err != nil {
		return err
	}
	measure := update
	if budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, budget)
		defer cancel()
		measure = check
	}
	r, err := measure(ctx, m, packages, list, recorded)
	if err != nil {
		return err
	}
	fmt.Print(r)
	return r.failure()
}

// update measures the packages and records each one when it is done.
func update(ctx context.Context, m tester, packages []string, list equivalents, recorded record) (report, error) {
	var r report
	for _, pkg := range packages {
		digest, err := digestOf(m.module, pkg)
		if err != nil {
			return r, err
		}
		outcomes, err := m.measure(ctx, pkg, digest)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil {
			r.broken = append(r.broken, fmt.Errorf("%s: %w", pkg, err))
			continue
		}
		recorded[pkg] = r.add(pkg, list.of(pkg), digest, outcomes)
		if err := errors.Join(recorded.write(recordFile), recorded.writeTable(tableFile)); err != nil {
			return r, err
		}
	}
	return r, nil
}

// check takes unchanged packages from the record and measures the others until
// the context ends, smallest first, so that as many as possible are measured.
// Packages without a record are reported as not measured.
func check(ctx context.Context, m tester, packages []string, list equivalents, recorded record) (report, error) {
	packages = slices.Clone(packages)
	slices.SortStableFunc(packages, func(a, b string) int { return recorded[a].covered - recorded[b].covered })
	var r report
	for _, pkg := range packages {
		digest, err := digestOf(m.module, pkg)
		if err != nil {
			return r, err
		}
		last, known := recorded[pkg]
		if !known || last.digest == list.of(pkg).with(digest) {
			last.pkg = pkg
			r.rows = append(r.rows, last)
			continue
		}
		outcomes, err := m.measure(ctx, pkg, digest)
		switch {
		case ctx.Err() != nil:
			r.rows = append(r.rows, row{pkg: pkg})
		case err != nil:
			r.broken = append(r.broken, fmt.Errorf("%s: %w", pkg, err))
		default:
			r.add(pkg, list.of(pkg), digest, outcomes)
		}
	}
	return r, nil
}
