package live_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/tax"
)

// onePlace is a published response for a ZIP code without an address.
const onePlace = `{"version":"v60","rCode":100,"results":[
	{"geoPostalCode":"92694","geoCity":"LADERA RANCH","geoCounty":"ORANGE","geoState":"CA",
	"taxSales":0.0775,"taxUse":0.0775,"txbService":"N","txbFreight":"N",
	"stateSalesTax":0.06,"citySalesTax":0,"countySalesTax":0.0025,"districtSalesTax":0.015,
	"district1SalesTax":0.005,"originDestination":"D"}],
	"addressDetail":{"normalizedAddress":"","incorporated":"","geoLat":0,"geoLng":0}}`

// place is one entry of such a response.
func place(city, rate, freight string) string {
	return `{"geoCity":"` + city + `","geoState":"NY","taxSales":` + rate + `,"txbFreight":"` +
		freight + `","stateSalesTax":0.04}`
}

func places(entries ...string) string {
	return `{"version":"v60","rCode":100,"results":[` + strings.Join(entries, ",") + `]}`
}

// The response for a ZIP code has an entry for each place. If rates differ and the city
// does not match one, more of the address is requested.
func TestZIPTax_ZIPCodeWithoutAddress(t *testing.T) {
	two := places(place("YONKERS", "0.08875", "Y"), place("BRONXVILLE", "0.08375", "Y"))
	for name, tt := range map[string]struct {
		body    string
		city    string
		street  string
		rate    string
		place   string
		freight bool
		err     error
	}{
		"one place": {body: onePlace, rate: "0.0775", place: "CA, ORANGE, special districts"},
		"32-bit noise": {body: places(place("A", "0.083750002086163", "Y")),
			rate: "0.08375", place: "NY", freight: true},
		"exponent":      {body: places(place("A", "8.375E-2", "N")), rate: "0.08375", place: "NY"},
		"matching city": {body: two, city: " bronxville ", rate: "0.08375", place: "NY", freight: true},
		"equal rates": {body: places(place("A", "0.08", "Y"), place("B", "0.080000000000000002", "Y")),
			rate: "0.08", place: "NY", freight: true},
		"no city":      {body: two, err: tax.MissingError{"city"}},
		"another city": {body: two, city: "Rye", err: tax.MissingError{"line1"}},
		"ambiguous city": {body: places(place("A", "0.08", "Y"), place("A", "0.07", "Y")),
			city: "A", err: tax.MissingError{"line1"}},
		"different shipping rules": {body: places(place("A", "0.08", "Y"), place("B", "0.08", "N")),
			err: tax.MissingError{"city"}},
		"street too long": {body: two, street: strings.Repeat("Long Street ", 12),
			err: errors.New("address not found")},
		"no place":              {body: places(), err: errors.New("address not found (code 100)")},
		"refused":               {body: `{"version":"v60","rCode":101}`, err: errors.New("address not found (code 101)")},
		"other response format": {body: zipAnswer, err: errors.New("address not found (code 0)")},
		"implausible rate":      {body: places(place("A", "0.5", "Y")), err: errors.New("invalid response")},
		"second rate implausible": {body: places(place("A", "0.08", "Y"), place("B", "0.5", "Y")),
			err: errors.New("invalid response")},
		"first rate implausible": {body: places(place("A", "0.5", "Y"), place("B", "0.08", "Y")),
			err: errors.New("invalid response")},
		"second rate invalid": {body: places(place("A", "0.08", "Y"), place("B", `"much"`, "Y")),
			err: errors.New("invalid response")},
	} {
		l := services["ziptax"].lookup(t, &server{answer: reply(200, tt.body)}, nil)
		got, err := l.Rates(t.Context(),
			tax.Address{Country: "US", PostalCode: "10708-1234", City: tt.city, Line1: tt.street})
		if tt.err != nil {
			if err == nil || err.Error() != tt.err.Error() || len(got.Rates) != 0 {
				t.Errorf("%s: %+v, %v; want %v", name, got, err, tt.err)
			}
			continue
		}
		if err != nil || got.Rate().String() != tt.rate || got.Place != tt.place || got.Shipping != tt.freight {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Answers are cached per city.
func TestZIPTax_CachesPerCity(t *testing.T) {
	p := &server{answer: reply(200, places(place("YONKERS", "0.08875", "Y"), place("BRONXVILLE", "0.08375", "Y")))}
	l := services["ziptax"].lookup(t, p, func() time.Time { return testTime })
	got := map[string]string{}
	for _, city := range []string{"Yonkers", "Bronxville", "Yonkers"} {
		local, err := l.Rates(t.Context(), tax.Address{Country: "US", PostalCode: "10708", City: city})
		if err != nil {
			t.Fatal(err)
		}
		got[city] = local.Rate().String()
	}
	if diff := cmp.Diff(map[string]string{"Yonkers": "0.08875", "Bronxville": "0.08375"}, got); diff != "" ||
		len(p.seen) != 2 {
		t.Errorf("%d requests, %s", len(p.seen), diff)
	}
}

// Rates in responses may have exponents or floating-point noise.
func TestRates_NumberFormats(t *testing.T) {
	for name, tt := range map[string]struct{ service, body, rate string }{
		"a number":          {"edac", strings.Replace(edacAnswer, `"8.1875"`, "8.1875", 1), "0.081875"},
		"a text with noise": {"edac", strings.Replace(edacAnswer, "8.1875", "8.187500000000001", 1), "0.081875"},
		"an exponent":       {"edac", strings.Replace(edacAnswer, "8.1875", "8.1875e0", 1), "0.081875"},
		"noise in every part": {"ziptax", strings.NewReplacer("0.0825", "0.08250000000000002", "0.0625",
			"6.25E-2", "0.01", "0.009999999776482582").Replace(zipAnswer), "0.0825"},
		"a whole with exponent": {"ziptax", strings.ReplaceAll(zipAnswer, "0.0825", "8.25e-2"), "0.0825"},
	} {
		s := services[tt.service]
		got, err := s.lookup(t, &server{answer: reply(200, tt.body)}, nil).Rates(t.Context(), s.to)
		if err != nil || got.Rate().String() != tt.rate ||
			len(got.Rates) != map[string]int{"edac": 1, "ziptax": 3}[tt.service] {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
