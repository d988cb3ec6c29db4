package mailtext

import (
	"encoding/json"

	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// Messages holds the embedded message files.
var Messages = messages

// SetLocales replaces the languages of mails until restore is called.
func SetLocales(set locale.Set) (restore func()) {
	before := locales
	locales = set
	return func() { locales = before }
}

// Markdown renders unchecked Markdown as both parts of a mail, without the layout.
func Markdown(text, siteBase string) (plain, html string) {
	g, m := siteAt(siteBase).markdown(text), &markup{}
	g.html(m)
	return g.text(), m.b.String()
}

func siteAt(base string) site {
	return site{language: languageFor("en"), base: base, page: base + "/campaigns/film/"}
}

// MarkdownKept returns Markdown's HTML after a round trip through the outbox format.
func MarkdownKept(text, siteBase string) (html string, err error) {
	var l storedDraft
	if err := json.Unmarshal(draft{language: languageFor("en"), blocks: siteAt(siteBase).markdown(text)}.encode(),
		&l); err != nil {
		return "", err
	}
	d, err := l.draft()
	if err != nil {
		return "", err
	}
	m := &markup{}
	d.blocks.html(m)
	return m.b.String(), nil
}

// DraftTwice returns the HTML of a stored draft, and its HTML after another round trip
// through the outbox format.
func DraftTwice(b []byte) (first, again string, err error) {
	var k storedDraft
	if err := json.Unmarshal(b, &k); err != nil {
		return "", "", err
	}
	d, err := k.draft()
	if err != nil {
		return "", "", err
	}
	again, err = RenderHTML(d.encode())
	return d.html(), again, err
}
