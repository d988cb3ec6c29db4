package notify

import (
	"slices"
	"strings"
)

// Platform is whose mails they are, as every mail says at its end. What is "" is not said.
type Platform struct {
	Name    string
	Company string // who is answerable for it
	Address string // where the post reaches them
}

// draft is a mail before it is written out. Its text and its HTML are made of the same
// blocks, so that neither says what the other does not.
type draft struct {
	words
	Platform
	subject string
	preview string // what mailboxes show beside the subject; one of the paragraphs
	blocks  group
	footer  group  // below the mail itself
	written string // its HTML, once there is a message of it
}

// maxHTML is how long the HTML may be: Gmail cuts a mail off behind 102 KB.
const maxHTML = 100 << 10

// fits reports whether both parts are as short as they have to be.
func (m Message) fits() bool { return len(m.Text) <= maxText && len(m.HTML) <= maxHTML }

// message writes both parts.
func (d draft) message(k Kind, identity, to string) Message {
	d.footer = saying(d.footer, d.imprint())
	d.written = d.html()
	return Message{Kind: k, Identity: identity, To: to, Lang: d.code, Subject: subject(d.subject), Text: d.text(), HTML: d.written, draft: &d}
}

// imprint says whose mail it is.
func (d draft) imprint() block {
	parts := []string{plain(d.Name), plain(d.Company), plain(d.Address)}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return small(strings.Join(slices.Compact(parts), " · "))
}

func (d draft) text() string { return group{d.blocks, d.footer}.text() + "\n" }
