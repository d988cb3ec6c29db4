package site

import (
	"flag"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/pledgeworks/pledgeworks/pledge"
)

var update = flag.Bool("update", false, "write countries.txt anew")

// The names of all destination countries are those of the Unicode CLDR.
func TestCountries_Names(t *testing.T) {
	var want strings.Builder
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			if !pledge.IsCountry(code) {
				continue
			}
			region := language.MustParseRegion(code)
			want.WriteString(code + "\t" + display.English.Regions().Name(region) + "\t" + display.Spanish.Regions().Name(region) + "\n")
		}
	}
	if *update {
		if err := os.WriteFile("countries.txt", []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if countryNames != want.String() {
		t.Error("countries.txt is not what golang.org/x/text has: go test ./hosts/site -run Countries -update")
	}
	english, err := locale{Code: "en"}.countries([]string{"US", "ES", "XK"})
	if err != nil || english != "United States, Spain, Kosovo" {
		t.Errorf("%s, %v", english, err)
	}
	spanish, err := locale{Code: "es"}.countries([]string{"DE", "US"})
	if err != nil || spanish != "Alemania, Estados Unidos" {
		t.Errorf("%s, %v", spanish, err)
	}
	for _, none := range []string{"QQ", "", "us", "United"} {
		if name, err := (locale{Code: "en"}).countries([]string{none}); err == nil {
			t.Errorf("%q is called %s", none, name)
		}
	}
}
