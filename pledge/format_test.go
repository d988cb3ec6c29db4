package pledge_test

import (
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// Required parts differ by country.
func TestMissing(t *testing.T) {
	whole := pledge.Address{Name: "Ada", Line1: "1 Main St", City: "Taos", State: "NM", PostalCode: "87571", Country: "US"}
	for name, tt := range map[string]struct {
		change func(*pledge.Address)
		want   string
	}{
		"nothing":                       {func(*pledge.Address) {}, ""},
		"second line":                   {func(a *pledge.Address) { a.Line2 = "" }, ""},
		"name":                          {func(a *pledge.Address) { a.Name = "" }, "name"},
		"street":                        {func(a *pledge.Address) { a.Line1 = "" }, "line1"},
		"city":                          {func(a *pledge.Address) { a.City = "" }, "city"},
		"state":                         {func(a *pledge.Address) { a.State = "" }, "state"},
		"ZIP code":                      {func(a *pledge.Address) { a.PostalCode = "" }, "postalCode"},
		"country":                       {func(a *pledge.Address) { a.Country = "" }, "country"},
		"Hong Kong without postal code": {func(a *pledge.Address) { a.Country, a.PostalCode, a.City = "HK", "", "" }, ""},
		"Hong Kong without area":        {func(a *pledge.Address) { a.Country, a.State = "HK", "" }, "state"},
		"Singapore without city":        {func(a *pledge.Address) { a.Country, a.City, a.State = "SG", "", "" }, ""},
		"Singapore without postal code": {func(a *pledge.Address) { a.Country, a.PostalCode = "SG", "" }, "postalCode"},
		"Germany without state":         {func(a *pledge.Address) { a.Country, a.State = "DE", "" }, ""},
		"first of the list":             {func(a *pledge.Address) { a.Country, a.State, a.PostalCode = "AD", "", "" }, ""},
		"last of the list":              {func(a *pledge.Address) { a.Country, a.State, a.PostalCode = "ZW", "", "" }, ""},
		"unknown country":               {func(a *pledge.Address) { a.Country, a.State, a.PostalCode = "QQ", "", "" }, ""},
		"not a code":                    {func(a *pledge.Address) { a.Country, a.City = "ZW A,C", "" }, "city"},
		"unknown country without city":  {func(a *pledge.Address) { a.Country, a.City = "QQ", "" }, "city"},
	} {
		a := whole
		tt.change(&a)
		if got := a.Missing(); got != tt.want {
			t.Errorf("%s: missing %q, want %q", name, got, tt.want)
		}
	}
}

func TestAddress_Lines(t *testing.T) {
	for want, a := range map[string]pledge.Address{
		"Ada|1 Main St|Apt 2|Taos, NM 87571": {Name: "Ada", Line1: "1 Main St", Line2: "Apt 2",
			City: "Taos", State: "NM", PostalCode: "87571", Country: "US"},
		"Ada|Hauptstr. 1|10115 Berlin": {Name: "Ada", Line1: "Hauptstr. 1", City: "Berlin",
			PostalCode: "10115", Country: "DE"},
		"Ada|Calle 2|28001 Madrid, Madrid": {Name: "Ada", Line1: "Calle 2", City: "Madrid",
			State: "Madrid", PostalCode: "28001", Country: "ES"},
		"1 High St|London|SW1A 1AA": {Line1: "1 High St", City: "London", PostalCode: "SW1A 1AA", Country: "GB"},
		"Ada|1 Road|Town, Land 5": {Name: "Ada", Line1: "1 Road", City: "Town",
			State: "Land", PostalCode: "5", Country: "QQ"},
	} {
		if got := strings.Join(a.Lines(), "|"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
