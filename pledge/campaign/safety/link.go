package safety

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const maxLink = 2000

// entity matches HTML entities, which could become a scheme or a path traversal when a page is
// written.
var entity = regexp.MustCompile(`&(?:#|[A-Za-z][A-Za-z0-9]*;)`)

var mailbox = regexp.MustCompile(`^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?:\?subject=[A-Za-z0-9%._~-]*)?$`)

// Link checks the target of a link: a root-relative path such as "/campaigns/", or an
// absolute http or https URL.
func Link(s string) error {
	if s == "" || len(s) > maxLink || strings.ContainsFunc(s, isForbidden) || entity.MatchString(s) {
		return badLink()
	}
	u, err := url.Parse(s)
	if err != nil || u.User != nil || u.Opaque != "" || leavesDir(u.Path) {
		return badLink()
	}
	if strings.HasPrefix(s, "/") && u.Host == "" && !strings.HasPrefix(s, "//") {
		return nil
	}
	if (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" {
		return nil
	}
	return badLink()
}

// Media checks the address of an image, video or recording, with the same rule as Link.
func Media(s string) error {
	if Link(s) != nil {
		return fault.New(fault.Invalid,
			"is not a safe media address: write a path such as /assets/images/a.jpg, or an http or https URL")
	}
	return nil
}

// MarkdownLink checks a link in rich text: an address that Link accepts, an anchor such as
// "#rewards", or an email address such as "mailto:name@example.com".
func MarkdownLink(s string) error {
	part := len(s) > 1 && s[0] == '#' && Link("/"+s) == nil
	address, isMail := strings.CutPrefix(s, "mailto:")
	isMail = isMail && len(s) <= maxLink && mailbox.MatchString(address)
	if part || isMail || Link(s) == nil {
		return nil
	}
	return fault.New(fault.Invalid,
		"contains an unsafe link: write a path that begins with /, an http or https URL, mailto: with an address, or # with a part of the page")
}

// isForbidden reports whether an address must not contain r: spaces, control characters, and
// characters that some programs treat as a slash or as the end of an attribute.
func isForbidden(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) ||
		strings.ContainsRune("\\<>\"`{}|^\u200b\u200c\u200d\u2060\ufeff", r)
}

// leavesDir reports whether a path has a "." or ".." part, even after being decoded repeatedly. It
// returns true for a path that is encoded more than three times.
func leavesDir(path string) bool {
	for range 3 {
		for part := range strings.SplitSeq(path, "/") {
			if part == "." || part == ".." || strings.ContainsAny(part, "\\\x00") {
				return true
			}
		}
		again, err := url.PathUnescape(path)
		if err != nil || again == path {
			return false
		}
		path = again
	}
	return true
}

func badLink() error {
	return fault.New(fault.Invalid, "is not a safe link: write a path that begins with /, or an http or https URL")
}
