package schema_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// Country names match those of the Unicode CLDR.
func TestCountries_Names(t *testing.T) {
	var want strings.Builder
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			if !pledge.IsCountry(code) {
				continue
			}
			region := language.MustParseRegion(code)
			want.WriteString(code + "\t" + display.English.Regions().Name(region) + "\t" +
				display.Spanish.Regions().Name(region) + "\n")
		}
	}
	if *update {
		err := os.WriteFile("../../pledge/countries.txt", []byte(want.String()), 0o644) //nolint:gosec // public file
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile("../../pledge/countries.txt"); err != nil || string(got) != want.String() {
		t.Errorf("countries.txt does not match golang.org/x/text: run go test ./hosts/schema -run Countries -update (%v)",
			err)
	}
	for _, tt := range []struct{ code, language, want string }{
		{"US", "en", "United States"},
		{"XK", "en", "Kosovo"},
		{"DE", "es", "Alemania"},
		{"QQ", "en", ""},
		{"", "en", ""},
		{"us", "es", ""},
	} {
		if got := pledge.CountryName(tt.code, tt.language); got != tt.want {
			t.Errorf("%q in %s: %q, want %q", tt.code, tt.language, got, tt.want)
		}
	}
}
