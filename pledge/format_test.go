package pledge_test

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// What mail cannot do without differs by country, and nothing else is asked for.
func TestMissing(t *testing.T) {
	whole := pledge.Address{Name: "Ada", Line1: "1 Main St", City: "Taos", State: "NM", PostalCode: "87571", Country: "US"}
	for name, tt := range map[string]struct {
		change func(*pledge.Address)
		want   string
	}{
		"nothing":                     {func(*pledge.Address) {}, ""},
		"a second line":               {func(a *pledge.Address) { a.Line2 = "" }, ""},
		"the name":                    {func(a *pledge.Address) { a.Name = "" }, "name"},
		"the street":                  {func(a *pledge.Address) { a.Line1 = "" }, "line1"},
		"the city":                    {func(a *pledge.Address) { a.City = "" }, "city"},
		"the state":                   {func(a *pledge.Address) { a.State = "" }, "state"},
		"the ZIP code":                {func(a *pledge.Address) { a.PostalCode = "" }, "postalCode"},
		"the country":                 {func(a *pledge.Address) { a.Country = "" }, "country"},
		"Hong Kong has no codes":      {func(a *pledge.Address) { a.Country, a.PostalCode, a.City = "HK", "", "" }, ""},
		"Hong Kong has areas":         {func(a *pledge.Address) { a.Country, a.State = "HK", "" }, "state"},
		"Singapore is a city":         {func(a *pledge.Address) { a.Country, a.City, a.State = "SG", "", "" }, ""},
		"Singapore has codes":         {func(a *pledge.Address) { a.Country, a.PostalCode = "SG", "" }, "postalCode"},
		"Germany writes no state":     {func(a *pledge.Address) { a.Country, a.State = "DE", "" }, ""},
		"the first of the list":       {func(a *pledge.Address) { a.Country, a.State, a.PostalCode = "AD", "", "" }, ""},
		"the last of the list":        {func(a *pledge.Address) { a.Country, a.State, a.PostalCode = "ZW", "", "" }, ""},
		"a country of no list":        {func(a *pledge.Address) { a.Country, a.State, a.PostalCode = "QQ", "", "" }, ""},
		"more than a code":            {func(a *pledge.Address) { a.Country, a.City = "ZW A,C", "" }, "city"},
		"a country of no list, still": {func(a *pledge.Address) { a.Country, a.City = "QQ", "" }, "city"},
	} {
		a := whole
		tt.change(&a)
		if got := a.Missing(); got != tt.want {
			t.Errorf("%s: %q is missing, want %q", name, got, tt.want)
		}
	}
}
