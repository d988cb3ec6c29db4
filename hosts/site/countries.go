package site

import (
	"fmt"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// countries returns the names of the countries that something ships to, in the order of the file.
func (l locale) countries(codes []string) (string, error) {
	names := make([]string, 0, len(codes))
	for _, code := range codes {
		name := pledge.CountryName(code, l.Code)
		if name == "" {
			return "", fmt.Errorf("%s is not a country", code)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", "), nil
}
