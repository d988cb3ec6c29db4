package safety

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Plain returns plain text on one line, trimmed and without control characters; line breaks and
// tabs become spaces. It rejects HTML and text longer than limit characters.
func Plain(s string, limit int) (string, error) {
	s = strings.Join(strings.Fields(removeControls(s)), " ")
	if anyTag.MatchString(s) {
		return "", fault.New(fault.Invalid, "must be plain text: write it without HTML")
	}
	return s, withinLimit(s, limit)
}

// Text returns multi-line text without control characters, leading blank lines and trailing white
// space. It rejects text longer than limit characters.
func Text(s string, limit int) (string, error) {
	s = blankLines.ReplaceAllString(strings.TrimRightFunc(removeControls(s), unicode.IsSpace), "")
	return s, withinLimit(s, limit)
}

func withinLimit(s string, limit int) error {
	if n := utf8.RuneCountInString(s); n > limit {
		return fault.New(fault.Invalid, "is %d characters long; the limit is %d", n, limit)
	}
	return nil
}

// removeControls removes invalid UTF-8, control characters except line feeds and tabs, and
// direction marks, which can make text look different from its content. All line breaks become line
// feeds.
func removeControls(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return -1
		case r == '\ufeff', r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, s)
}

var (
	anyTag     = regexp.MustCompile(`<[A-Za-z/!?]`)
	blankLines = regexp.MustCompile(`^(?:[ \t]*\n)+`)
)
