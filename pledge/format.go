package pledge

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// formats has the address lines and the required address parts of each country, one country per
// line. hosts/site/scripts/formats.mjs generates it from libaddressinput. The checkout page reads
// the same file.
//
//go:embed formats.txt
var formats string

// regions has the codes and names of the states of each country whose addresses use state codes,
// one country per line.
//
//go:embed regions.txt
var regions string

// IsCountry reports whether code is an upper-case country code: one of ISO 3166-1, or
// XK for Kosovo, which mail also uses.
func IsCountry(code string) bool {
	return len(code) == 2 && strings.Contains("\n"+formats, "\n"+code+" ")
}

// Missing returns the JSON name of the first required part that is missing, or "" if the address is
// complete. The country and a name are always required. The other parts depend on the country; for
// example, Hong Kong has no postal codes. An unknown country requires a street and a city.
func (a Address) Missing() string {
	needed := requiredParts(a.Country)
	for _, part := range []struct {
		field, value string
		letter       byte
	}{
		{"country", a.Country, 0}, {"name", a.Name, 0}, {"line1", a.Line1, 'A'}, {"city", a.City, 'C'},
		{"state", a.State, 'S'}, {"postalCode", a.PostalCode, 'Z'},
	} {
		if part.value == "" && (part.letter == 0 || strings.IndexByte(needed, part.letter) >= 0) {
			return part.field
		}
	}
	return ""
}

// requiredParts returns the letters of a country's required address parts: A for the street, C for
// the city, S for the state and Z for the postal code.
func requiredParts(country string) string {
	if !IsCountry(country) {
		return "AC"
	}
	return strings.Fields(lineOf(formats, country))[1]
}

// hasStates reports whether a country's addresses have a state, province or region. It returns true
// for an unknown country.
func hasStates(country string) bool {
	return !IsCountry(country) || strings.Contains(strings.Fields(lineOf(formats, country))[0], "S")
}

// isRegion reports whether a text is the code or the name of a region in regions.txt.
func isRegion(written string) bool {
	for line := range strings.SplitSeq(strings.TrimSpace(regions), "\n") {
		if _, ok := stateOf(line[:2], written); ok {
			return true
		}
	}
	return false
}

// stateOf returns the code of a state given as a code or a name, with or without accents and
// periods, and reports whether the country has that state. States of countries that are not in
// regions.txt are returned unchanged.
func stateOf(country, written string) (state string, ok bool) {
	list := lineOf(regions, country)
	if written == "" || country == "" || list == "" {
		return written, true
	}
	for region := range strings.SplitSeq(list, "|") {
		code, name, _ := strings.Cut(region, "=")
		if folded := foldRegion(written); folded == foldRegion(code) || folded == foldRegion(name) {
			return code, true
		}
	}
	return "", false
}

// foldRegion returns the letters and digits of a region's code or name in lower case,
// without accents.
func foldRegion(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFD.String(s))
}

// lineOf returns a country's line in a list, without the country code, or "" if it has none.
func lineOf(list, country string) string {
	_, rest, _ := strings.Cut("\n"+list, "\n"+country+" ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// Lines returns the name and the address in the format of its country, without the country's name.
func (a Address) Lines() []string {
	rows := "A,CSZ"
	if IsCountry(a.Country) {
		rows = strings.Fields(lineOf(formats, a.Country))[0]
	}
	lines := []string{a.Name}
	for row := range strings.SplitSeq(rows, ",") {
		if row == "A" {
			lines = append(lines, a.Line1, a.Line2)
			continue
		}
		lines = append(lines, a.row(row))
	}
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// row joins the parts of one line with spaces. A comma separates a city from its state: "Taos, NM
// 87571".
func (a Address) row(letters string) string {
	var b strings.Builder
	for i, letter := range letters {
		part := map[rune]string{'A': strings.TrimSpace(a.Line1 + " " + a.Line2), 'C': a.City,
			'S': a.State, 'Z': a.PostalCode}[letter]
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(map[bool]string{true: ", ", false: " "}[letter == 'S' && letters[i-1] == 'C'])
		}
		b.WriteString(part)
	}
	return b.String()
}
