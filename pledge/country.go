package pledge

import (
	_ "embed"
	"strings"
	"sync"
)

// countries has the English and Spanish country names of the Unicode CLDR, one country per line. A
// test of hosts/schema compares them with golang.org/x/text and updates them. Importing that
// library here would add 2.3 MB for two hundred languages.
//
//go:embed countries.txt
var countries string

// CountryName returns the name of a country in English, or in Spanish for "es". It returns "" for
// an unknown code.
func CountryName(code, language string) string { return CountryNames(language)[code] }

// CountryNames returns the names of all countries by their codes. Callers must not change the map.
func CountryNames(language string) map[string]string {
	if language == "es" {
		return countryNames().es
	}
	return countryNames().en
}

type countryTable struct{ en, es map[string]string }

var countryNames = sync.OnceValue(func() countryTable {
	t := countryTable{map[string]string{}, map[string]string{}}
	for line := range strings.Lines(countries) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), "\t")
		t.en[code], t.es[code], _ = strings.Cut(names, "\t")
	}
	return t
})
