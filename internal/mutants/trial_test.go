package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestJudge holds what gremlins says of a small package against what its own
// test says, which notices a wrong sum and never returns for a wrong loop.
func TestJudge(t *testing.T) {
	module := t.TempDir()
	write(t, module, "go.mod", "module example.org/m\n\ngo 1.26\n")
	write(t, module, "sum/sum.go", "package sum\n\nfunc Of(n int) (s int) {\n\tfor i := 0; i != n; i++ {\n\t\ts += i * 1\n\t}\n\treturn s\n}\n\nfunc Name(a string) string { return a + \"x\" }\n")
	write(t, module, "sum/sum_test.go", "package sum\n\nimport \"testing\"\n\nfunc TestOf(t *testing.T) {\n\tif Of(4) != 6 || Name(\"\") != \"x\" {\n\t\tt.Fail()\n\t}\n}\n")
	own, err := newTrial(t.Context(), module, "sum")
	if err != nil {
		t.Fatal(err)
	}
	endless := own
	endless.limit = time.Second

	tests := []struct {
		name   string
		judge  trial
		result result
		want   map[string]bool // whether the mutant, if it is one, is killed
	}{
		{"killed", own, result{"sum.go", 4, 16, "CONDITIONALS_NEGATION", "KILLED"}, map[string]bool{"for i := 0; i == n; i++ {": true}},
		{"lived", own, result{"sum.go", 5, 5, "REMOVE_SELF_ASSIGNMENTS", "LIVED"}, map[string]bool{"s = i * 1": false}},
		{"without an end", endless, result{"sum.go", 4, 23, "INCREMENT_DECREMENT", "TIMED OUT"}, map[string]bool{"for i := 0; i != n; i-- {": true}},
		{"slow and noticed", own, result{"sum.go", 5, 5, "INVERT_ASSIGNMENTS", "TIMED OUT"}, map[string]bool{"s -= i * 1": true}},
		{"slow and not noticed", own, result{"sum.go", 5, 10, "ARITHMETIC_BASE", "TIMED OUT"}, map[string]bool{"s += i / 1": false}},
		{"not covered", own, result{"sum.go", 5, 5, "INVERT_ASSIGNMENTS", "NOT COVERED"}, map[string]bool{}},
		{"does not compile", own, result{"sum.go", 10, 39, "ARITHMETIC_BASE", "KILLED"}, map[string]bool{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			outcomes, err := tt.judge.judge(t.Context(), []result{tt.result})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			for _, o := range outcomes {
				got[o.Mutated] = o.Killed
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := own.judge(t.Context(), []result{{"sum.go", 1, 1, "ARITHMETIC_BASE", "LIVED"}}); err == nil {
		t.Error("a mutant of nothing was judged")
	}
}
