package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// row is the result of one package.
type row struct {
	pkg         string
	digest      string // of the measured files and the equivalents; empty if not measured
	covered     int    // mutants that the tests reach
	killed      int
	equivalents int // listed survivors
}

// percent returns the percentage of killable mutants that were killed, rounded
// down.
func (r row) percent() int {
	if r.covered == r.equivalents {
		return 100
	}
	return 100 * r.killed / (r.covered - r.equivalents)
}

func (r row) tooLow() bool { return r.digest != "" && r.percent() < bar(r.pkg) }

// record is the last measurement of each package.
type record map[string]row

const recordHead = `# The last measurement of each package, written by make mutants.
# package, digest of its files and equivalents, mutants covered, killed, equivalent
`

func readRecord(name string) (record, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, nil
	}
	if err != nil {
		return nil, err
	}
	r := record{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var last row
		if _, err := fmt.Sscan(line, &last.pkg, &last.digest, &last.covered, &last.killed, &last.equivalents); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, line, err)
		}
		r[last.pkg] = last
	}
	return r, nil
}

// write replaces the record file, one line per package in order.
func (r record) write(name string) error {
	var text bytes.Buffer
	text.WriteString(recordHead)
	for _, pkg := range slices.Sorted(maps.Keys(r)) {
		last := r[pkg]
		fmt.Fprintln(&text, last.pkg, last.digest, last.covered, last.killed, last.equivalents)
	}
	return os.WriteFile(name, text.Bytes(), 0o644)
}

const tableHead = `| package | covered | killed | equivalent | % killed | bar |
|---|--:|--:|--:|--:|--:|
`

// table returns the record as a Markdown table.
func (r record) table() string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, pkg := range slices.Sorted(maps.Keys(r)) {
		last := r[pkg]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", pkg, last.covered, last.killed,
			last.equivalents, last.percent(), bar(pkg))
	}
	return b.String()
}

// writeTable replaces the table in a document.
func (r record) writeTable(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), tableHead)
	if !found {
		return fmt.Errorf("%s has no table starting with %s", name, tableHead)
	}
	_, after, _ := strings.Cut(rest, "\n\n")
	return os.WriteFile(name, []byte(before+r.table()+"\n"+after), 0o644)
}

// digestOf returns a digest of a package's files, including its test data, and of
// the measuring method. Subpackages are not included.
func digestOf(module, pkg string) (string, error) {
	hash := sha256.New()
	hash.Write([]byte(fmt.Sprintln(goflags, kinds())))
	root := filepath.Join(module, filepath.FromSlash(pkg))
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipPackage(relative, name)
		}
		text, err := os.ReadFile(name)
		hash.Write([]byte(fmt.Sprintln(relative, len(text))))
		hash.Write(text)
		return err
	})
	return short(hash.Sum(nil)), err
}

// skipPackage skips folders that are packages of their own, except for test data.
func skipPackage(relative, name string) error {
	if relative == "." || slices.Contains(strings.Split(filepath.ToSlash(relative), "/"), "testdata") {
		return nil
	}
	sources, err := filepath.Glob(filepath.Join(name, "*.go"))
	if err == nil && len(sources) > 0 {
		return filepath.SkipDir
	}
	return err
}

// with returns the combined digest of files with the given digest and of the equivalents.
func (l equivalents) with(digest string) string {
	hash := sha256.New()
	hash.Write([]byte(digest))
	for _, e := range l {
		hash.Write([]byte(e.place.String() + "\n"))
	}
	return short(hash.Sum(nil))
}

func short(sum []byte) string { return fmt.Sprintf("%x", sum[:8]) }
