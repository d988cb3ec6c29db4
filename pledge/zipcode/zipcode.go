// Package zipcode maps ZIP codes of the United States to states.
//
// The first three digits identify the state of the post office, which may also serve addresses in
// other states: 42223 belongs to a Kentucky post office but also covers parts of Tennessee. The
// tables in data name their sources.
//
//	zipcode.States("42223")         // KY, TN
//	zipcode.Complete("2138", "MA")  // "02138"
package zipcode

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed data/*.txt
var data embed.FS

// area is a row of the prefixes table.
type area struct {
	from, to string   // the first and last prefix, of three or five digits
	states   []string // states of the ZIP codes
	also     []string // other states accepted in addresses
}

type tables struct {
	prefixes []area
	crossing map[string][]string
	names    map[string]string
}

var load = sync.OnceValue(func() tables {
	t := tables{crossing: map[string][]string{}, names: map[string]string{}}
	for _, f := range lines("prefixes") {
		t.prefixes = append(t.prefixes, readArea(f))
	}
	slices.Reverse(t.prefixes) // narrower areas first
	for _, f := range lines("crossing") {
		t.crossing[f[0]] = f[1:]
	}
	for _, f := range lines("names") {
		t.names[f[0]] = f[0]
		t.names[strings.ToUpper(strings.Join(f[1:], " "))] = f[0]
	}
	return t
})

// lines returns the fields of each line of a table, without blank lines and comments.
func lines(table string) [][]string {
	b, _ := data.ReadFile("data/" + table + ".txt") // embedded
	var out [][]string
	for line := range strings.SplitSeq(string(b), "\n") {
		if f := strings.Fields(line); len(f) > 0 && f[0] != "#" {
			out = append(out, f)
		}
	}
	return out
}

func readArea(f []string) area {
	a := area{from: f[0], to: f[1]}
	for _, state := range f[2:] {
		if accepted, ok := strings.CutPrefix(state, "+"); ok {
			a.also = append(a.also, accepted)
		} else {
			a.states = append(a.states, state)
		}
	}
	return a
}

func (t tables) find(zip string) area {
	for _, a := range t.prefixes {
		if start := zip[:len(a.from)]; a.from <= start && start <= a.to {
			return a
		}
	}
	return area{}
}

// States returns the codes of the states that a five-digit ZIP code covers, or none if no ZIP code
// has its prefix. Military mail has the state codes AA, AE and AP.
func States(zip string) []string {
	if len(zip) != 5 {
		return nil
	}
	t := load()
	if states, ok := t.crossing[zip]; ok {
		return slices.Clone(states)
	}
	return slices.Clone(t.find(zip).states)
}

// Accepts reports whether an address in a state, given by its code, may have a five-digit ZIP code.
func Accepts(zip, state string) bool {
	return len(zip) == 5 && (slices.Contains(States(zip), state) || slices.Contains(load().find(zip).also, state))
}

// State returns the code of a state given as a code or a name, in any case, or "" if it is unknown.
func State(written string) string {
	return load().names[strings.ToUpper(strings.Join(strings.Fields(written), " "))]
}

// AllStates returns the codes of all states and places with ZIP codes, sorted.
func AllStates() []string {
	return slices.Compact(slices.Sorted(maps.Values(load().names)))
}

// Complete restores the leading zeros of a ZIP code, which spreadsheets and number fields drop:
// 02138 becomes 2138. It returns the code unchanged unless the completed one is valid in the state,
// which is given as a code or a name.
func Complete(code, state string) string {
	digits := strings.NewReplacer("-", "", " ", "").Replace(code)
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return code
	}
	head, route := digits, ""
	if len(digits) > 5 {
		head, route = digits[:len(digits)-4], "-"+digits[len(digits)-4:]
	}
	if len(head) != 3 && len(head) != 4 {
		return code
	}
	if zip := strings.Repeat("0", 5-len(head)) + head; Accepts(zip, State(state)) {
		return zip + route
	}
	return code
}
