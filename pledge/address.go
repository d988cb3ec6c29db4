package pledge

import (
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
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

// Clean returns the address as it is stored: trimmed, without control
// characters, the country in upper case. It fails with code Invalid and the
// field's name when a part is too long or the country is no two-letter code.
func (a Address) Clean() (Address, error) {
	parts := []struct {
		field string
		value *string
	}{
		{"name", &a.Name}, {"line1", &a.Line1}, {"line2", &a.Line2}, {"city", &a.City},
		{"state", &a.State}, {"postalCode", &a.PostalCode}, {"country", &a.Country},
	}
	for _, p := range parts {
		*p.value = strings.TrimSpace(strings.Map(printable, *p.value))
		if len(*p.value) > maxAddressPart {
			return Address{}, fault.New(fault.Invalid, "An address line has at most %d bytes", maxAddressPart).In(p.field)
		}
	}
	a.Country = strings.ToUpper(a.Country)
	if a.Country != "" && !isCountry(a.Country) {
		return Address{}, fault.New(fault.Invalid, "A country is a two-letter code, such as US").In("country")
	}
	return a, nil
}

// IsZero reports whether nothing is known.
func (a Address) IsZero() bool { return a == Address{} }

func isCountry(s string) bool {
	return len(s) == 2 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z'
}

func printable(r rune) rune {
	if unicode.IsControl(r) || r == unicode.ReplacementChar {
		return -1
	}
	return r
}
