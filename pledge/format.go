package pledge

import (
	_ "embed"
	"strings"
)

// What mail cannot do without is libaddressinput's, by countries, as
// hosts/site/scripts/formats.mjs writes it. The checkout page reads the same file.
//
//go:embed formats.txt
var formats string

// IsCountry reports whether there is a country of that code, two capital letters: one of
// ISO 3166-1, or Kosovo, by which mail goes as well.
func IsCountry(code string) bool {
	return len(code) == 2 && strings.Contains("\n"+formats, "\n"+code+" ")
}

// Missing names the first part without which nothing can be sent to the address, as
// JSON calls it, "" where it is complete. What that takes differs by country: Hong Kong
// has no postal codes. Where the country is none that is known, it is a street and a
// city.
func (a Address) Missing() string {
	needed := needs(a.Country)
	for _, part := range []struct {
		field, value string
		letter       byte
	}{
		{"country", a.Country, 0}, {"name", a.Name, 0}, {"line1", a.Line1, 'A'}, {"city", a.City, 'C'}, {"state", a.State, 'S'}, {"postalCode", a.PostalCode, 'Z'},
	} {
		if part.value == "" && (part.letter == 0 || strings.IndexByte(needed, part.letter) >= 0) {
			return part.field
		}
	}
	return ""
}

// needs are the letters of the parts that a country's mail takes.
func needs(country string) string {
	if !IsCountry(country) {
		return "AC"
	}
	_, rest, _ := strings.Cut("\n"+formats, "\n"+country+" ")
	return strings.Fields(rest)[1]
}
