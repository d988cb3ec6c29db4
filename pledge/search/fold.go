package search

import (
	"strings"
	"unicode"
)

// plain has the base letters of U+00C0 to U+017F, and further those of U+1E00 to U+1EFF; a space
// means that there is none. They are the first letters of Unicode's decompositions. This package
// may not import the tables of golang.org/x/text.
const (
	plain = "aaaaaa ceeeeiiiidnooooo ouuuuy  aaaaaa ceeeeiiiidnooooo ouuuuy y" +
		"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii  jjkkklllllll" +
		"lllnnnnnnnnnoooooo  rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
	further = "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm" +
		"mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv" +
		"wwwwwwwwwwxxxxyyzzzzzzhtwyas    aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee" +
		"eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy      "
)

// pairs has the letters for which people usually type two others.
var pairs = map[rune]string{'æ': "ae", 'œ': "oe", 'ß': "ss", 'þ': "th", 'ĳ': "ij"}

// fold returns a name in the form in which names are compared: lower-case words without accents,
// separated by single spaces. It keeps symbols such as emoji and removes apostrophes. Other
// characters that are not letters or digits separate words.
func fold(s string) string {
	var b strings.Builder
	for _, r := range s {
		r = unicode.ToLower(unicode.ToUpper(r))
		switch pair := pairs[r]; {
		case pair != "":
			b.WriteString(pair)
		case r == '\'' || r == '’' || unicode.In(r, unicode.Mn, unicode.Cf):
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.In(r, unicode.Mc, unicode.So, unicode.Sk):
			b.WriteRune(unaccented(r))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func unaccented(r rune) rune {
	base := byte(' ')
	switch {
	case r >= 0xc0 && r < 0x180:
		base = plain[r-0xc0]
	case r >= 0x1e00 && r < 0x1f00:
		base = further[r-0x1e00]
	}
	if base == ' ' {
		return r
	}
	return rune(base)
}
