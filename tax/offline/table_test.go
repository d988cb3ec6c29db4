package offline

import (
	"slices"
	"testing"
)

// Every place has one rate of each tax on every day that it has any: no overlap,
// no gap.
func TestTheTableIsWhole(t *testing.T) {
	table, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.rows) < 190 {
		t.Errorf("%d places only", len(table.rows))
	}
	for place, rows := range table.rows {
		for i, r := range rows {
			if !slices.Contains([]string{"high", "medium", "low"}, r.confidence) {
				t.Errorf("%s: confidence %q", place, r.confidence)
			}
			for _, other := range rows[i+1:] {
				same := r.tax == other.tax && slices.Equal(r.postal, other.postal)
				if same && (r.to == "" || other.from == "" || other.from <= r.to) && (other.to == "" || r.from == "" || r.from <= other.to) {
					t.Errorf("%s: two rates of %s from %q to %q and from %q to %q", place, r.tax, r.from, r.to, other.from, other.to)
				}
			}
		}
		for _, day := range []string{"2022-01-01", "2023-06-30", "2024-01-01", "2025-01-01", "2025-04-01", "2025-07-01", "2026-10-01", "2027-07-01", "2031-01-01"} {
			if len(table.at(place, "", day)) == 0 {
				t.Errorf("%s has no rate on %s", place, day)
			}
		}
	}
	for zip, state := range table.zip3 {
		if len(state) == 2 && state != "PR" && table.rows["US-"+state] == nil && !slices.Contains([]string{"VI", "GU", "AS", "MP", "FM", "MH", "PW", "AE", "AA", "AP"}, state) {
			t.Errorf("%03d is of %s, which has no rate", zip, state)
		}
	}
}
