package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// shipsTo describes where something ships to: the names of countries in their order, without the
// excluded ones. If countries is empty, it returns "Worldwide" with the excluded countries as
// exceptions. It fails for an unknown country code.
func (l locale) shipsTo(countries, excluded []string) (string, error) {
	if len(countries) == 0 {
		return l.worldwide(excluded)
	}
	for _, code := range countries {
		if !pledge.IsCountry(code) {
			return "", fmt.Errorf("%s is not a country", code)
		}
	}
	left := slices.DeleteFunc(slices.Clone(countries), func(code string) bool { return slices.Contains(excluded, code) })
	if len(left) == 0 {
		return l.say("tier_nowhere")
	}
	return l.countryNames(left), nil
}

func (l locale) worldwide(excluded []string) (string, error) {
	if len(excluded) == 0 {
		return l.say("tier_everywhere")
	}
	return l.say("tier_everywhere_but", "Countries", l.countryNames(excluded))
}

// countryNames joins the names of countries with commas.
func (l locale) countryNames(countries []string) string {
	names := make([]string, 0, len(countries))
	for _, code := range countries {
		names = append(names, pledge.CountryName(code, l.Code))
	}
	return strings.Join(names, ", ")
}
