package mailtext

import (
	"html"
	"strconv"
	"strings"
)

// markup builds HTML. raw writes trusted markup from this package. Everything else goes
// through text, which escapes it.
type markup struct{ b strings.Builder }

func (m *markup) raw(parts ...string) {
	for _, p := range parts {
		m.b.WriteString(p)
	}
}

func (m *markup) text(s string) { m.b.WriteString(html.EscapeString(s)) }

// textLines writes escaped text with a <br> between lines.
func (m *markup) textLines(s string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			m.raw("<br>")
		}
		m.text(line)
	}
}

// href writes the opening tag of a link with the given attributes. It returns false, and writes
// nothing, for URL schemes that mails must not link to.
func (m *markup) href(link, attributes string) bool {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(link, scheme) {
			m.raw(`<a href="`)
			m.text(link)
			m.raw(`" `, attributes, ">")
			return true
		}
	}
	return false
}

func (m *markup) spans(spans []span) {
	for _, s := range spans {
		m.span(s)
	}
}

func (m *markup) span(s span) {
	var close string
	open := func(tag string) {
		m.raw("<", tag, ">")
		close = "</" + tag + ">" + close
	}
	if s.Link != "" && m.href(s.Link, linkStyle) {
		close = "</a>"
	}
	if s.Strong {
		open("strong")
	}
	if s.Em {
		open("em")
	}
	if s.Strike {
		open("del")
	}
	if s.Under {
		open("u")
	}
	if s.Code {
		open("code")
	}
	m.textLines(s.Words)
	m.raw(close)
}

func (g group) html(m *markup) {
	for _, b := range g {
		b.html(m)
	}
}

func (p paragraph) html(m *markup) {
	m.raw(`<p style="margin:0 0 12px">`)
	m.spans(p)
	m.raw("</p>")
}

func (h heading) html(m *markup) {
	m.raw(`<h2 style="` + headingStyle + `">`)
	m.spans(h)
	m.raw("</h2>")
}

func (s small) html(m *markup) {
	m.raw(`<p class="m" style="` + smallStyle + `">`)
	m.text(string(s))
	m.raw("</p>")
}

func (b bill) html(m *markup) {
	if b.Title != "" {
		heading{{Words: b.Title}}.html(m)
	}
	m.raw(`<table width="100%" cellpadding="0" cellspacing="0" border="0">`)
	for _, r := range b.Rows {
		label, sum := ";font-weight:normal", ";font-weight:normal"
		if r.Total {
			label, sum = ";font-weight:bold", totalStyle
		}
		m.raw("<tr>")
		m.rowHead(r.Label, r.Note, label)
		m.raw(`<td align="right" valign="top" class="t r" style="`, cellStyle, sum, `;padding-left:16px;white-space:nowrap">`)
		m.text(r.Cents.Amount(b.Lang))
		m.raw("</td></tr>")
	}
	m.raw("</table>", spacer)
}

// rowHead writes the label of a table's row, with a note in small print below it.
func (m *markup) rowHead(label, note, style string) {
	m.raw(`<th scope="row" align="left" valign="top" class="t r" style="`, cellStyle, style, `">`)
	m.textLines(label)
	if note != "" {
		m.raw(`<br><span class="m" style="` + noteStyle + `">`)
		m.text(note)
		m.raw("</span>")
	}
	m.raw("</th>")
}

func (f facts) html(m *markup) {
	heading{{Words: f.Title}}.html(m)
	m.raw(`<table width="100%" cellpadding="0" cellspacing="0" border="0">`)
	for _, r := range f.Rows {
		m.raw("<tr>")
		m.rowHead(r.Label, r.Note, ";font-weight:normal")
		if r.Value != "" {
			m.raw(`<td align="right" valign="top" class="t r" style="`, cellStyle, `;padding-left:16px">`)
			m.text(r.Value)
			m.raw("</td>")
		}
		m.raw("</tr>")
	}
	m.raw("</table>", spacer)
}

func (b box) html(m *markup) {
	color := goodFill
	if b.Tone == bad {
		color = badFill
	}
	m.raw(table, `><tr><td class="t `, string(b.Tone), `" bgcolor="`, color,
		`" style="padding:14px 16px;border-radius:10px;background:`, color, ";", textStyle, wrapStyle, `">`)
	m.spans(b.Text)
	m.raw("</td></tr></table>", spacer)
}

func (a action) html(m *markup) {
	if a.Lead != "" && a.Lead != a.Label+":" {
		textParagraph(a.Lead).html(m)
	}
	m.raw(`<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>` +
		`<td class="b" align="center" bgcolor="` + fill + `" style="border-radius:10px;mso-padding-alt:14px 24px">`)
	linked := m.href(a.Link, `class="b" style="`+buttonStyle+`"`)
	m.text(a.Label)
	if linked {
		m.raw("</a>")
	}
	m.raw("</td></tr></table>", spacer)
}

func (a aside) html(m *markup) {
	m.raw(`<p class="m" style="` + smallStyle + `">`)
	m.span(span{Words: a.Label, Link: a.Link})
	m.raw("</p>")
}

func (l list) html(m *markup) {
	tag := "ul"
	if l.ordered {
		tag = "ol"
	}
	m.raw("<", tag)
	if l.skipped != 0 {
		m.raw(` start="`, strconv.Itoa(l.skipped+1), `"`)
	}
	m.raw(` style="margin:0 0 12px;padding:0 0 0 24px">`)
	for _, item := range l.items {
		m.raw("<li>")
		item.html(m)
		m.raw("</li>")
	}
	m.raw("</", tag, ">")
}

func (q quote) html(m *markup) {
	m.raw(`<blockquote class="r" style="margin:0 0 12px;padding:0 0 0 16px;border-left:3px solid ` + border + `">`)
	group(q).html(m)
	m.raw("</blockquote>")
}

func (p picture) html(m *markup) {
	m.raw(`<img src="`)
	m.text(p.Src)
	m.raw(`" alt="`)
	m.text(p.Alt)
	m.raw(`" width="552" style="display:block;width:100%;max-width:552px;height:auto;border:0;border-radius:8px">`, spacer)
}

func (divider) html(m *markup) {
	m.raw(`<hr class="r" style="border:0;border-top:1px solid ` + border + `;margin:4px 0 16px">`)
}
