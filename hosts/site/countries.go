package site

import (
	_ "embed"
	"fmt"
	"strings"
)

// The names of countries are those of the Unicode CLDR, in English and Spanish, as
// golang.org/x/text has them: a test compares and writes them. That library itself would
// bring those of two hundred languages, 2.3 MB of the program.
//
//go:embed countries.txt
var countryNames string

// countries are the names of those that something ships to, in the order of the file.
func (l tongue) countries(codes []string) (string, error) {
	names := make([]string, 0, len(codes))
	for _, code := range codes {
		_, rest, known := strings.Cut("\n"+countryNames, "\n"+code+"\t")
		if !known || len(code) != 2 {
			return "", fmt.Errorf("%s is no country", code)
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
