package schema

import (
	"maps"
	"sync"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// countriesIn returns the names of all countries by code, with additional entries for "everywhere"
// and "none".
func countriesIn(language string) map[string]string {
	if language == "es" {
		return spanishCountries()
	}
	return englishCountries()
}

var (
	englishCountries = sync.OnceValue(func() map[string]string { return countryChoices("en", "All countries", "None") })
	spanishCountries = sync.OnceValue(func() map[string]string {
		return countryChoices("es", "Todos los países", "Ninguno")
	})
)

func countryChoices(language, all, none string) map[string]string {
	names := maps.Clone(pledge.CountryNames(language))
	names[everywhere], names["none"] = all, none
	return names
}
