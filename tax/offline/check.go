package offline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/zipcode"
)

// Problem is an error or an outdated entry in the table, which a person should check.
type Problem struct {
	Place   string `json:"place"`
	Message string `json:"what"`
	// Severe is set if the problem makes quotes wrong or impossible.
	Severe bool `json:"grave"`
}

// Sources that are older than stale, and rates that end within soon, are reported.
const (
	stale = 400 * 24 * time.Hour
	soon  = 60 * 24 * time.Hour
)

// Check finds overlaps, gaps, states without rates, outdated sources and rates that end
// soon. It fails if the table cannot be read.
func Check(now time.Time) ([]Problem, error) {
	t, err := vendored()
	if err != nil {
		return nil, err
	}
	var found []Problem
	for _, place := range slices.Sorted(maps.Keys(t.rows)) {
		found = append(found, t.checkPlace(place, now)...)
	}
	return append(found, t.checkStates()...), nil
}

func (t *table) checkPlace(place string, now time.Time) []Problem {
	var found []Problem
	rows := t.rows[place]
	for i, r := range rows {
		for _, other := range rows[i+1:] {
			if r.sameRates(other) && r.overlaps(other) {
				found = append(found, Problem{place,
					fmt.Sprintf("two rates of %s from %s and from %s", r.tax, cmp.Or(r.from, "…"), cmp.Or(other.from, "…")), true})
			}
		}
		if r.to != "" && !slices.ContainsFunc(rows, r.isFollowedBy) {
			found = append(found, Problem{place, fmt.Sprintf("%s ends on %s and nothing follows", r.tax, r.to), true})
		}
		found = append(found, r.ageWarnings(now)...)
	}
	if day := now.Format(time.DateOnly); len(t.ratesOn(place, "", day)) == 0 {
		found = append(found, Problem{place, "no rate on " + day, true})
	}
	return found
}

// sameRates reports whether two rows have rates of the same tax in the same territory.
func (r row) sameRates(other row) bool {
	return r.tax == other.tax && slices.Equal(r.postal, other.postal)
}

func (r row) overlaps(other row) bool {
	return (r.to == "" || other.from <= r.to) && (other.to == "" || r.from <= other.to)
}

// isFollowedBy reports whether next starts on the day after r ends.
func (r row) isFollowedBy(next row) bool {
	last, _ := time.Parse(time.DateOnly, r.to) // the date was validated when the row was read
	return r.sameRates(next) && next.from == last.AddDate(0, 0, 1).Format(time.DateOnly)
}

// ageWarnings reports the row's sources if they are outdated, and its rate if it ends soon.
func (r row) ageWarnings(now time.Time) []Problem {
	if !r.appliesOn(now.Format(time.DateOnly)) {
		return nil
	}
	var found []Problem
	if asOf, err := time.Parse(time.DateOnly, (r.asOf + "-01-01")[:10]); err != nil || now.Sub(asOf) > stale {
		found = append(found, Problem{r.place, fmt.Sprintf("the sources of %s are from %s", r.tax, r.asOf), false})
	}
	if r.to != "" && r.to <= now.Add(soon).Format(time.DateOnly) {
		found = append(found, Problem{r.place, fmt.Sprintf("%s ends on %s", r.tax, r.to), false})
	}
	return found
}

// withoutRates are places served by the United States Postal Service without a known rate.
var withoutRates = []string{"VI", "GU", "AS", "MP", "FM", "MH", "PW", "AE", "AA", "AP"}

// checkStates reports the states that have ZIP codes but no rate.
func (t *table) checkStates() []Problem {
	var found []Problem
	for _, state := range zipcode.AllStates() {
		if t.rows[state] == nil && t.rows["US-"+state] == nil && !slices.Contains(withoutRates, state) {
			found = append(found, Problem{"US-" + state, "has ZIP codes but no rate", true})
		}
	}
	return found
}
