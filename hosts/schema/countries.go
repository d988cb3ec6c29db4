package schema

import (
	_ "embed"
	"strings"
	"sync"
)

// English and Spanish country names from the Unicode CLDR as in golang.org/x/text. A test compares
// and updates them. The library itself would add 2.3 MB for two hundred languages.
//
//go:embed countries.txt
var countryNames string

// CountryName returns the name of a country in English ("en") or Spanish ("es"), or "" for a code
// that nothing ships to.
func CountryName(code, language string) string {
	if len(code) != 2 {
		return ""
	}
	return countriesIn(language)[code]
}

// countriesIn returns the names of all countries by their codes, and of all countries together.
func countriesIn(language string) map[string]string {
	if language == "es" {
		return countryTables().es
	}
	return countryTables().en
}

type countryTable struct{ en, es map[string]string }

var countryTables = sync.OnceValue(func() countryTable {
	t := countryTable{map[string]string{everywhere: "All countries"}, map[string]string{everywhere: "Todos los países"}}
	for line := range strings.Lines(countryNames) {
		code, names, _ := strings.Cut(strings.TrimSpace(line), "\t")
		t.en[code], t.es[code], _ = strings.Cut(names, "\t")
	}
	return t
})
