package offline

import (
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/zipcode"
	"github.com/pledgeworks/pledgeworks/tax"
)

// spot identifies a destination in the table.
type spot struct {
	place  string // "DE", "CA-ON", "US-NY"
	postal string // upper case, without spaces
	goods  string // the place that taxes goods, if different
}

// find returns the spot of a destination, or a question if it is not clear.
func (t *table) find(r tax.Request) (spot, *tax.Question) {
	a := r.Destination
	s := spot{place: strings.ToUpper(strings.TrimSpace(a.Country))}
	s.postal = normalizePostalCode(s.place, a.PostalCode)
	switch s.place {
	case "":
		return s, &tax.Question{Field: "country", Reason: tax.MissingField}
	case "US":
		return t.inStates(a)
	case "CA":
		return t.inCanada(s, a)
	}
	if inside := t.within(s, a); inside != s {
		return inside, nil
	}
	if s.place == "GB" && strings.HasPrefix(s.postal, "BT") {
		s.goods = "XI" // Northern Ireland follows EU rules for goods
	}
	if s.postal == "" && t.hasTerritories(s.place) && mailNeedsPostalCode(s.place) {
		return s, askPostalCode(a)
	}
	return s, nil
}

// mailNeedsPostalCode reports whether a country's addresses require a postal code.
func mailNeedsPostalCode(country string) bool {
	return tax.Address{Country: country, Name: "-", Line1: "-", City: "-", State: "-"}.Missing() == "postalCode"
}

// askPostalCode returns the question about a postal code that is missing or unknown.
func askPostalCode(a tax.Address) *tax.Question {
	q := tax.Question{Field: "postalCode", Reason: tax.MissingField, PostalCode: strings.TrimSpace(a.PostalCode)}
	if q.PostalCode != "" {
		q.Reason = tax.UnknownPostalCode
	}
	return &q
}

// normalizePostalCode returns a postal code in upper case, without separators and without a
// country's prefix before digits: "FI-22100" becomes "22100".
func normalizePostalCode(country, code string) string {
	code = strings.ToUpper(strings.NewReplacer(" ", "", "-", "", ".", "").Replace(code))
	digits := strings.TrimLeft(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if country != "GB" && digits != "" && len(code)-len(digits) <= 3 && strings.Trim(digits, "0123456789") == "" {
		return digits
	}
	return code
}

// province returns the code of a province given as a code or a name, or the input if it
// is unknown.
func (t *table) province(written string) string {
	written = strings.ToUpper(strings.Join(strings.Fields(written), " "))
	if code, ok := t.provinces[written]; ok {
		return code
	}
	return written
}

// inStates returns the spot of an address in the United States. The state is that of the ZIP code,
// or the given one if the ZIP code has several, is missing or does not exist.
//
// If the state and the ZIP code contradict each other, inStates returns a question, because either
// may be wrong.
func (t *table) inStates(a tax.Address) (spot, *tax.Question) {
	a.PostalCode = strings.TrimSpace(zipcode.Complete(a.PostalCode, a.State))
	state, zip := zipcode.State(a.State), a.ZIP()
	if a.PostalCode != "" && zip == "" {
		q := tax.ZIPQuestion(a.PostalCode)
		return spot{place: "US"}, &q
	}
	states := zipcode.States(zip)
	question := tax.Question{Field: "state", PostalCode: zip, States: states}
	switch {
	case len(states) == 0 && state == "":
		return spot{place: "US"}, askPostalCode(a)
	case len(states) == 0:
	case strings.TrimSpace(a.State) == "" && len(states) == 1:
		state = states[0]
	case strings.TrimSpace(a.State) == "":
		question.Reason = tax.SeveralStates
		return spot{place: "US"}, &question
	case !zipcode.Accepts(zip, state):
		question.Reason = tax.OtherState
		return spot{place: "US"}, &question
	}
	if slices.Contains(islands, state) {
		return spot{place: state, postal: zip}, nil
	}
	return spot{place: "US-" + state, postal: zip}, nil
}

// islands are places that are served by the United States Postal Service and have their own
// country code.
var islands = []string{"AS", "FM", "GU", "MH", "MP", "PR", "PW", "VI"}

// Origin returns the place in which a seller collects tax by default: the country or,
// if regional, the state of the ZIP code.
func Origin(country, zip string, regional bool) string {
	t, err := vendored()
	if err != nil || !regional || country != "US" {
		return country
	}
	s, question := t.inStates(tax.Address{PostalCode: zip})
	if question != nil {
		return country
	}
	return s.place
}

// provinces are the Canadian provinces by the first letter of a postal code.
var provinces = map[byte]string{
	'A': "NL", 'B': "NS", 'C': "PE", 'E': "NB", 'G': "QC", 'H': "QC", 'J': "QC", 'K': "ON",
	'L': "ON", 'M': "ON", 'N': "ON", 'P': "ON",
	'R': "MB", 'S': "SK", 'T': "AB", 'V': "BC", 'Y': "YT",
}

// shared are the postal areas that extend into a neighboring province, with that province: the
// federal offices in Gatineau, Akwesasne in Ontario, and Flin Flon in Saskatchewan.
var shared = map[string][]string{"K1A": {"QC"}, "H0M": {"ON"}, "R8A": {"SK"}}

// inCanada returns the spot of an address in Canada. The province is that of the postal code, or
// the given one if there is no postal code. If they contradict each other, or if the province
// cannot be determined, inCanada returns a question.
func (t *table) inCanada(s spot, a tax.Address) (spot, *tax.Question) {
	province := t.province(a.State)
	if s.postal != "" {
		by := provinceOf(s.postal)
		if slices.Contains(shared[s.postal[:min(3, len(s.postal))]], province) {
			by = province
		}
		if by != "" && province != "" && by != province {
			return s, &tax.Question{Field: "state", Reason: tax.OtherState, PostalCode: a.PostalCode, States: []string{by}}
		}
		province = by
	}
	if len(province) != 2 {
		return s, askPostalCode(a)
	}
	s.place = "CA-" + province
	return s, nil
}

// provinceOf returns the province of a Canadian postal code, or "" if there is none.
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
