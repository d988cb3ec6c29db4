package nmgrt

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// columns is the header of the built-in table of places.
var columns = []string{"place", "kind", "county", "code", "percent", "sources", "as_of", "confidence"}

// stale is the age above which a rate's source is reported as outdated. The state changes rates on
// 1 January and 1 July.
const stale = 200 * 24 * time.Hour

// Check returns the towns whose rates are missing, and those whose rates are outdated. It fails if
// the table cannot be read.
func Check(now time.Time) (missing, old []string, err error) {
	t, err := vendored()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(t.places)) {
		for _, p := range t.places[name] {
			asOf, err := time.Parse(time.DateOnly, (p.asOf + "-01-01")[:10])
			switch {
			case !p.known:
				missing = append(missing, p.String())
			case err != nil || now.Sub(asOf) > stale:
				old = append(old, fmt.Sprintf("%s, from %s", p, p.asOf))
			}
		}
	}
	return missing, old, nil
}

// Refresh creates the table of places from the state's published CSV file with the
// columns name, county, locat_cdr (the location code) and grt_rate (a percentage or a fraction). It
// fails if the file has another format, with the line in the message, or if it contains fewer than
// two hundred codes.
func Refresh(published io.Reader, asOf time.Time) ([]byte, error) {
	r := csv.NewReader(published)
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("reading the header: %w", err)
	}
	at := map[string]int{}
	for i, column := range head {
		at[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(column, "\ufeff")))] = i
	}
	for _, needed := range []string{"name", "county", "locat_cdr", "grt_rate"} {
		if _, ok := at[needed]; !ok {
			return nil, fmt.Errorf("the file has no column %s", needed)
		}
	}
	rows := map[string][]string{}
	for line := 2; ; line++ {
		f, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		code, err := codeOf(f[at["locat_cdr"]])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		percent, err := percentOf(f[at["grt_rate"]])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		name := strings.TrimSpace(f[at["name"]])
		row := []string{name, kindOf(name), strings.TrimSpace(f[at["county"]]), code, percent,
			"RGIS, published rates", asOf.Format(time.DateOnly), "high"}
		if known, twice := rows[code]; twice && known[4] != percent {
			return nil, fmt.Errorf("line %d: %s has two rates, %s and %s", line, code, known[4], percent)
		}
		rows[code] = row
	}
	if len(rows) < 200 {
		return nil, fmt.Errorf("the file has only %d codes", len(rows))
	}
	return encodeTable(rows)
}

func encodeTable(rows map[string][]string) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	if err := w.Write(columns); err != nil {
		return nil, err
	}
	byName := func(a, b []string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[3], b[3])) }
	for _, row := range slices.SortedFunc(maps.Values(rows), byName) {
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

var codeDigits = regexp.MustCompile(`^(\d{2})-?(\d{3})$`)

// codeOf returns a location code in the form "01-123", given with or without the hyphen.
func codeOf(s string) (string, error) {
	m := codeDigits.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return "", fmt.Errorf("%q is not a valid location code", s)
	}
	return m[1] + "-" + m[2], nil
}

// percentOf returns the percentage of a rate that is written as a percentage or a fraction. It
// fails for rates outside one to twenty percent, the range of New Mexico's rates.
func percentOf(s string) (string, error) {
	number := strings.TrimSuffix(strings.TrimSpace(s), "%")
	within := func(r money.Rate) bool {
		return r.Of(money.Max) >= money.Percent(1).Of(money.Max) && r.Of(money.Max) <= money.Percent(20).Of(money.Max)
	}
	for _, read := range []func(string) (money.Rate, error){money.ReadPercent, money.ReadRate} {
		if rate, err := read(number); err == nil && within(rate) {
			return decimal.RequireFromString(rate.String()).Shift(2).String(), nil
		}
	}
	return "", fmt.Errorf("%q is not a valid rate", s)
}

// kindOf returns the kind of an entry, given its name: "municipality" for a town, whose name is
// used in addresses, and other kinds for districts, pueblos and remainders of counties.
func kindOf(name string) string {
	lower := strings.ToLower(name)
	for _, part := range []struct{ has, kind string }{
		{"remainder", "county_remainder"}, {"pueblo", "tribal"}, {"nation", "tribal"}, {"tribal", "tribal"},
		{"reservation", "tribal"}, {"tidd", "special"}, {"district", "special"},
		{"airport", "special"}, {"industrial park", "special"}, {"university", "special"}, {"state fair", "special"},
	} {
		if strings.Contains(lower, part.has) {
			return part.kind
		}
	}
	return "municipality"
}
