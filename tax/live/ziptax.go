package live

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// ZIPTaxBase is the base URL of ZIP.TAX.
const ZIPTaxBase = "https://api.zip-tax.com"

// ZIPTax implements tax.Lookup for the United States and Canada with ZIP.TAX, version
// 60.
type ZIPTax struct{ *client }

// NewZIPTax returns a client of the service. It fails if the base URL is not valid.
func NewZIPTax(o Options) (ZIPTax, error) {
	c, err := newClient(o, http.Header{"X-Api-Key": {o.Key}})
	return ZIPTax{c}, err
}

// longestAddress is the maximum length of an address that the service accepts.
const longestAddress = 100

const path = "/request/v60"

// Rates implements tax.Lookup. For a US address without a street, or longer than the service
// accepts, it looks up only the ZIP code, which the service supports for no other country.
func (z ZIPTax) Rates(ctx context.Context, to tax.Address) (tax.LocalRates, error) {
	country := map[string]string{"US": "USA", "CA": "CAN"}[strings.ToUpper(to.Country)]
	if country == "" || country == "USA" && to.ZIP() == "" || strings.TrimSpace(to.PostalCode) == "" {
		return tax.LocalRates{}, tax.MissingError{"postalCode"}
	}
	address := oneLine(to)
	if country == "USA" && (strings.TrimSpace(to.Line1) == "" || len(address) > longestAddress) {
		query := url.Values{"format": {"json"}, "postalcode": {to.ZIP()}}
		return z.ask(ctx, path, query, " "+to.City+to.Line1,
			func(body []byte) (tax.LocalRates, error) { return readZIPPlaces(body, to) })
	}
	if len(address) > longestAddress {
		to.Line1 = ""
		address = oneLine(to)
	}
	query := url.Values{"format": {"json"}, "countryCode": {country}, "address": {address},
		"addressDetailExtended": {"true"}}
	return z.ask(ctx, path, query, "", readZIPTax)
}

// oneLine returns an address on one line: "1 Main St, Austin, TX 78701".
func oneLine(to tax.Address) string {
	var parts []string
	for _, part := range []string{to.Line1, to.City, to.State + " " + to.PostalCode} {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// zipAnswer is the response for an address. Rates are fractions and are never decoded
// as floats.
type zipAnswer struct {
	Metadata struct {
		Response struct {
			Code int `json:"code"`
		} `json:"response"`
	} `json:"metadata"`
	BaseRates []struct {
		Rate json.Number `json:"rate"`
		Type string      `json:"jurType"`
		Name string      `json:"jurName"`
	} `json:"baseRates"`
	Summaries []struct {
		Type string      `json:"taxType"`
		Rate json.Number `json:"rate"`
	} `json:"taxSummaries"`
	Shipping struct {
		Taxable string `json:"taxable"`
	} `json:"shipping"`
	Detail struct {
		Address string `json:"normalizedAddress"`
	} `json:"addressDetail"`
}

// zipDone is the response code of a success. An HTTP status of 200 does not imply it.
const zipDone = 100

func readZIPTax(body []byte) (tax.LocalRates, error) {
	var out zipAnswer
	if err := json.Unmarshal(body, &out); err != nil {
		return tax.LocalRates{}, errAnswer
	}
	if code := out.Metadata.Response.Code; code != zipDone {
		return tax.LocalRates{}, fmt.Errorf("%w (code %d)", errUnknown, code)
	}
	whole, err := out.whole()
	if err != nil {
		return tax.LocalRates{}, err
	}
	return localOf(whole, out.parts(), out.Shipping.Taxable == "Y"), nil
}

// localOf returns the rates of a place, which is named after its parts. If the parts do not add up
// to the whole rate, it returns the whole rate as the only one.
func localOf(whole money.Rate, parts []tax.LocalRate, shipping bool) tax.LocalRates {
	local := tax.LocalRates{Shipping: shipping, Source: "ZIP.TAX", Rates: parts}
	for _, r := range parts {
		local.Place = strings.TrimPrefix(local.Place+", "+strings.TrimSuffix(r.Label, labelSuffix), ", ")
	}
	if local.Rate().String() != whole.String() {
		local.Rates = []tax.LocalRate{{Label: "Sales tax", Rate: whole}}
	}
	return local
}

// labelSuffix follows the jurisdiction's name in a rate's label.
const labelSuffix = " sales tax"

// readRate parses a fraction. It fails for a rate that is not plausible.
func readRate(n json.Number) (money.Rate, error) {
	rate, err := money.ReadRate(n.String())
	if err != nil || !isPlausible(rate) {
		return money.Rate{}, errAnswer
	}
	return rate, nil
}

// whole returns the combined sales tax rate. It fails if the response has none.
func (a zipAnswer) whole() (money.Rate, error) {
	for _, s := range a.Summaries {
		if s.Type != "SALES_TAX" {
			continue
		}
		return readRate(s.Rate)
	}
	return money.Rate{}, errAnswer
}

// parts returns the rates of the jurisdictions that have one.
func (a zipAnswer) parts() []tax.LocalRate {
	var out []tax.LocalRate
	for _, b := range a.BaseRates {
		if rate, err := readRate(b.Rate); err == nil && !rate.IsZero() {
			out = append(out, tax.LocalRate{Label: cmp.Or(toASCII(b.Name), toASCII(b.Type)) + labelSuffix, Rate: rate})
		}
	}
	return out
}
