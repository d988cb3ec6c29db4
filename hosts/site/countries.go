package site

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// shipsTo returns the names of the countries that something ships to, in the order of the file;
// for no countries, "Worldwide" with the exceptions. Excluded countries are left out.
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
	return l.names(left), nil
}

func (l locale) worldwide(excluded []string) (string, error) {
	if len(excluded) == 0 {
		return l.say("tier_everywhere")
	}
	return l.say("tier_everywhere_but", "Countries", l.names(excluded))
}

// names joins the names of countries.
func (l locale) names(countries []string) string {
	names := make([]string, 0, len(countries))
	for _, code := range countries {
		names = append(names, pledge.CountryName(code, l.Code))
	}
	return strings.Join(names, ", ")
}
