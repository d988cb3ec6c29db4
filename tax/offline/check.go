package offline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/zipcode"
)

// Problem is something in the table that a person should look at.
type Problem struct {
	Place string `json:"place"`
	What  string `json:"what"`
	// Grave ones make an answer wrong or impossible; others are only getting old.
	Grave bool `json:"grave"`
}

// How old a source may be, and how soon a rate may end, without a word.
const (
	stale = 400 * 24 * time.Hour
	soon  = 60 * 24 * time.Hour
)

// Check looks for overlaps, gaps, codes that nobody has, sources that have grown
// old and rates that end soon. It fails where the table cannot be read.
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
			if r.same(other) && r.overlaps(other) {
				found = append(found, Problem{place, fmt.Sprintf("two rates of %s from %s and from %s", r.tax, cmp.Or(r.from, "…"), cmp.Or(other.from, "…")), true})
			}
		}
		if r.to != "" && !slices.ContainsFunc(rows, r.isFollowedBy) {
			found = append(found, Problem{place, fmt.Sprintf("%s ends with %s and nothing follows", r.tax, r.to), true})
		}
		found = append(found, r.age(now)...)
	}
	if day := now.Format(time.DateOnly); len(t.at(place, "", day)) == 0 {
		found = append(found, Problem{place, "no rate on " + day, true})
	}
	return found
}

func (r row) same(other row) bool { return r.tax == other.tax && slices.Equal(r.postal, other.postal) }

func (r row) overlaps(other row) bool {
	return (r.to == "" || other.from <= r.to) && (other.to == "" || r.from <= other.to)
}

func (r row) isFollowedBy(next row) bool {
	last, _ := time.Parse(time.DateOnly, r.to) // it is a date, or the row had not been read
	return r.same(next) && next.from == last.AddDate(0, 0, 1).Format(time.DateOnly)
}

// age tells what is no fault yet.
func (r row) age(now time.Time) []Problem {
	if !r.on(now.Format(time.DateOnly)) {
		return nil
	}
	var found []Problem
	if asOf, err := time.Parse(time.DateOnly, (r.asOf + "-01-01")[:10]); err != nil || now.Sub(asOf) > stale {
		found = append(found, Problem{r.place, fmt.Sprintf("the sources of %s are of %s", r.tax, r.asOf), false})
	}
	if r.to != "" && r.to <= now.Add(soon).Format(time.DateOnly) {
		found = append(found, Problem{r.place, fmt.Sprintf("%s ends with %s", r.tax, r.to), false})
	}
	return found
}

// apart are places of the American postal service that no rate is known for.
var apart = []string{"VI", "GU", "AS", "MP", "FM", "MH", "PW", "AE", "AA", "AP"}

func (t *table) checkStates() []Problem {
	var found []Problem
	for _, state := range zipcode.AllStates() {
		if t.rows[state] == nil && t.rows["US-"+state] == nil && !slices.Contains(apart, state) {
			found = append(found, Problem{"US-" + state, "ZIP codes lie there and it has no rate", true})
		}
	}
	return found
}
