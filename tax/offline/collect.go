package offline

import (
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Everywhere stands for every place with a known rule.
const Everywhere = "everywhere"

// union has the members of the European Union, and Northern Ireland for goods.
var union = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK XI")

// collected is the set of places in which the operator collects tax. Having a rate in the table is
// not enough.
type collected struct {
	all    bool
	places map[string]bool
}

// readCollected parses the places that are given to New. It fails with code Invalid for a place
// without a known rule.
func readCollected(t *table, places []string) (collected, error) {
	c := collected{places: map[string]bool{}}
	for _, p := range places {
		p = strings.TrimSpace(p)
		switch upper := strings.ToUpper(p); {
		case strings.EqualFold(p, Everywhere):
			c.all = true
		case upper == "EU":
			for _, member := range union {
				c.places[member] = true
			}
		case upper == "US", upper == "CA", upper == "XI", t.rows[upper] != nil:
			c.places[upper] = true
		default:
			return c, fault.New(fault.Invalid,
				"Tax cannot be collected in %q: use a country, a state such as US-NM or CA-QC, EU, or everywhere", p).In("collect")
		}
	}
	return c, nil
}

// national are the taxes of Canada as a whole. A province's own tax requires a registration with
// the province.
var national = []string{"GST", "HST"}

// includes reports whether a tax of a place is collected.
func (c collected) includes(place, tax string) bool {
	country, _, within := strings.Cut(place, "-")
	switch {
	case c.all || c.places[place]:
		return true
	case !within || !c.places[country]:
		return false
	}
	return country != "CA" || slices.Contains(national, tax)
}
