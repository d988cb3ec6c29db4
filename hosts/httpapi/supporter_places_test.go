package httpapi_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/tax"
)

// sample reads a testdata file without comments and heading.
func sample(t *testing.T, file string) [][]string {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}

// stateRates is a tax rate lookup with the same rate for every address.
type stateRates struct{}

func (stateRates) Rates(_ context.Context, to tax.Address) (tax.LocalRates, error) {
	if to.ZIP() == "" {
		return tax.LocalRates{}, tax.MissingError{"postalCode"}
	}
	rate, err := money.ParsePercent("7.25")
	return tax.LocalRates{Place: "US " + to.State, Rates: []tax.LocalRate{{Label: "Sales tax", Rate: rate}},
		Source: "test lookup"}, err
}

// providers contains the settings that select each tax provider.
var providers = map[string]map[string]string{
	"flat":          {"SALES_TAX_RATE": "0.05"},
	"offline_rules": {"TAX_PROVIDER": "offline_rules", "TAX_COLLECT": "everywhere"},
	"nm_grt":        {"TAX_PROVIDER": "nm_grt", "TAX_COLLECT": "everywhere", "NM_GRT_BASE_RATE": "0.04875"},
	"local_tax_api": {"TAX_PROVIDER": "local_tax_api", "TAX_COLLECT": "everywhere",
		"LOCAL_TAX_API_BASE": "https://rates.example", "LOCAL_TAX_API_KEY": "k"},
}

func taxEdge(t *testing.T, env map[string]string) *edge {
	t.Helper()
	return newEdge(t, memory.Options{Env: env, TaxLookup: stateRates{}})
}

// postPatiently posts a request, retrying after rate limits.
func (e *edge) postPatiently(path string, body any) httpapi.Response {
	e.t.Helper()
	r := e.post(path, body)
	for range 3 {
		if r.Status != 429 {
			break
		}
		e.Advance(time.Duration(decode[failure](e.t, r).RetryAfter) * time.Second)
		r = e.post(path, body)
	}
	return r
}

// Supporters with a ZIP code that crosses a state line can pledge from each of its states, with
// every provider.
func TestCheckout_ZIPCodesAcrossStateLines(t *testing.T) {
	zips := sample(t, "crossing-zips.csv")
	if len(zips) < 100 {
		t.Fatalf("the sample has only %d ZIP codes", len(zips))
	}
	for name, env := range providers {
		t.Run(name, func(t *testing.T) {
			e := taxEdge(t, env)
			for _, row := range zips {
				for state := range strings.FieldsSeq(row[1]) {
					cart := filmCart()
					cart.BillingAddress = &pledge.Address{Country: "US", State: state, PostalCode: row[0]}
					r := e.postPatiently("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com"})
					if r.Status != 200 {
						t.Errorf("%s %s: %d, %s", state, row[0], r.Status, r.Body)
						continue
					}
					q := decode[checkout.TaxQuote](t, e.postPatiently("/tax/quote", cart))
					if at := q.Campaigns[0].Quote.Jurisdiction; name == "offline_rules" && at != "US-"+state {
						t.Errorf("%s %s: taxed in %s", state, row[0], at)
					}
				}
			}
		})
	}
}

// A ZIP code without its leading zero is completed if the state confirms it, and otherwise rejected
// with the reason, with every provider.
func TestCheckout_ZIPCodesWithoutLeadingZero(t *testing.T) {
	for name, env := range providers {
		t.Run(name, func(t *testing.T) {
			e := taxEdge(t, env)
			for _, tt := range []struct{ state, zip, want string }{
				{"MA", "1902", "01902"}, {"NJ", "8540", "08540"}, {"CT", "6511-1234", "06511-1234"},
				{"PR", "731", "00731"}, {"VT", "5401", "05401"},
				{"TX", "8540", ""}, {"CA", "902", ""},
			} {
				cart := gameCart(1)
				to := *cart.ShippingAddress
				to.State, to.PostalCode = tt.state, tt.zip
				cart.ShippingAddress = &to
				r := e.postPatiently("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com"})
				if tt.want == "" {
					f := decode[failure](t, r)
					want := fmt.Sprintf("The ZIP code %s is too short. Enter all five digits, including a leading 0.",
						tt.zip)
					if r.Status/100 != 4 || f.Field != "shippingAddress.postalCode" || f.Error != want {
						t.Errorf("%s %s: %d, %+v", tt.state, tt.zip, r.Status, f)
					}
					continue
				}
				e.wantStatus(r, 200)
				started, _ := e.pledge("b@example.com", cart, cardOK)
				p, ok, err := e.read(started.Campaigns[0].OrderID)
				if err != nil || !ok || p.ShippingAddress.PostalCode != tt.want {
					t.Errorf("%s %s: pledge = %+v, %v", tt.state, tt.zip, p.ShippingAddress, err)
				}
			}
		})
	}
}

// The error contains the address, the field and the reason, and so do its details.
func TestCheckout_TaxQuestionAtItsField(t *testing.T) {
	e := taxEdge(t, providers["offline_rules"])
	for _, tt := range []struct {
		sent, field string
		address     pledge.Address
		reason      tax.Reason
		sentence    string
	}{
		{"shippingAddress", "state", pledge.Address{Country: "US", State: "OH", PostalCode: "60614"}, tax.OtherState,
			"The postal code 60614 is in IL. Correct the state or the postal code."},
		{"billingAddress", "state", pledge.Address{Country: "US", State: "OH", PostalCode: "81137"}, tax.OtherState,
			"The postal code 81137 is in CO and NM. Correct the state or the postal code."},
		{"billingAddress", "state", pledge.Address{Country: "US", PostalCode: "81137"}, tax.SeveralStates,
			"The ZIP code 81137 is in CO and NM. Choose your state."},
		{"shippingAddress", "postalCode", pledge.Address{Country: "US", State: "OH", PostalCode: "606I4"},
			tax.UnknownPostalCode, "606I4 is not a valid postal code in this country. Check it and try again."},
		{"billingAddress", "postalCode", pledge.Address{Country: "FI"}, tax.MissingField,
			"Enter the postal code: the tax depends on it."},
		{"shippingAddress", "state", pledge.Address{Country: "CA", State: "AB", PostalCode: "V5K 0A1"}, tax.OtherState,
			"The postal code V5K 0A1 is in BC. Correct the state or the postal code."},
	} {
		cart := filmCart()
		if tt.sent == "shippingAddress" {
			cart.ShippingAddress = &tt.address
		} else {
			cart.BillingAddress = &tt.address
		}
		r := e.postPatiently("/checkout-intent/start", checkout.StartRequest{Cart: cart, Email: "a@example.com"})
		f := e.wantFailure(r, 409, tt.sentence)
		details := decode[struct{ Details tax.Question }](t, r).Details
		if f.Field != tt.sent+"."+tt.field || details.Field != tt.field || details.Reason != tt.reason {
			t.Errorf("%+v: field %q, details %+v", tt.address, f.Field, details)
		}
		q := decode[checkout.TaxQuote](t, e.postPatiently("/tax/quote", cart))
		if asked := q.Campaigns[0].Quote.Question; !q.Provisional || asked == nil || asked.Reason != tt.reason {
			t.Errorf("%+v is quoted as %+v", tt.address, q)
		}
	}
}

// Territories entered under their country are taxed correctly, and so are their neighbors.
func TestCheckout_TerritoriesUnderTheirCountry(t *testing.T) {
	e := taxEdge(t, providers["offline_rules"])
	for _, row := range sample(t, "territories.csv") {
		to := pledge.Address{Country: row[0], State: row[1], City: row[2], PostalCode: row[3]}
		want, err := strconv.Atoi(row[5])
		if err != nil {
			t.Fatal(err)
		}
		r := e.postPatiently("/tax/quote", map[string]any{"subtotalCents": 10_000, "shippingAddress": to})
		e.wantStatus(r, 200)
		q := decode[checkout.TaxQuote](t, r)
		got := q.Campaigns[0].Quote
		if q.Provisional || got.Jurisdiction != row[4] || q.Tax != money.Cents(want) {
			t.Errorf("%v: %d cents in %s, %+v", row, q.Tax, got.Jurisdiction, got)
		}
		if q.Tax == 0 && got.Notice == "" {
			t.Errorf("%v: no tax and no reason", row)
		}
	}
}

// Every country of ISO 3166-1 gets a quote. Otherwise the response states what is missing or why
// there is no tax, even for postal codes that do not exist in the country.
func TestCheckout_EveryCountryIsQuoted(t *testing.T) {
	e := taxEdge(t, providers["offline_rules"])
	countries := 0
	for i := range 26 * 26 {
		code := string([]byte{'A' + byte(i/26), 'A' + byte(i%26)})
		if !pledge.IsCountry(code) {
			continue
		}
		countries++
		for _, postal := range []string{"", "10115", "1010", "AB1 2CD"} {
			to := pledge.Address{Country: code, PostalCode: postal}
			q := decode[checkout.TaxQuote](t,
				e.postPatiently("/tax/quote", map[string]any{"subtotalCents": 10_000, "shippingAddress": to}))
			got := q.Campaigns[0].Quote
			switch {
			case q.Provisional && (got.Question == nil || got.Question.Sentence() == ""):
				t.Errorf("%s %q: no missing field: %+v", code, postal, got)
			case !q.Provisional && (got.Jurisdiction == "" || q.Tax == 0 && got.Notice == ""):
				t.Errorf("%s %q: no tax and no reason: %+v", code, postal, got)
			}
		}
	}
	if countries < 249 {
		t.Errorf("%d countries only", countries)
	}
}
