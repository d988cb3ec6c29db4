package offline

import (
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/tax"
)

// territory is a part of a country with other taxes. Its addresses can be written with that
// country.
type territory struct {
	place   string   // its own ISO 3166-1 code, or the country's
	country string   // the country used in addresses
	postal  []string // prefixes of its postal codes, or ranges of complete codes such as "100-970"
	names   []string // as written in the city or the state of an address
}

// within returns the spot of the territory that an address is in, or s if it is in none. A
// territory with its own code but without rows, such as Guadeloupe, is taxed by the country's rows.
func (t *table) within(s spot, a tax.Address) spot {
	for _, x := range t.territories {
		switch {
		case x.country == s.place && x.has(s, a):
			if len(x.postal) > 0 && !x.holds(s.postal) {
				s.postal = x.postal[0]
			}
			return t.taxedAs(x, s)
		case x.place == s.place && x.country != s.place && t.rows[x.place] == nil && len(x.postal) > 0:
			return t.taxedAs(x, spot{place: x.place, postal: x.postal[0]})
		}
	}
	return s
}

// taxedAs returns the place whose rows apply to a territory: the country if only it has rows for
// the postal code, otherwise the territory.
func (t *table) taxedAs(x territory, s spot) spot {
	ofCountry := slices.ContainsFunc(t.rows[x.country], func(r row) bool { return r.covers(s.postal) })
	if t.rows[x.place] == nil && ofCountry {
		return spot{place: x.country, postal: s.postal}
	}
	return spot{place: x.place, postal: s.postal}
}

// has reports whether an address of the country is in the territory.
func (x territory) has(s spot, a tax.Address) bool {
	return x.holds(s.postal) || slices.ContainsFunc(x.names, func(name string) bool {
		return sameText(name, a.City) || sameText(name, a.State)
	})
}

// holds reports whether a postal code is in the territory.
func (x territory) holds(code string) bool {
	return code != "" && slices.ContainsFunc(x.postal, func(p string) bool {
		from, to, whole := strings.Cut(p, "-")
		if whole {
			return len(code) == len(from) && from <= code && code <= to
		}
		return strings.HasPrefix(code, p)
	})
}

func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

func readTerritory(f []string) territory {
	return territory{
		place: f[0], country: f[1], postal: strings.Fields(f[2]),
		names: strings.FieldsFunc(f[3], func(r rune) bool { return r == '|' }),
	}
}
