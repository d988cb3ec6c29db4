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

// Every place has exactly one rate of each tax on every day.
func TestTable_IsComplete(t *testing.T) {
	table, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(table.rows) < 190 {
		t.Errorf("only %d places", len(table.rows))
	}
	for _, day := range []string{"2022-01-01", "2023-06-30", "2024-01-01", "2025-01-01", "2025-04-01",
		"2025-07-01", "2026-10-01", "2027-07-01", "2031-01-01"} {
		found, err := Check(at(day))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if p.Severe {
				t.Errorf("%s on %s: %s", p.Place, day, p.Message)
			}
		}
		if old := slices.ContainsFunc(found, func(p Problem) bool { return p.Place == "DE" }); old != (day == "2031-01-01") {
			t.Errorf("on %s the sources of DE are outdated: %t", day, old)
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

// Check reports every kind of problem.
func TestCheck_FindsProblems(t *testing.T) {
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
		"nothing": {[]row{good}, false, ""},
		"rate change": {[]row{with(func(r *row) { r.to = "2025-12-31" }),
			with(func(r *row) { r.from = "2026-01-01" })}, false, ""},
		"two taxes": {[]row{good, with(func(r *row) { r.tax = "GST" })}, false, ""},
		"territory": {[]row{good, with(func(r *row) { r.postal = []string{"78266"} })}, false, ""},
		"two rates": {[]row{good, with(func(r *row) { r.from = "2026-01-01" })}, true, "two rates of VAT"},
		"overlap of one day": {[]row{with(func(r *row) { r.to = "2026-01-01" }),
			with(func(r *row) { r.from = "2026-01-01" })}, true, "two rates of VAT"},
		"gap": {[]row{with(func(r *row) { r.to = "2025-12-30" }),
			with(func(r *row) { r.from = "2026-01-01" })}, true, "nothing follows"},
		"ended":       {[]row{with(func(r *row) { r.to = "2025-12-31" })}, true, "no rate on 2026-11-20"},
		"not started": {[]row{with(func(r *row) { r.from = "2027-01-01" })}, true, "no rate on 2026-11-20"},
		"old": {[]row{with(func(r *row) { r.asOf = "2025-01-01" })}, false,
			"the sources of VAT are from 2025-01-01"},
		"year only":         {[]row{with(func(r *row) { r.asOf = "2024" })}, false, "are from 2024"},
		"year and month":    {[]row{with(func(r *row) { r.asOf = "2024-04" })}, false, "are from 2024-04"},
		"invalid date":      {[]row{with(func(r *row) { r.asOf = "soon" })}, false, "are from soon"},
		"almost outdated":   {[]row{with(func(r *row) { r.asOf = "2025-10-16" })}, false, ""},
		"outdated by a day": {[]row{with(func(r *row) { r.asOf = "2025-10-15" })}, false, "are from 2025-10-15"},
		"outdated but ended": {[]row{with(func(r *row) { r.to, r.asOf = "2025-12-31", "2012" }),
			with(func(r *row) { r.from = "2026-01-01" })}, false, ""},
		"followed by another tax": {[]row{with(func(r *row) { r.to = "2025-12-31" }),
			with(func(r *row) { r.from, r.tax = "2026-01-01", "GST" })}, true, "nothing follows"},
		"ends later": {[]row{with(func(r *row) { r.to = "2027-01-20" }),
			with(func(r *row) { r.from = "2027-01-21" })}, false, ""},
		"ends in 60 days": {[]row{with(func(r *row) { r.to = "2027-01-19" }),
			with(func(r *row) { r.from = "2027-01-20" })}, false, "VAT ends on 2027-01-19"},
		"ends soon": {[]row{with(func(r *row) { r.to = "2026-12-31" }),
			with(func(r *row) { r.from = "2027-01-01" })}, false, "VAT ends on 2026-12-31"},
	} {
		for range 2 { // in either order
			table := &table{rows: map[string][]row{"DE": tt.rows}}
			found := table.checkPlace("DE", at("2026-11-20"))
			named := slices.ContainsFunc(found,
				func(p Problem) bool { return strings.Contains(p.Message, tt.want) && p.Severe == tt.grave })
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
		t.Errorf("state without a rate: %+v", found)
	}
}

// Invalid lines are refused with the file and the line number.
func TestReadRow_InvalidLines(t *testing.T) {
	sources := map[string]string{"a": "A law"}
	good := "DE||VAT|19|2026-01-01|2026-01-01|yes||a|2026-07-02|high|"
	if _, err := readRow(strings.Split(good, "|"), sources); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, why string }{
		{"|19|", "|x|", "percentage"}, {"|a|", "|b|", "unknown source"}, {"|2026-01-01|2026", "|soon|2026", "not a date"},
		{"2026-01-01|yes", "2025-12-31|yes", "must end after it begins"},
		{"DE||VAT", "DE||", "needs a tax"}, {"|a|2026-07-02", "||2026-07-02", "needs a tax"},
		{"|2026-07-02|", "||", "needs a tax"},
		{"|yes|", "|perhaps|", "yes, no or empty"}, {"||a", "|perhaps|a", "yes, no or empty"},
	} {
		bad := strings.Replace(good, tt.old, tt.new, 1)
		if _, err := readRow(strings.Split(bad, "|"), sources); err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	err := eachLine("provincenames", 2, func([]string) error { return errors.New("no") })
	if err == nil || err.Error() != "offline: provincenames, line 2: no" {
		t.Errorf("the error does not name the line: %v", err)
	}
}
