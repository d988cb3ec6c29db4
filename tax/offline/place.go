package offline

import (
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/tax"
)

// spot is where something goes, as the table knows places.
type spot struct {
	place  string // "DE", "CA-ON", "US-NY"
	postal string // without spaces, in capitals
	goods  string // the place that taxes goods, where it is another
}

// ofOthers are places that are part of another's table under their own country code.
var ofOthers = map[string]spot{
	"GP": {place: "FR", postal: "971"}, "MQ": {place: "FR", postal: "972"}, "GF": {place: "FR", postal: "973"},
	"RE": {place: "FR", postal: "974"}, "YT": {place: "FR", postal: "976"},
}

// states are places of the postal service of the United States with a table of
// their own.
var states = map[string]string{"PR": "PR"}

// contradiction says why a state is missing that is written.
const contradiction = "The state does not match the postal code. Correct one of them."

// find returns the spot of a destination, or the fields that are missing to tell.
func (t *table) find(r tax.Request) (spot, []string) {
	a := r.Destination
	s := spot{place: strings.ToUpper(strings.TrimSpace(a.Country)), postal: postal(a.PostalCode)}
	if other, ok := ofOthers[s.place]; ok {
		return other, nil
	}
	switch s.place {
	case "":
		return s, []string{"country"}
	case "US":
		return t.inStates(s, a.State)
	case "CA":
		return t.inCanada(s, a.State)
	case "GB":
		if s.postal == "" {
			return s, []string{"postalCode"}
		}
		return inBritain(s), nil
	}
	if t.hasTerritories(s.place) && s.postal == "" {
		return s, []string{"postalCode"}
	}
	return s, nil
}

func postal(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// region is the code of a state or province that is written as a code or by its name,
// and what is written where nobody knows it.
func (t *table) region(country, written string) string {
	written = strings.ToUpper(strings.Join(strings.Fields(written), " "))
	if code, ok := t.regions[country+" "+written]; ok {
		return code
	}
	return written
}

// inStates decides by the first three digits of the ZIP code. Where they lie in
// several states, there is no ZIP code, or one that nobody has, the state that is
// written decides. One that contradicts the ZIP code is asked about: either may be the
// slip.
func (t *table) inStates(s spot, state string) (spot, []string) {
	written := t.region("US", state)
	var candidates []string
	if s.postal != "" {
		if (tax.Address{PostalCode: s.postal}).ZIP() == "" {
			return s, []string{"postalCode"}
		}
		n := int(s.postal[0]-'0')*100 + int(s.postal[1]-'0')*10 + int(s.postal[2]-'0')
		candidates = strings.FieldsFunc(t.zip3[n], func(r rune) bool { return r == '/' })
	}
	if len(candidates) == 1 && written == "" {
		written = candidates[0]
	}
	switch {
	case len(candidates) > 0 && !slices.Contains(candidates, written):
		return s, []string{"state"}
	case written == "":
		return s, []string{"postalCode"}
	}
	if own, ok := states[written]; ok {
		return spot{place: own}, nil
	}
	if len(candidates) == 0 && t.rows["US-"+written] == nil {
		return s, []string{"postalCode"}
	}
	s.place = "US-" + written
	return s, nil
}

// Origin is the place that a seller collects tax in without saying so: the country,
// or the state of a ZIP code where the region is what counts.
func Origin(country, zip string, regional bool) string {
	t, err := vendored()
	if err != nil || !regional || country != "US" {
		return country
	}
	s, missing := t.inStates(spot{place: country, postal: postal(zip)}, "")
	if len(missing) > 0 {
		return country
	}
	return s.place
}

// provinces are by the first letter of a Canadian postal code.
var provinces = map[byte]string{
	'A': "NL", 'B': "NS", 'C': "PE", 'E': "NB", 'G': "QC", 'H': "QC", 'J': "QC", 'K': "ON", 'L': "ON", 'M': "ON", 'N': "ON", 'P': "ON",
	'R': "MB", 'S': "SK", 'T': "AB", 'V': "BC", 'Y': "YT",
}

// inCanada decides by the postal code, and by the province where there is none. One
// that contradicts the postal code is asked about.
func (t *table) inCanada(s spot, state string) (spot, []string) {
	province := t.region("CA", state)
	if s.postal != "" {
		by := provinceOf(s.postal)
		if by != "" && province != "" && by != province {
			return s, []string{"state"}
		}
		province = by
	}
	if len(province) != 2 {
		return s, []string{"postalCode"}
	}
	s.place = "CA-" + province
	return s, nil
}

func provinceOf(postal string) string {
	nunavut := func(area string) bool { return strings.HasPrefix(postal, area) }
	switch {
	case postal[0] != 'X':
		return provinces[postal[0]]
	case slices.ContainsFunc([]string{"X0A", "X0B", "X0C"}, nunavut): // two territories share the letter
		return "NU"
	}
	return "NT"
}

// inBritain knows Northern Ireland, which is in the Union for goods, and Jersey,
// which is not in the United Kingdom, by their postal codes.
func inBritain(s spot) spot {
	switch {
	case strings.HasPrefix(s.postal, "BT"):
		s.goods = "XI"
	case strings.HasPrefix(s.postal, "JE"):
		s.place = "JE"
	case strings.HasPrefix(s.postal, "IM"):
		s.place = "IM"
	}
	return s
}
