package main

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// till is a package with a mutant of every kind: those compiled together with the
// original, those compiled alone, and those that do not compile.
const till = `package till

import "time"

type Cents int64

const (
	day   = 24 * time.Hour // outside of functions: not reached by tests
	limit = 3
)

// Every part of Due is tested.
func Due(a, b Cents, late bool) bool {
	return a < b && !late ||
		a == 2*b
}

func Sum(parts []Cents) (s Cents, n int) {
	for i := 0; i < len(parts); i++ {
		if parts[i] < 0 {
			continue
		}
		if n == limit {
			break
		}
		s += parts[i]
		n++
	}
	return s, n
}

// Window has a mutant that has to be compiled alone.
func Window(n int) time.Duration {
	const span = 6 * time.Hour
	switch {
	case n == -1:
		return span
	}
	return day
}

// Name concatenates strings, which cannot be subtracted.
func Name(a string) string {
	a += "!"
	return "<" + a
}

// Half is partly tested.
func Half(n int) int {
	if n > 0 {
		return n * 1
	}
	return 0
}

// First ends only with its returns, so one of its mutants does not compile.
func First(n int) int {
	for again := false; ; again = true {
		if !again && n == 0 {
			n += 2
			continue
		}
		return n
	}
}

// Names allocates memory endlessly if it counts down.
func Names(n int) (names []string) {
	for i := 0; i < n; i++ {
		names = append(names, "name")
	}
	return names
}

func Parent(n int) int {
	if n > 0 {
		return n
	}
	return 0
}

func Untried(n int) bool { return n > 3 }
`

const tillTest = `package till

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	for _, tt := range []struct {
		a, b Cents
		late bool
		want bool
	}{{1, 2, false, true}, {2, 2, false, false}, {3, 2, false, false}, {1, 2, true, false}, {4, 2, false, true}, {4, 2, true, true}, {2, 2, true, false}} {
		if Due(tt.a, tt.b, tt.late) != tt.want {
			t.Error(tt)
		}
	}
}

func TestSum(t *testing.T) {
	if s, n := Sum([]Cents{1, -5, 0, 2, 9}); s != 3 || n != 3 {
		t.Error(s, n)
	}
	if s, n := Sum([]Cents{7}); s != 7 || n != 1 {
		t.Error(s, n)
	}
}

func TestWindow(t *testing.T) {
	if Window(-1) != 6*time.Hour || Window(1) != 24*time.Hour {
		t.Error()
	}
}

func TestFirst(t *testing.T) {
	if First(0) != 2 || First(5) != 5 {
		t.Error()
	}
}

func TestNames(t *testing.T) {
	if len(Names(2)) != 2 {
		t.Error()
	}
}

// A test that fails may leave a process that never ends, and holds its output.
func TestChild(t *testing.T) {
	child := exec.Command("sleep", "3600")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if Parent(1) != 1 {
		t.Fatal()
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
}

func ExampleName() {
	println(Name("x"))
	if Name("x") != "<x!" {
		panic("no")
	}
	// Output:
}

func FuzzHalf(f *testing.F) {
	f.Add(4)
	f.Fuzz(func(t *testing.T, n int) {
		if Half(n) != n {
			t.Error()
		}
	})
}
`

// TestMeasure compares the results of a small package with what its tests detect. Some of its
// mutants never end.
func TestMeasure(t *testing.T) {
	module := t.TempDir()
	write(t, module, "go.mod", "module example.org/m\n\ngo 1.26\n")
	write(t, module, "till/till.go", till)
	write(t, module, "till/till_test.go", tillTest)
	m := tester{module: module, results: t.TempDir(), workers: runtime.NumCPU()}
	outcomes, err := m.measure(t.Context(), "till", "digest")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, o := range outcomes {
		if !strings.Contains(strings.Split(till, "\n")[o.Line-1], o.Place.Text) {
			t.Errorf("line %d is not that of %s", o.Line, o.Place)
		}
		got[o.Mutated] = o.Killed
	}
	want := map[string]bool{
		"return (a < b || !late) ||":         true,
		"return a <= b && !late ||":          true,
		"return a >= b && !late ||":          true,
		"return a < b && !late &&":           true,
		"a != 2*b":                           true,
		"a == 2/b":                           true,
		"for i := 0; i <= len(parts); i++ {": true,
		"for i := 0; i >= len(parts); i++ {": true,
		"for i := 0; i < len(parts); i-- {":  true,
		"if parts[i] <= 0 {":                 true,
		"if parts[i] >= 0 {":                 true,
		"break":                              true,
		"if n != limit {":                    true,
		"continue":                           false, // the rest exceeds the limit too
		"s -= parts[i]":                      true,
		"s = parts[i]":                       true,
		"n--":                                true,
		"const span = 6 / time.Hour":         true,
		"case n != -1:":                      true,
		"case n == +1:":                      true,
		`a = "!"`:                            true,
		"for i := 0; i <= n; i++ {":          true,
		"for i := 0; i >= n; i++ {":          true,
		"for i := 0; i < n; i-- {":           true,
		"if !again || n == 0 {":              true,
		"if !again && n != 0 {":              true,
		"n -= 2":                             true,
		"n = 2":                              false,
		"if n >= 0 {":                        false,
		"if n <= 0 {":                        true,
		"return n / 1":                       false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	write(t, module, "till/till.go", "no Go")
	kept, err := m.measure(t.Context(), "till", "digest")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outcomes, kept); diff != "" {
		t.Errorf("the stored results differ: %s", diff)
	}
}

func TestMeasure_Errors(t *testing.T) {
	tests := []struct {
		name, source, test, want string
	}{
		{"no program", "package till\n\nfunc F() int { return true }\n", "package till\n", "till.go"},
		{"a test that fails", "package till\n\nfunc F(n int) bool { return n > 0 }\n",
			"package till\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F(1); t.Fail() }\n",
			"TestF fails on the original package"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			module := t.TempDir()
			write(t, module, "go.mod", "module example.org/m\n\ngo 1.26\n")
			write(t, module, "till/till.go", tt.source)
			write(t, module, "till/till_test.go", tt.test)
			_, err := tester{module: module, workers: 1}.measure(t.Context(), "till", "digest")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
