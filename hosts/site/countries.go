package site

import (
	_ "embed"
	"fmt"
	"strings"
)

// English and Spanish country names from the Unicode CLDR as in golang.org/x/text. A test compares
// and updates them. The library itself would add 2.3 MB for two hundred languages.
//
//go:embed countries.txt
var countryNames string

// countries returns the names of countries that something ships to, in the order of the file.
func (l locale) countries(codes []string) (string, error) {
	names := make([]string, 0, len(codes))
	for _, code := range codes {
		_, rest, known := strings.Cut("\n"+countryNames, "\n"+code+"\t")
		if !known || len(code) != 2 {
			return "", fmt.Errorf("%s is not a country", code)
		}
		line, _, _ := strings.Cut(rest, "\n")
		name, spanish, _ := strings.Cut(line, "\t")
		if l.Code == "es" {
			name = spanish
		}
		names = append(names, name)
	}
	return strings.Join(names, ", "), nil
}
