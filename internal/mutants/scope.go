package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// roots are the folders whose packages are measured.
var roots = []string{"pledge", "checkout", "settlement", "tax", "shipping", "notify", "kv"}

// Packages that handle money, and folders in which all packages do.
var (
	money      = []string{"pledge", "pledge/money", "pledge/order", "pledge/inventory", "pledge/projection", "checkout"}
	moneyBelow = []string{"checkout/psp", "settlement", "tax"}
)

// Percentages of killable mutants that a package's tests have to kill.
const (
	moneyBar = 90
	otherBar = 80
)

// bar returns the percentage of mutants that a package's tests have to kill.
func bar(pkg string) int {
	if slices.Contains(money, pkg) || slices.ContainsFunc(moneyBelow, func(root string) bool { return under(pkg, root) }) {
		return moneyBar
	}
	return otherBar
}

func under(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// listPackages returns the packages to measure, by folder, without test suites
// and commands.
func listPackages(ctx context.Context, module string) ([]string, error) {
	args := []string{"list", "-f", "{{.Name}} {{.Module.Path}} {{.ImportPath}}"}
	for _, root := range roots {
		args = append(args, "./"+root+"/...")
	}
	out, err := output(ctx, module, "go", args...)
	if err != nil {
		return nil, err
	}
	var packages []string
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := strings.TrimPrefix(fields[2], fields[1]+"/")
		if fields[0] != "main" && !strings.HasSuffix(fields[0], "test") {
			packages = append(packages, pkg)
		}
	}
	return packages, nil
}

// choose returns the named packages, or all if none are named. A name that ends
// in /... includes subpackages, as in the go command.
func choose(all, names []string) ([]string, error) {
	if len(names) == 0 {
		return all, nil
	}
	chosen := map[string]bool{}
	for _, name := range names {
		folder, below := strings.CutSuffix(path.Clean(name), "/...")
		known := false
		for _, pkg := range all {
			if pkg == folder || below && under(pkg, folder) {
				known, chosen[pkg] = true, true
			}
		}
		if !known {
			return nil, fmt.Errorf("%s is not one of the measured packages: %s", name, strings.Join(all, " "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(pkg string) bool { return !chosen[pkg] }), nil
}
