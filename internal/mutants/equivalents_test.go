package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	first  = place{File: "kv/class.go", Kind: "INVERT_LOGICAL", Nth: 1, Text: `if a && b { // "x: y"`}
	second = place{File: "kv/class.go", Kind: "INVERT_LOGICAL", Nth: 2, Text: `if a && b { // "x: y"`}
	other  = place{File: "kv/memkv/index.go", Kind: "ARITHMETIC_BASE", Nth: 1, Text: "a + b"}
)

func TestParseEquivalents(t *testing.T) {
	tests := []struct {
		name string
		text string
		want equivalents
		err  string
	}{
		{name: "empty"},
		{name: "entries", text: "# why\n\n" + first.String() + "\n\tBoth are\n\tone.\n" + second.String() + "\n\tLikewise.\n",
			want: equivalents{{first, "Both are one."}, {second, "Likewise."}}},
		{name: "no reason", text: first.String() + "\n" + second.String() + "\n\tWhy.\n",
			err: "entry without a reason: " + first.String()},
		{name: "twice", text: first.String() + "\n\tWhy.\n" + first.String() + "\n\tWhy.\n", err: "duplicate entry"},
		{name: "reason without entry", text: "\tWhy.\n", err: "line 1 is neither"},
		{name: "no kind", text: "kv/class.go: a + b\n", err: "line 1 is neither"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseEquivalents(tt.text)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(equivalent{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEquivalents_MatchSurvivors(t *testing.T) {
	outcomes := []outcome{{Place: first, Killed: true}, {Place: second}, {Place: other}}
	tests := []struct {
		name      string
		listed    []place
		survivors []place
		stale     []place
	}{
		{name: "none listed", survivors: []place{second, other}},
		{name: "one listed", listed: []place{second}, survivors: []place{other}},
		{name: "killed", listed: []place{first, second, other}, stale: []place{first}},
		{name: "gone", listed: []place{{File: "kv/class.go", Kind: "INVERT_LOGICAL", Nth: 3, Text: first.Text}, other},
			survivors: []place{second}, stale: []place{{File: "kv/class.go", Kind: "INVERT_LOGICAL", Nth: 3, Text: first.Text}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var list equivalents
			for _, p := range tt.listed {
				list = append(list, equivalent{p, "Why."})
			}
			left, old := list.match(outcomes)
			var survivors, stale []place
			for _, o := range left {
				survivors = append(survivors, o.Place)
			}
			for _, e := range old {
				stale = append(stale, e.place)
			}
			if diff := cmp.Diff([][]place{tt.survivors, tt.stale}, [][]place{survivors, stale}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEquivalents_OfPackage(t *testing.T) {
	list := equivalents{{first, "Why."}, {other, "Why."}}
	if got := list.of("kv"); len(got) != 1 || got[0].place != first {
		t.Errorf("kv has %v", got)
	}
}
