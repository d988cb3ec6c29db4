package offline

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

//go:embed data/*.csv
var data embed.FS

// row is a rate of one tax in one place, with its dates.
type row struct {
	place      string   // "DE", "CA-ON", "US-NY"
	postal     []string // prefixes of a territory's postal codes; empty for the rest of the place
	tax        string   // "VAT", "HST", "Sales tax"
	percent    string
	rate       money.Rate
	from, to   string // YYYY-MM-DD, inclusive; "" means open
	shipping   taxable
	digital    taxable
	sources    string // titles
	asOf       string
	confidence string // in the sources: high, medium or low
	note       string
}

// taxable states whether something is taxed: "yes", "no", or "" if unknown.
type taxable string

const (
	yes taxable = "yes"
	no  taxable = "no"
)

// table holds all built-in data.
type table struct {
	rows map[string][]row // by place
	// provinces maps the names of Canada's provinces to codes: QUEBEC is QC.
	provinces   map[string]string
	territories []territory
}

// load reads the embedded files. It fails if they are not valid, which the tests rule out.
func load() (*table, error) {
	t := &table{rows: map[string][]row{}, provinces: map[string]string{}}
	sources, err := titles()
	if err != nil {
		return nil, err
	}
	for _, file := range []string{"countries", "provinces", "states"} {
		err := eachLine(file, 12, func(f []string) error {
			r, err := readRow(f, sources)
			t.rows[r.place] = append(t.rows[r.place], r)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	err = eachLine("provincenames", 2, func(f []string) error {
		t.provinces[strings.ToUpper(f[1])] = f[0]
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, eachLine("territories", 5, func(f []string) error {
		for key := range strings.FieldsSeq(f[4]) {
			if sources[key] == "" {
				return fmt.Errorf("unknown source %q", key)
			}
		}
		t.territories = append(t.territories, readTerritory(f))
		return nil
	})
}

// titles returns the titles of the sources by key.
func titles() (map[string]string, error) {
	out := map[string]string{}
	return out, eachLine("sources", 4, func(f []string) error {
		out[f[0]] = f[1]
		return nil
	})
}

func readRow(f []string, sources map[string]string) (row, error) {
	r := row{place: f[0], postal: strings.Fields(f[1]), tax: f[2], percent: f[3], from: f[4],
		to: f[5], shipping: taxable(f[6]), digital: taxable(f[7]),
		asOf: f[9], confidence: f[10], note: f[11]}
	var err error
	if r.rate, err = money.ParsePercent(f[3]); err != nil {
		return r, err
	}
	var names []string
	for key := range strings.FieldsSeq(f[8]) {
		if sources[key] == "" {
			return r, fmt.Errorf("unknown source %q", key)
		}
		names = append(names, sources[key])
	}
	r.sources = strings.Join(names, "; ")
	return r, r.check()
}

func (r row) check() error {
	for _, day := range []string{r.from, r.to} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("%s: %q is not a date", r.place, day)
		}
	}
	if !slices.Contains([]taxable{yes, no, ""}, r.shipping) || !slices.Contains([]taxable{yes, no, ""}, r.digital) {
		return fmt.Errorf("%s: shipping and digital must be yes, no or empty", r.place)
	}
	if r.sources == "" || r.asOf == "" || r.tax == "" || r.to != "" && r.from > r.to {
		return fmt.Errorf("%s: a row needs a tax, sources and their date, and must end after it begins", r.place)
	}
	return nil
}

// eachLine calls do for each line of a built-in CSV file except its header. It fails if a line does
// not have the given number of fields, and with any error of do.
func eachLine(file string, fields int, do func([]string) error) error {
	b, err := data.ReadFile("data/" + file + ".csv")
	if err != nil {
		return err
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord, r.Comment = fields, '#'
	lines, err := r.ReadAll()
	if err != nil {
		return fmt.Errorf("offline: %s: %w", file, err)
	}
	for i, line := range lines[1:] {
		if err := do(line); err != nil {
			return fmt.Errorf("offline: %s, line %d: %w", file, i+2, err)
		}
	}
	return nil
}

// appliesOn reports whether the rate applies on a day.
func (r row) appliesOn(day string) bool { return r.from <= day && (r.to == "" || day <= r.to) }

// ratesOn returns the rates that apply on a day in the territory with the postal code, or in the
// rest of the place if no territory has it.
func (t *table) ratesOn(place, postal, day string) []row {
	var whole, territory []row
	for _, r := range t.rows[place] {
		if !r.appliesOn(day) {
			continue
		}
		if len(r.postal) == 0 {
			whole = append(whole, r)
		} else if r.covers(postal) {
			territory = append(territory, r)
		}
	}
	if len(territory) > 0 {
		return territory
	}
	return whole
}

// covers reports whether the row is of a territory with the postal code.
func (r row) covers(postal string) bool {
	return slices.ContainsFunc(r.postal, func(prefix string) bool { return strings.HasPrefix(postal, prefix) })
}

// hasTerritories reports whether a place has different rates by postal code.
func (t *table) hasTerritories(place string) bool {
	return slices.ContainsFunc(t.rows[place], func(r row) bool { return len(r.postal) > 0 }) ||
		slices.ContainsFunc(t.territories, func(x territory) bool { return x.country == place && len(x.postal) > 0 })
}
