package pledge

import (
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/zipcode"
)

// Address is where something is sent or billed.
type Address struct {
	Name       string `json:"name,omitempty"`
	Line1      string `json:"line1,omitempty"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city,omitempty"`
	State      string `json:"state,omitempty"` // or province, region
	PostalCode string `json:"postalCode,omitempty"`
	Country    string `json:"country,omitempty"` // ISO 3166 alpha-2, upper case
}

const maxAddressPart = 120

// Clean returns the address as it is stored: each part in one line with single spaces
// between its words, without control characters, the country in upper case, the state
// without the region of another country, as a code if the country's mail goes by codes,
// and a ZIP code with the zeros that it begins with if the state confirms them. It fails with
// code Invalid and the field's name when a part is too long, there is no such country, or the
// country has no such state.
func (a Address) Clean() (Address, error) {
	parts := []struct {
		field string
		value *string
	}{
		{"name", &a.Name}, {"line1", &a.Line1}, {"line2", &a.Line2}, {"city", &a.City},
		{"state", &a.State}, {"postalCode", &a.PostalCode}, {"country", &a.Country},
	}
	for _, p := range parts {
		*p.value = oneLine(*p.value)
		if len(*p.value) > maxAddressPart {
			return Address{}, fault.New(fault.Invalid, "An address line has at most %d bytes", maxAddressPart).In(p.field)
		}
	}
	a.Country = strings.ToUpper(a.Country)
	if a.Country != "" && !IsCountry(a.Country) {
		return Address{}, fault.New(fault.Invalid, "A country is the two-letter code of one that exists, such as US").In("country")
	}
	if !hasStates(a.Country) && isRegion(a.State) { // of a country that was chosen before
		a.State = ""
	}
	var known bool
	if a.State, known = stateOf(a.Country, a.State); !known {
		return Address{}, fault.New(fault.Invalid, "The state, province or region does not belong to the country. Correct one of them.").In("state")
	}
	switch a.Country {
	case "US":
		a.PostalCode = zipcode.Complete(a.PostalCode, a.State)
	case "PR", "VI":
		a.PostalCode = zipcode.Complete(a.PostalCode, a.Country)
	}
	return a, nil
}

// oneLine makes every run of spaces, tabs and line breaks one space, also those of other
// scripts and those that do not break, as pasted text has them.
func oneLine(s string) string { return strings.Join(strings.Fields(strings.Map(printable, s)), " ") }

// ZIP is the five digits of an American postal code, which may be written with the
// four of a delivery route behind them, or "" where it is none.
func (a Address) ZIP() string {
	digits := strings.NewReplacer("-", "", " ", "").Replace(a.PostalCode)
	if len(digits) != 5 && len(digits) != 9 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits[:5]
}

// IsZero reports whether nothing is known.
func (a Address) IsZero() bool { return a == Address{} }

func printable(r rune) rune {
	if unicode.IsSpace(r) {
		return r
	}
	if unicode.IsControl(r) || r == unicode.ReplacementChar {
		return -1
	}
	return r
}
