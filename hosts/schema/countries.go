package schema

import (
	"maps"
	"sync"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// countriesIn returns the names of all countries by code, and the name for all countries together.
func countriesIn(language string) map[string]string {
	if language == "es" {
		return spanishCountries()
	}
	return englishCountries()
}

var (
	englishCountries = sync.OnceValue(func() map[string]string { return withEverywhere("en", "All countries") })
	spanishCountries = sync.OnceValue(func() map[string]string { return withEverywhere("es", "Todos los países") })
)

func withEverywhere(language, name string) map[string]string {
	all := maps.Clone(pledge.CountryNames(language))
	all[everywhere] = name
	return all
}
