package offline

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the guide's table")

const guide = "../../docs/tax.md"

// The table in the guide equals the rates.
func TestGuide_TableIsCurrent(t *testing.T) {
	b, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	prose, written, ok := strings.Cut(string(b), "-update -->\n")
	if !ok {
		t.Fatal("the guide has no marker for the table")
	}
	want := rendered(t)
	if *update {
		if err := os.WriteFile(guide, []byte(prose+"-update -->\n"+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, written); diff != "" {
		t.Errorf("docs/tax.md (-table +guide):\n%s", diff)
	}
}

func rendered(t *testing.T) string {
	t.Helper()
	table, err := load()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString("\n| place | postal codes | tax | percent | days | shipping | digital | as of | confidence | note |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, place := range slices.Sorted(maps.Keys(table.rows)) {
		for _, r := range table.rows[place] {
			days := ""
			if r.from+r.to != "" {
				days = cmp.Or(r.from, "…") + " to " + cmp.Or(r.to, "…")
			}
			postal := strings.Join(r.postal, ", ")
			fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", place, postal, r.tax, r.percent, days,
				cmp.Or(string(r.shipping), "?"), cmp.Or(string(r.digital), "?"), r.asOf, r.confidence, r.note)
		}
	}
	return out.String()
}
