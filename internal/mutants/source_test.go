package main

import (
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write writes a file to the test's module.
func write(t *testing.T, module, name, text string) {
	t.Helper()
	full := filepath.Join(module, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const stock = `package stock

func Left(a, b, c int) (n int) {
	if a < b && b < c {
		n -= -a
	}
	for i := range c {
		if i == b { // enough
			break
		}
		n++
	}
	if a < b && b < c {
		n = a*b%c + len("<")
	}
	return n
}

func All(a, b, c bool) bool { return a && b && c }
`

func TestMutants(t *testing.T) {
	module := t.TempDir()
	write(t, module, "stock/stock.go", stock)
	s, err := readSource(token.NewFileSet(), module, "stock/stock.go")
	if err != nil {
		t.Fatal(err)
	}
	type mutant struct {
		Kind, Mutated string
		Nth           int
	}
	var got []mutant
	for _, m := range s.sites {
		file, line := s.mutated(m)
		if plain := strings.NewReplacer("(a || b) &&",
			"a || b &&").Replace(file); len(plain)-len(stock) != len(m.to.String())-len(m.from.String()) {
			t.Errorf("%s changed more than its token:\n%s", m.place, file)
		}
		got = append(got, mutant{m.Kind, line, m.Nth})
	}
	want := []mutant{
		{"CONDITIONALS_BOUNDARY", "if a <= b && b < c {", 1},
		{"CONDITIONALS_NEGATION", "if a >= b && b < c {", 1},
		{"INVERT_LOGICAL", "if a < b || b < c {", 1},
		{"CONDITIONALS_BOUNDARY", "if a < b && b <= c {", 2},
		{"CONDITIONALS_NEGATION", "if a < b && b >= c {", 2},
		{"INVERT_ASSIGNMENTS", "n += -a", 1},
		{"REMOVE_SELF_ASSIGNMENTS", "n = -a", 1},
		{"ARITHMETIC_BASE", "n -= +a", 1},
		{"CONDITIONALS_NEGATION", "if i != b { // enough", 1},
		{"INVERT_LOOPCTRL", "continue", 1},
		{"INCREMENT_DECREMENT", "n--", 1},
		{"CONDITIONALS_BOUNDARY", "if a <= b && b < c {", 3},
		{"CONDITIONALS_NEGATION", "if a >= b && b < c {", 3},
		{"INVERT_LOGICAL", "if a < b || b < c {", 2},
		{"CONDITIONALS_BOUNDARY", "if a < b && b <= c {", 4},
		{"CONDITIONALS_NEGATION", "if a < b && b >= c {", 4},
		{"ARITHMETIC_BASE", `n = a/b%c + len("<")`, 1},
		{"ARITHMETIC_BASE", `n = a*b*c + len("<")`, 2},
		{"ARITHMETIC_BASE", `n = a*b%c - len("<")`, 3},
		{"INVERT_LOGICAL", "func All(a, b, c bool) bool { return (a || b) && c }", 1},
		{"INVERT_LOGICAL", "func All(a, b, c bool) bool { return a && b || c }", 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEquivalentsFit checks that each entry's line exists, without measuring
// anything.
func TestEquivalentsFit(t *testing.T) {
	const module = "../.."
	list, err := readEquivalents(filepath.Join(module, equivalentsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		s, err := readSource(token.NewFileSet(), module, e.File)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.ContainsFunc(s.sites, func(m site) bool { return m.place == e.place }) {
			t.Errorf("no line of the source matches %s", e.place)
		}
	}
}
