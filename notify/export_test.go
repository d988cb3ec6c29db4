package notify

import "encoding/json"

// Markdown writes rich text that nobody has judged as both parts of a mail, without the
// layout around them.
func Markdown(text, siteBase string) (plain, html string) {
	g, m := site{catalog: catalogFor("en"), base: siteBase, page: siteBase + "/campaigns/film/"}.markdown(text), &markup{}
	g.html(m)
	return g.text(), m.b.String()
}

// Say returns a message with its values.
func Say(lang, id string, pairs ...string) string { return catalogFor(lang).format(id, pairs...) }

// SayOf returns a message of a catalogue for English readers.
func SayOf(messages map[string]string, id string, pairs ...string) string {
	return catalog{messages: messages, plural: englishPlural}.format(id, pairs...)
}

// MarkdownKept is Markdown's HTML after it has waited in the outbox.
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

// DraftTwice is the HTML of a draft that is read from JSON, and of one that is read from
// what the first is kept as.
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
