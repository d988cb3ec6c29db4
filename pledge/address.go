package pledge

import (
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/zipcode"
)

// Address is a shipping or billing address.
type Address struct {
	Name       string `json:"name,omitempty"`
	Line1      string `json:"line1,omitempty"`
	Line2      string `json:"line2,omitempty"`
	City       string `json:"city,omitempty"`
	State      string `json:"state,omitempty"` // or province, region
	PostalCode string `json:"postalCode,omitempty"`
	Country    string `json:"country,omitempty"` // ISO 3166 alpha-2, upper case
	Phone      string `json:"phone,omitempty"`   // for the carrier, in the supporter's notation
}

const maxAddressPart = 120

// Clean returns the address in its stored form:
//
//   - Each part is one line with single spaces between words and without control characters.
//   - The country is in upper case.
//   - A state of another country is removed if the country has no states.
//   - The state is replaced with its code if the country's mail uses codes.
//   - Leading zeros missing from a ZIP code are restored if the state confirms them.
//
// Clean fails with code Invalid and the field's name if a part is too long, the country does not
// exist, the state does not belong to it, or the phone number is not valid.
func (a Address) Clean() (Address, error) {
	parts := []struct {
		field string
		value *string
	}{
		{"name", &a.Name}, {"line1", &a.Line1}, {"line2", &a.Line2}, {"city", &a.City},
		{"state", &a.State}, {"postalCode", &a.PostalCode}, {"country", &a.Country},
		{"phone", &a.Phone},
	}
	for _, p := range parts {
		*p.value = oneLine(*p.value)
		if len(*p.value) > maxAddressPart {
			return Address{}, fault.New(fault.Invalid,
				"An address line can have at most %d bytes", maxAddressPart).In(p.field)
		}
	}
	a.Country = strings.ToUpper(a.Country)
	if a.Country != "" && !IsCountry(a.Country) {
		return Address{}, fault.New(fault.Invalid, "A country must be an existing two-letter code, such as US").In("country")
	}
	if !hasStates(a.Country) && isRegion(a.State) { // left over from another country
		a.State = ""
	}
	var known bool
	if a.State, known = stateOf(a.Country, a.State); !known {
		return Address{}, fault.New(fault.Invalid,
			"The state, province or region does not belong to the country. Correct one of them.").In("state")
	}
	if a.Phone != "" && !isPhone(a.Phone) {
		return Address{}, fault.New(fault.Invalid,
			"A phone number has %d to %d digits, and may have a + and spaces, hyphens, parentheses, periods and slashes",
			minPhoneDigits, maxPhoneDigits).In("phone")
	}
	switch a.Country {
	case "US":
		a.PostalCode = zipcode.Complete(a.PostalCode, a.State)
	case "PR", "VI":
		a.PostalCode = zipcode.Complete(a.PostalCode, a.Country)
	}
	return a, nil
}

// Limits of a phone number. E.164 allows 15 digits.
const (
	minPhoneDigits = 5
	maxPhoneDigits = 15
	maxPhone       = 30 // characters
)

// isPhone reports whether a text can be a phone number in the notation of any country. The checkout
// page's isPhone in address.ts has the same rule.
func isPhone(s string) bool {
	digits := 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune("+-() ./", r):
			return false
		}
	}
	return len(s) <= maxPhone && minPhoneDigits <= digits && digits <= maxPhoneDigits && strings.Count(s, "+") <= 1
}

// oneLine trims a text, removes control characters, and replaces each run of whitespace, including
// the Unicode spaces of pasted text, with one space.
func oneLine(s string) string { return strings.Join(strings.Fields(strings.Map(printable, s)), " ") }

// ZIP returns the five-digit ZIP code of a US postal code, which may have the four
// digits of ZIP+4, or "" if it is not valid.
func (a Address) ZIP() string {
	digits := strings.NewReplacer("-", "", " ", "").Replace(a.PostalCode)
	if len(digits) != 5 && len(digits) != 9 || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return digits[:5]
}

// IsZero reports whether all parts are empty.
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
