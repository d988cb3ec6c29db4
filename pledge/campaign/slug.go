package campaign

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// MaxSlug is the maximum length of a slug or ID in characters.
const MaxSlug = 100

// ParseSlug returns s if it is 1 to MaxSlug lower-case letters, digits and hyphens. It
// fails with code Invalid.
func ParseSlug(s string) (string, error) {
	if s == "" || len(s) > MaxSlug || strings.Trim(s, slugLetters) != "" {
		return "", fault.New(fault.Invalid,
			"write lower-case letters, digits and hyphens, at most %d of them", MaxSlug)
	}
	return s, nil
}

const slugLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"

// Slug derives a slug from a title or name: "Café Noir, Part 2" becomes "cafe-noir-part-2". It
// returns "" if the title has no letters or digits that a slug can have.
func Slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch base, known := plainLetters[r]; {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case known:
			b.WriteString(base)
		case r == '\'' || r == '’':
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	s := b.String()
	return strings.TrimRight(s[:min(len(s), MaxSlug)], "-")
}

var plainLetters = letters(map[string]string{
	"a": "àáâãåā", "ae": "äæ", "c": "çćč", "e": "èéêëēę", "i": "ìíîïī", "l": "ł", "n": "ñńň",
	"o": "òóôõøō", "oe": "öœ", "r": "ř", "s": "śš", "ss": "ß", "u": "ùúûūů", "ue": "ü", "y": "ýÿ",
	"z": "źżž",
})

func letters(groups map[string]string) map[rune]string {
	m := map[rune]string{}
	for base, group := range groups {
		for _, r := range group {
			m[r] = base
		}
	}
	return m
}
