package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outcomesOf creates mutants of a file: one killed for every k in names, one
// survivor for every l.
func outcomesOf(file, names string) []outcome {
	var outcomes []outcome
	for i, name := range names {
		p := place{File: file, Kind: "ARITHMETIC_BASE", Nth: i + 1, Text: "a + b"}
		outcomes = append(outcomes, outcome{Place: p, Line: 10 + i, Mutated: "a - b", Killed: name == 'k'})
	}
	return outcomes
}

func TestReport(t *testing.T) {
	var r report
	r.rows = append(r.rows, row{pkg: "tax"})
	r.add("settlement", nil, "d", outcomesOf("settlement/charge.go", "kkkkkkkkkl"))
	r.add("notify", equivalents{{outcomesOf("notify/outbox.go", "kkkkl")[4].Place, "Why."}},
		"d", outcomesOf("notify/outbox.go", "kkkklll"))
	r.add("tax/flat", nil, "d", nil)
	want := `settlement/charge.go ARITHMETIC_BASE 10: a + b
	settlement/charge.go:19 a - b
notify/outbox.go ARITHMETIC_BASE 6: a + b
	notify/outbox.go:15 a - b
notify/outbox.go ARITHMETIC_BASE 7: a + b
	notify/outbox.go:16 a - b

| package    | covered | killed | equivalent | % killed | bar |
|------------|--------:|-------:|-----------:|---------:|----:|
| notify     |       7 |      4 |          1 |       66 |  80 |
| settlement |      10 |      9 |          0 |       90 |  90 |
| tax/flat   |       0 |      0 |          0 |      100 |  90 |

NOT MEASURED (out of time or no record): tax
make mutants measures and records them.
`
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Error(diff)
	}
}

func TestFailure(t *testing.T) {
	tests := []struct {
		name   string
		pkg    string
		killed string
		listed []place
		want   string
	}{
		{name: "at the bar", pkg: "settlement/reconcile", killed: "kkkkkkkkkl"},
		{name: "below the bar", pkg: "settlement/reconcile", killed: "kkkkkkkkl",
			want: "settlement/reconcile: 88 percent killed, the bar is 90"},
		{name: "elsewhere", pkg: "notify", killed: "kkkkl"},
		{name: "below it elsewhere", pkg: "notify", killed: "kkkl", want: "notify: 75 percent killed, the bar is 80"},
		{name: "stale entry", pkg: "notify", killed: "kkkk", listed: []place{other}, want: "no survivor matches the entry"},
		{name: "equivalents do not count", pkg: "notify", killed: "kkkll", listed: []place{outcomesOf("notify/outbox.go",
			"kkkll")[3].Place, outcomesOf("notify/outbox.go", "kkkll")[4].Place}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var list equivalents
			for _, p := range tt.listed {
				list = append(list, equivalent{p, "Why."})
			}
			var r report
			r.add(tt.pkg, list, "d", outcomesOf("notify/outbox.go", tt.killed))
			err := r.failure()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	broken := report{broken: []error{errors.New("tax: its tests fail")}}
	if err := broken.failure(); err == nil {
		t.Error("no failure for a package that could not be measured")
	}
	unmeasured := report{rows: []row{{pkg: "tax"}}}
	if err := unmeasured.failure(); err != nil {
		t.Errorf("failure for an unmeasured package: %v", err)
	}
}
