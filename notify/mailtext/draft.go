package mailtext

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/notify"
)

// Platform identifies the sender of the mails in their header and footer. Empty fields are left
// out.
type Platform struct {
	Name    string
	Company string // the legal entity that runs the platform
	Address string // its postal address
}

// draft is a mail before it is rendered. Its text and its HTML are rendered from the same
// blocks, so that both have the same content.
type draft struct {
	language
	Platform
	subject  string
	headline string // first line; if it is "", the HTML starts with the subject
	preview  string // shown next to the subject in the inbox; one of the paragraphs
	blocks   group
	footer   group // below the body
}

// maxHTML limits the HTML, in bytes: Gmail clips mails at 102 KB.
const maxHTML = 100 << 10

// fits reports whether both parts are within their size limits.
func fits(m notify.Message) bool { return len(m.Text) <= notify.MaxText && len(m.HTML) <= maxHTML }

// message returns the message with the draft's plain text and HTML.
func (d draft) message(k notify.Kind, identity, to string) notify.Message {
	d.footer = nonEmpty(d.footer, d.imprint())
	m := notify.Message{Kind: k, Identity: identity, To: to, Lang: d.Code(), Subject: subject(d.subject),
		Text: d.text(), HTML: d.html()}
	return m.RenderedFrom(d.encode())
}

// imprint returns the platform's name, company and address.
func (d draft) imprint() block {
	parts := []string{notify.PlainLine(d.Name), notify.PlainLine(d.Company), notify.PlainLine(d.Address)}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return small(strings.Join(slices.Compact(parts), " · "))
}

func (d draft) text() string {
	return group{textParagraph(notify.PlainLine(d.headline)), d.blocks, d.footer}.text() + "\n"
}

// subject returns a text on one line, cut to the maximum length of a subject.
func subject(s string) string {
	s = notify.PlainLine(s)
	for len(s) > notify.MaxSubject {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return strings.TrimSpace(s)
}
