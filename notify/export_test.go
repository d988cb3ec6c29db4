package notify

// Markdown writes rich text that nobody has judged as both parts of a mail, without the
// layout around them.
func Markdown(text, siteBase string) (plain, html string) {
	g, m := site{words: wordsOf("en"), base: siteBase}.markdown(text), &markup{}
	g.html(m)
	return g.text(), m.b.String()
}
