package offline

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func at(day string) time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return t
}

// Every place has one rate of each tax on every day: no overlap, no gap.
func TestTheTableIsWhole(t *testing.T) {
	table, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.rows) < 190 {
		t.Errorf("%d places only", len(table.rows))
	}
	for _, day := range []string{"2022-01-01", "2023-06-30", "2024-01-01", "2025-01-01", "2025-04-01", "2025-07-01", "2026-10-01", "2027-07-01", "2031-01-01"} {
		found, err := Check(at(day))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.Grave {
				t.Errorf("%s on %s: %s", p.Place, day, p.What)
			}
		}
		if old := slices.ContainsFunc(found, func(p Problem) bool { return p.Place == "DE" }); old != (day == "2031-01-01") {
			t.Errorf("on %s the sources of DE are old: %t", day, old)
		}
	}
	for place, rows := range table.rows {
		for _, r := range rows {
			if !slices.Contains([]string{"high", "medium", "low"}, r.confidence) {
				t.Errorf("%s: confidence %q", place, r.confidence)
			}
		}
	}
}

// A table with faults shows each of them.
func TestCheckFindsFaults(t *testing.T) {
	good := row{place: "DE", tax: "VAT", asOf: "2026-07-02"}
	with := func(change func(*row)) row {
		r := good
		change(&r)
		return r
	}
	for name, tt := range map[string]struct {
		rows  []row
		grave bool
		want  string
	}{
		"nothing":         {[]row{good}, false, ""},
		"a change":        {[]row{with(func(r *row) { r.to = "2025-12-31" }), with(func(r *row) { r.from = "2026-01-01" })}, false, ""},
		"two taxes":       {[]row{good, with(func(r *row) { r.tax = "GST" })}, false, ""},
		"a territory":     {[]row{good, with(func(r *row) { r.postal = []string{"78266"} })}, false, ""},
		"two rates":       {[]row{good, with(func(r *row) { r.from = "2026-01-01" })}, true, "two rates of VAT"},
		"one day":         {[]row{with(func(r *row) { r.to = "2026-01-01" }), with(func(r *row) { r.from = "2026-01-01" })}, true, "two rates of VAT"},
		"a gap":           {[]row{with(func(r *row) { r.to = "2025-12-30" }), with(func(r *row) { r.from = "2026-01-01" })}, true, "nothing follows"},
		"an end":          {[]row{with(func(r *row) { r.to = "2025-12-31" })}, true, "no rate on 2026-11-20"},
		"not begun":       {[]row{with(func(r *row) { r.from = "2027-01-01" })}, true, "no rate on 2026-11-20"},
		"old":             {[]row{with(func(r *row) { r.asOf = "2025-01-01" })}, false, "the sources of VAT are of 2025-01-01"},
		"old by year":     {[]row{with(func(r *row) { r.asOf = "2024" })}, false, "are of 2024"},
		"old by month":    {[]row{with(func(r *row) { r.asOf = "2024-04" })}, false, "are of 2024-04"},
		"of the future":   {[]row{with(func(r *row) { r.asOf = "soon" })}, false, "are of soon"},
		"not yet old":     {[]row{with(func(r *row) { r.asOf = "2025-10-16" })}, false, ""},
		"old by a day":    {[]row{with(func(r *row) { r.asOf = "2025-10-15" })}, false, "are of 2025-10-15"},
		"over":            {[]row{with(func(r *row) { r.to, r.asOf = "2025-12-31", "2012" }), with(func(r *row) { r.from = "2026-01-01" })}, false, ""},
		"another follows": {[]row{with(func(r *row) { r.to = "2025-12-31" }), with(func(r *row) { r.from, r.tax = "2026-01-01", "GST" })}, true, "nothing follows"},
		"ends in time":    {[]row{with(func(r *row) { r.to = "2027-01-20" }), with(func(r *row) { r.from = "2027-01-21" })}, false, ""},
		"ends in 60 days": {[]row{with(func(r *row) { r.to = "2027-01-19" }), with(func(r *row) { r.from = "2027-01-20" })}, false, "VAT ends with 2027-01-19"},
		"ends soon":       {[]row{with(func(r *row) { r.to = "2026-12-31" }), with(func(r *row) { r.from = "2027-01-01" })}, false, "VAT ends with 2026-12-31"},
	} {
		for range 2 { // in either order
			table := &table{rows: map[string][]row{"DE": tt.rows}}
			found := table.checkPlace("DE", at("2026-11-20"))
			named := slices.ContainsFunc(found, func(p Problem) bool { return strings.Contains(p.What, tt.want) && p.Grave == tt.grave })
			if tt.want == "" && len(found) > 0 || tt.want != "" && !named {
				t.Errorf("%s: %+v", name, found)
			}
			slices.Reverse(tt.rows)
		}
	}
	whole, err := load()
	if err != nil {
		t.Fatal(err)
	}
	delete(whole.rows, "US-NY")
	if found := whole.checkStates(); len(found) != 1 || found[0].Place != "US-NY" {
		t.Errorf("a state without a rate: %+v", found)
	}
}

// A line that is no rule is refused, with the file and the line.
func TestBadLinesAreRefused(t *testing.T) {
	sources := map[string]string{"a": "A law"}
	good := "DE||VAT|19|2026-01-01|2026-01-01|yes||a|2026-07-02|high|"
	if _, err := readRow(strings.Split(good, "|"), sources); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, why string }{
		{"|19|", "|x|", "percentage"}, {"|a|", "|b|", "no source"}, {"|2026-01-01|2026", "|soon|2026", "no date"}, {"2026-01-01|yes", "2025-12-31|yes", "ends after it begins"},
		{"DE||VAT", "DE||", "has a tax"}, {"|a|2026-07-02", "||2026-07-02", "has a tax"}, {"|2026-07-02|", "||", "has a tax"},
		{"|yes|", "|perhaps|", "yes, no or empty"}, {"||a", "|perhaps|a", "yes, no or empty"},
	} {
		bad := strings.Replace(good, tt.old, tt.new, 1)
		if _, err := readRow(strings.Split(bad, "|"), sources); err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	err := eachLine("provincenames", 2, func([]string) error { return errors.New("no") })
	if err == nil || err.Error() != "offline: provincenames, line 2: no" {
		t.Errorf("the line is not named: %v", err)
	}
}
