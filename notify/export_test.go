package notify

import "encoding/json"

// Markdown renders unchecked Markdown as both parts of a mail, without the layout.
func Markdown(text, siteBase string) (plain, html string) {
	g, m := site{catalog: catalogFor("en"), base: siteBase, page: siteBase + "/campaigns/film/"}.markdown(text), &markup{}
	g.html(m)
	return g.text(), m.b.String()
}

// Say returns a message with its placeholders replaced.
func Say(lang, id string, pairs ...string) string { return catalogFor(lang).format(id, pairs...) }

// SayOf does the same for a message of a given catalogue with English plural rules.
func SayOf(messages map[string]string, id string, pairs ...string) string {
	return catalog{messages: messages, plural: englishPlural}.format(id, pairs...)
}

// MarkdownKept returns Markdown's HTML after a round trip through the outbox format.
func MarkdownKept(text, siteBase string) (html string, err error) {
	k := draft{blocks: site{catalog: catalogFor("en"), base: siteBase, page: siteBase + "/campaigns/film/"}.markdown(text)}.store()
	b, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	var l storedDraft
	if err := json.Unmarshal(b, &l); err != nil {
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

// DraftTwice returns the HTML of a draft that was decoded from JSON, and its HTML after
// another round trip through the outbox format.
func DraftTwice(b []byte) (first, again string, err error) {
	var k storedDraft
	if err := json.Unmarshal(b, &k); err != nil {
		return "", "", err
	}
	d, err := k.draft()
	if err != nil {
		return "", "", err
	}
	if b, err = json.Marshal(d.store()); err != nil {
		return "", "", err
	}
	var l storedDraft
	if err := json.Unmarshal(b, &l); err != nil {
		return d.html(), string(b), nil
	}
	e, err := l.draft()
	return d.html(), e.html(), err
}
