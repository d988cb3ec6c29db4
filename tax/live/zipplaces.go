package live

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/tax"
)

// zipPlaces is the response for a ZIP code without an address: a flat list with an
// entry for each place of the ZIP code.
type zipPlaces struct {
	Code   int        `json:"rCode"`
	Places []zipPlace `json:"results"`
}

type zipPlace struct {
	City     string      `json:"geoCity"`
	County   string      `json:"geoCounty"`
	State    string      `json:"geoState"`
	Whole    json.Number `json:"taxSales"`
	OfState  json.Number `json:"stateSalesTax"`
	OfCounty json.Number `json:"countySalesTax"`
	OfCity   json.Number `json:"citySalesTax"`
	Special  json.Number `json:"districtSalesTax"`
	Freight  string      `json:"txbFreight"`
}

// readZIPPlaces decodes the response for a ZIP code. It returns the rates if the ZIP code has one
// place, if the city matches one of several, or if all have the same rate. Otherwise it fails like
// missingParts.
func readZIPPlaces(body []byte, to tax.Address) (tax.LocalRates, error) {
	var out zipPlaces
	if err := json.Unmarshal(body, &out); err != nil {
		return tax.LocalRates{}, errAnswer
	}
	if out.Code != zipDone || len(out.Places) == 0 {
		return tax.LocalRates{}, fmt.Errorf("%w (code %d)", errUnknown, out.Code)
	}
	places := out.Places
	if named := slices.DeleteFunc(slices.Clone(places),
		func(p zipPlace) bool { return !p.isCity(to.City) }); len(named) > 0 {
		places = named
	}
	first, err := places[0].local()
	for _, p := range places[1:] {
		other, wrong := p.local()
		switch {
		case err != nil || wrong != nil:
			return tax.LocalRates{}, errAnswer
		case other.Rate().String() != first.Rate().String() || other.Shipping != first.Shipping:
			return tax.LocalRates{}, missingParts(to)
		}
	}
	return first, err
}

func (p zipPlace) isCity(city string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(city), " "), p.City)
}

// missingParts returns a MissingError with the part of the address that distinguishes the places of
// a ZIP code. If a street was given, it returns errUnknown: the service did not find the address.
func missingParts(to tax.Address) error {
	switch {
	case strings.TrimSpace(to.Line1) != "":
		return errUnknown
	case strings.TrimSpace(to.City) == "":
		return tax.MissingError{"city"}
	}
	return tax.MissingError{"line1"}
}

// local returns the place's rates. It fails if the whole rate is not valid.
func (p zipPlace) local() (tax.LocalRates, error) {
	whole, err := readRate(p.Whole)
	if err != nil {
		return tax.LocalRates{}, err
	}
	var parts []tax.LocalRate
	for _, of := range []struct {
		name string
		rate json.Number
	}{{p.State, p.OfState}, {p.County, p.OfCounty}, {p.City, p.OfCity}, {"special districts", p.Special}} {
		if rate, err := readRate(of.rate); err == nil && !rate.IsZero() {
			parts = append(parts, tax.LocalRate{Label: toASCII(of.name) + labelSuffix, Rate: rate})
		}
	}
	return localOf(whole, parts, p.Freight == "Y"), nil
}
