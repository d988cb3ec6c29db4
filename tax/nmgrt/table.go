package nmgrt

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

//go:embed data/*.csv
var data embed.FS

// place is one location code with its combined rate, including the state's part.
type place struct {
	name, county, code string
	rate               money.Rate
	known              bool // whether the rate is known
	sources, asOf      string
}

type table struct {
	places map[string][]place // towns by normalized name
	cities map[string]string  // postal cities by ZIP code
}

// vendored returns the built-in table, which is read once.
var vendored = sync.OnceValues(load)

func load() (*table, error) {
	t := &table{places: map[string][]place{}, cities: map[string]string{}}
	err := eachLine("places", 8, func(f []string) error {
		if f[1] != "municipality" {
			return nil // districts and county remainders are not used in addresses
		}
		p := place{name: f[0], county: f[2], code: f[3], known: f[4] != "", sources: f[5], asOf: f[6]}
		if p.known {
			var err error
			if p.rate, err = money.ParsePercent(f[4]); err != nil {
				return err
			}
		}
		t.places[fold(p.name)] = append(t.places[fold(p.name)], p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, eachLine("zips", 2, func(f []string) error {
		t.cities[f[0]] = f[1]
		return nil
	})
}

// eachLine calls do for each line of a built-in CSV file except its header. It fails if a line does
// not have the given number of fields, and with any error of do.
func eachLine(file string, fields int, do func([]string) error) error {
	b, err := data.ReadFile("data/" + file + ".csv")
	if err != nil {
		return err
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord = fields
	lines, err := r.ReadAll()
	if err != nil {
		return fmt.Errorf("nmgrt: %s: %w", file, err)
	}
	for i, line := range lines[1:] {
		if err := do(line); err != nil {
			return fmt.Errorf("nmgrt: %s, line %d: %w", file, i+2, err)
		}
	}
	return nil
}

var folding = strings.NewReplacer("ñ", "n", "á", "a", "é", "e", "í", "i", "ó", "o",
	"ú", "u", ".", "", "-", " ", "'", "")

// fold returns the normalized form of a place's name: lower case, without accents, punctuation and
// titles such as "City of".
func fold(name string) string {
	name = strings.Join(strings.Fields(folding.Replace(strings.ToLower(name))), " ")
	for _, title := range []string{"city of ", "town of ", "village of "} {
		name = strings.TrimPrefix(name, title)
	}
	return name
}

// match is the table's result for an address.
type match struct {
	place place
	why   string // why it is an estimate; "" if city and ZIP code agree on one place
}

// find looks up a town by the city, or by the ZIP code's postal city. The latter is an estimate:
// the postal city's area differs from the tax area.
func (t *table) find(zip, city string) (match, bool) {
	postal := t.cities[zip]
	for _, by := range []struct{ name, why string }{{city, ""}, {postal, "estimate based on the ZIP code's postal city"}} {
		known := t.placesNamed(by.name)
		if len(known) == 0 {
			continue
		}
		m := match{place: known[0], why: by.why}
		if m.why == "" && fold(postal) != fold(city) {
			m.why = "estimate based on the city: the ZIP code belongs to another"
		}
		if all := t.places[fold(by.name)]; len(all) > 1 {
			m.why = fmt.Sprintf("estimate: %s lies in several counties, using %s", m.place.name, m.place.county)
		}
		return m, true
	}
	return match{}, false
}

// placesNamed returns the towns with a name whose rates are known.
func (t *table) placesNamed(name string) []place {
	var out []place
	for _, p := range t.places[fold(name)] {
		if p.known {
			out = append(out, p)
		}
	}
	return out
}
