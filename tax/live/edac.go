package live

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// EDACBase is the base URL of New Mexico's service, which requires no key.
const EDACBase = "https://grt.edacnm.org"

// EDAC implements tax.Lookup with New Mexico's address service.
type EDAC struct{ *client }

// NewEDAC returns a client of the service. It fails if the base URL is not valid.
func NewEDAC(o Options) (EDAC, error) {
	c, err := newClient(o, http.Header{})
	return EDAC{c}, err
}

var (
	line1      = regexp.MustCompile(`^(\d{1,6}[A-Za-z]?)\s+(.+)$`)
	directions = regexp.MustCompile(`^(?i)(N|S|E|W|NE|NW|SE|SW)$`)
	suffixes   = regexp.MustCompile(`^(?i)(st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd|boulevard|ct|court|pl|place|cir|circle|way|trl|trail|loop|pkwy|hwy)\.?$`)
)

// Rates implements tax.Lookup for addresses with a number, a street, a city and a ZIP
// code.
func (e EDAC) Rates(ctx context.Context, to tax.Address) (tax.LocalRates, error) {
	query, ok := streetOf(to)
	if !ok {
		return tax.LocalRates{}, emptyParts(to)
	}
	return e.ask(ctx, "/api/by_address", query, "", readEDAC)
}

// emptyParts returns an error that lists the parts that the service needs and the address lacks. It
// lists none if only the street number is missing.
func emptyParts(to tax.Address) tax.MissingError {
	missing := tax.MissingError{}
	for _, part := range []struct{ name, value string }{{"line1", to.Line1}, {"city", to.City}} {
		if strings.TrimSpace(part.value) == "" {
			missing = append(missing, part.name)
		}
	}
	if to.ZIP() == "" {
		missing = append(missing, "postalCode")
	}
	return missing
}

// streetOf returns the query for an address, with its street, such as "120 S Plaza Street", split
// into parts. It returns false if the address has no street number, city or ZIP code.
func streetOf(to tax.Address) (url.Values, bool) {
	m := line1.FindStringSubmatch(strings.TrimSpace(to.Line1))
	city := strings.TrimSpace(to.City)
	zip := to.ZIP()
	if m == nil || city == "" || zip == "" {
		return nil, false
	}
	v, words := url.Values{"street_number": {m[1]}, "city": {city}, "zipcode": {zip}}, strings.Fields(m[2])
	if len(words) > 1 && directions.MatchString(words[0]) {
		v.Set("pre_direction", strings.ToUpper(words[0]))
		words = words[1:]
	}
	if last := len(words) - 1; last > 0 && suffixes.MatchString(words[last]) {
		v.Set("street_suffix", strings.TrimSuffix(words[last], "."))
		words = words[:last]
	}
	v.Set("street_name", strings.Join(words, " "))
	return v, true
}

var (
	locationCode = regexp.MustCompile(`^\d{2}-\d{3}$`)
	highest      = money.Percent(25)
)

// isPlausible reports whether a rate is at most 25 percent, which no rate in North America exceeds.
func isPlausible(r money.Rate) bool { return r.Of(money.Max) <= highest.Of(money.Max) }

// readEDAC decodes the first result of a response. Its rate is a percentage, usually as a string.
func readEDAC(body []byte) (tax.LocalRates, error) {
	var out struct {
		Results []struct {
			Success bool        `json:"success"`
			Rate    json.Number `json:"tax_rate"`
			Code    string      `json:"location_code"`
			Source  string      `json:"source"`
		} `json:"results"`
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return tax.LocalRates{}, errAnswer
	}
	if len(out.Results) == 0 || !out.Results[0].Success {
		return tax.LocalRates{}, errUnknown
	}
	first := out.Results[0]
	rate, err := money.ReadPercent(first.Rate.String())
	if err != nil || rate.IsZero() || !isPlausible(rate) || !locationCode.MatchString(first.Code) {
		return tax.LocalRates{}, errAnswer
	}
	return tax.LocalRates{
		Place: "NM " + first.Code, Shipping: true, Source: "address service of New Mexico, " + toASCII(first.Source),
		Rates: []tax.LocalRate{{Label: "NM gross receipts tax", Rate: rate}},
	}, nil
}
