package mailtext

import "github.com/pledgeworks/pledgeworks/notify"

// The layout is a single column of tables, because classic Outlook supports little else, with
// inline styles. Classes exist only for dark mode, in mail clients that support it.
const (
	paper  = "#f7f8fb"
	card   = "#ffffff"
	ink    = "#12152a"
	muted  = "#565b74"
	border = "#d5d9e6"
	fill   = "#2e3fa3"

	font      = "font-family:'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
	textStyle = font + "font-size:16px;line-height:24px;color:" + ink
	// wrapStyle wraps long words, for phones that are 320 pixels wide.
	wrapStyle = ";overflow-wrap:anywhere;word-break:break-word"

	headingStyle = "margin:0 0 4px;font-size:18px;line-height:24px"
	smallStyle   = "margin:0 0 8px;font-size:14px;line-height:20px;color:" + muted
	cellStyle    = "padding:6px 0;border-bottom:1px solid " + border + ";" + textStyle + wrapStyle + ";font-weight:"
	buttonStyle  = "display:inline-block;padding:12px 24px;border-radius:24px;background:" + fill + ";color:#ffffff;text-decoration:none;font-weight:bold;" + font + "font-size:16px;line-height:24px"
	linkStyle    = `class="l" style="color:` + fill + `"`

	// spacer is a spacer after a table, since Outlook ignores margins on tables.
	spacer = `<div style="height:16px;line-height:16px;font-size:1px">&nbsp;</div>`

	table = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`

	dark = `:root{color-scheme:light dark;supported-color-schemes:light dark}` +
		`@media (prefers-color-scheme:dark){` +
		`.p{background:#0e1020!important}.c{background:#171a2e!important}` +
		`.t{color:#eceef8!important}.m{color:#a9aec6!important}.l{color:#aab4ff!important}` +
		`.r{border-color:#333855!important}.b{background:#ffc247!important;color:#1b1503!important}}`

	hidden = "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all"
)

// typicalHTML is the typical size of a mail about a pledge, in bytes.
const typicalHTML = 10 << 10

// html renders the draft in the layout.
func (d draft) html() string {
	m := &markup{}
	m.b.Grow(typicalHTML)
	m.raw(`<!doctype html><html lang="`, d.Code(), `"><head><meta charset="utf-8">`+
		`<meta name="viewport" content="width=device-width,initial-scale=1">`+
		`<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>`)
	m.text(notify.PlainLine(d.subject))
	m.raw("</title><style>" + dark + `</style></head><body class="p" bgcolor="` + paper + `" style="margin:0;padding:0;background:` + paper + `">`)
	d.preheader(m)
	m.raw(`<div role="article" lang="`, d.Code(), `" aria-label="`)
	m.text(notify.PlainLine(d.subject))
	m.raw(`">` + table + ` class="p" bgcolor="` + paper + `"><tr><td align="center" style="padding:16px 8px">` +
		`<!--[if mso]><table role="presentation" width="600"><tr><td><![endif]-->` +
		table + ` class="c" bgcolor="` + card + `" style="max-width:600px;border-radius:14px">`)
	m.cell("t", "24px 20px 0", textStyle, d.title())
	for _, b := range d.blocks {
		m.cell("t", "0 20px 4px", textStyle, b)
	}
	m.raw(`<tr><td height="12" style="font-size:1px;line-height:12px">&nbsp;</td></tr></table>` +
		table + ` style="max-width:600px"><tr><td height="12" style="font-size:1px;line-height:12px">&nbsp;</td></tr>`)
	for _, b := range d.footer {
		m.cell("m", "0 20px", font+"color:"+muted, b)
	}
	m.raw("</table><!--[if mso]></td></tr></table><![endif]--></td></tr></table></div></body></html>\n")
	return m.b.String()
}

// preheader writes the hidden text that inboxes show next to the subject.
func (d draft) preheader(m *markup) {
	if d.preview == "" {
		return
	}
	m.raw(`<div style="` + hidden + `">`)
	m.text(d.preview)
	m.raw("</div>")
}

// cell writes one row of the column.
func (m *markup) cell(class, padding, style string, b block) {
	m.raw(`<tr><td class="`, class, `" style="padding:`, padding, ";", style, wrapStyle, `">`)
	b.html(m)
	m.raw("</td></tr>")
}

// masthead shows the platform's name and the subject.
type masthead struct{ platform, subject string }

func (d draft) title() block { return masthead{notify.PlainLine(d.Name), notify.PlainLine(d.subject)} }

func (h masthead) text() string { return "" }

func (h masthead) html(m *markup) {
	if h.platform != "" {
		m.raw(`<p class="m" style="margin:0 0 12px;font-weight:bold;font-size:14px;line-height:20px;color:` + muted + `">`)
		m.text(h.platform)
		m.raw("</p>")
	}
	m.raw(`<h1 style="margin:0 0 16px;font-size:24px;line-height:30px">`)
	m.text(h.subject)
	m.raw("</h1>")
}
