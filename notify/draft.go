package notify

import (
	"slices"
	"strings"
)

// Platform names the sender of the mails in their footers. Empty fields are left out.
type Platform struct {
	Name    string
	Company string // the legal entity that runs the platform
	Address string // its postal address
}

// draft is a mail before it is rendered. Its text and its HTML are rendered from the same
// blocks, so that both have the same content.
type draft struct {
	catalog
	Platform
	subject      string
	preview      string // shown next to the subject in the inbox; one of the paragraphs
	blocks       group
	footer       group  // below the body
	renderedHTML string // the HTML that message rendered
}

// maxHTML limits the HTML, in bytes: Gmail clips mails at 102 KB.
const maxHTML = 100 << 10

// fits reports whether both parts are within their size limits.
func (m Message) fits() bool { return len(m.Text) <= maxText && len(m.HTML) <= maxHTML }

// message renders both parts.
func (d draft) message(k Kind, identity, to string) Message {
	d.footer = nonEmpty(d.footer, d.imprint())
	d.renderedHTML = d.html()
	return Message{Kind: k, Identity: identity, To: to, Lang: d.code, Subject: subject(d.subject), Text: d.text(), HTML: d.renderedHTML, draft: &d}
}

// imprint returns the platform's name, company and address.
func (d draft) imprint() block {
	parts := []string{plain(d.Name), plain(d.Company), plain(d.Address)}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return small(strings.Join(slices.Compact(parts), " · "))
}

func (d draft) text() string { return group{d.blocks, d.footer}.text() + "\n" }
