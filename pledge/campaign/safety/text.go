package safety

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Plain returns one piece of plain text, trimmed and without control
// characters; line breaks and tabs become spaces. It refuses HTML, and text of
// more than limit characters.
func Plain(s string, limit int) (string, error) {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if anyTag.MatchString(s) {
		return "", fault.New(fault.Invalid, "is plain text: write it without HTML")
	}
	return s, withinLimit(s, limit)
}

// Rich returns rich text without control characters; line breaks stay. It
// refuses HTML but the six plain tags, unsafe links and images, images without
// alternative text, and text of more than limit characters.
func Rich(s string, limit int) (string, error) {
	s = strings.TrimSpace(clean(s))
	if err := withinLimit(s, limit); err != nil {
		return "", err
	}
	if err := checkTags(s); err != nil {
		return "", err
	}
	return s, checkMarkdown(s)
}

func withinLimit(s string, limit int) error {
	if n := utf8.RuneCountInString(s); n > limit {
		return fault.New(fault.Invalid, "is %d characters long; at most %d fit", n, limit)
	}
	return nil
}

// clean strips control characters, and the marks that turn the direction of
// text around and can make it read as something else.
func clean(s string) string {
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
	anyTag    = regexp.MustCompile(`<[A-Za-z/!?]`)
	plainTag  = regexp.MustCompile(`^(?i:<br ?/?>|</?(?:em|strong|i|b|u)>)`)
	scriptTag = regexp.MustCompile(`^(?i:</?script)`)
	frameTag  = regexp.MustCompile(`^(?i:</?i?frame)`)
	handler   = regexp.MustCompile(`^<[^>]*[\s/"'](?i:on[a-z]+)\s*=`)
	style     = regexp.MustCompile(`^<[^>]*[\s/"'](?i:style)\s*=`)
)

// checkTags judges every tag wherever it stands, in code too: another renderer
// may see code elsewhere than this package does.
func checkTags(s string) error {
	for _, at := range anyTag.FindAllStringIndex(s, -1) {
		tag := s[at[0]:]
		switch {
		case plainTag.MatchString(tag):
		case scriptTag.MatchString(tag):
			return fault.New(fault.Invalid, "holds a script: remove it")
		case frameTag.MatchString(tag):
			return fault.New(fault.Invalid, "holds a frame: use a block of type embed")
		case handler.MatchString(tag):
			return fault.New(fault.Invalid, "holds an event handler: remove it")
		case style.MatchString(tag):
			return fault.New(fault.Invalid, "holds an inline style: remove it")
		default:
			return fault.New(fault.Invalid,
				"holds HTML: only <br>, <em>, <strong>, <i>, <b> and <u> are allowed, without attributes; write links as [text](address)")
		}
	}
	return nil
}
