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

// ZIPTaxBase is the address of ZIP.TAX.
const ZIPTaxBase = "https://api.zip-tax.com"

// ZIPTax is ZIP.TAX, version 60, as a tax.Lookup for the United States and Canada.
type ZIPTax struct{ *client }

// NewZIPTax returns a client of the service. It fails for a base that is no address.
func NewZIPTax(o Options) (ZIPTax, error) {
	c, err := newClient(o, http.Header{"X-Api-Key": {o.Key}})
	return ZIPTax{c}, err
}

const longestAddress = 100

// Rates implements tax.Lookup. A postal code alone is asked about as such.
func (z ZIPTax) Rates(ctx context.Context, to tax.Address) (tax.Local, error) {
	postal, country := strings.TrimSpace(to.PostalCode), map[string]string{"US": "USA", "CA": "CAN"}[strings.ToUpper(to.Country)]
	if postal == "" || country == "" {
		return tax.Local{}, tax.ErrNotWhole
	}
	query := url.Values{"format": {"json"}, "countryCode": {country}}
	address := strings.Join(strings.FieldsFunc(strings.Join([]string{to.Line1, to.City, to.State + " " + postal}, "\n"),
		func(r rune) bool { return r == '\n' }), ", ")
	if strings.TrimSpace(to.Line1) == "" || len(address) > longestAddress {
		query.Set("postalcode", postal)
	} else {
		query.Set("address", address)
		query.Set("addressDetailExtended", "true")
	}
	return z.ask(ctx, "/request/v60", query, readZIPTax)
}

// zipAnswer is what is read of an answer. Rates are fractions, and are never a
// binary number.
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

// zipDone is the code of a success: an HTTP status of 200 alone is none.
const zipDone = 100

func readZIPTax(body []byte) (tax.Local, error) {
	var out zipAnswer
	if err := json.Unmarshal(body, &out); err != nil {
		return tax.Local{}, errAnswer
	}
	if code := out.Metadata.Response.Code; code != zipDone {
		return tax.Local{}, fmt.Errorf("%w (code %d)", errUnknown, code)
	}
	whole, err := out.whole()
	if err != nil {
		return tax.Local{}, err
	}
	local := tax.Local{Shipping: out.Shipping.Taxable == "Y", Source: "ZIP.TAX", Rates: out.parts()}
	for _, r := range local.Rates {
		local.Place = strings.TrimPrefix(local.Place+", "+strings.TrimSuffix(r.Label, " sales tax"), ", ")
	}
	if local.Rate().String() != whole.String() { // what is charged is the whole
		local.Rates = []tax.LocalRate{{Label: "Sales tax", Rate: whole}}
	}
	return local, nil
}

// whole is the sales tax of all jurisdictions.
func (a zipAnswer) whole() (money.Rate, error) {
	for _, s := range a.Summaries {
		if s.Type != "SALES_TAX" {
			continue
		}
		rate, err := money.ParseRate(s.Rate.String())
		if err != nil || !possible(rate) {
			return money.Rate{}, errAnswer
		}
		return rate, nil
	}
	return money.Rate{}, errAnswer
}

// parts are the jurisdictions that take something.
func (a zipAnswer) parts() []tax.LocalRate {
	var out []tax.LocalRate
	for _, b := range a.BaseRates {
		if rate, err := money.ParseRate(b.Rate.String()); err == nil && !rate.IsZero() {
			out = append(out, tax.LocalRate{Label: cmp.Or(clean(b.Name), clean(b.Type)) + " sales tax", Rate: rate})
		}
	}
	return out
}
