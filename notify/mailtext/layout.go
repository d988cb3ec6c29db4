package mailtext

import (
	"cmp"

	"github.com/pledgeworks/pledgeworks/notify"
)

// The layout is a single column of tables, because classic Outlook supports little else, with
// inline styles. Classes are only for dark mode and narrow screens, in mail clients that support
// style sheets.
const (
	paper    = "#f7f8fb"
	card     = "#ffffff"
	ink      = "#12152a"
	muted    = "#565b74"
	border   = "#e1e4ee"
	fill     = "#2e3fa3"
	bar      = "#12152e" // behind the platform's name
	accent   = "#ffc247"
	goodFill = "#e1f3e7"
	badFill  = "#fde8e8"

	font      = "font-family:'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
	textStyle = font + "font-size:16px;line-height:24px;color:" + ink
	// wrapStyle wraps long words, for phones that are 320 pixels wide.
	wrapStyle = ";overflow-wrap:anywhere;word-break:break-word"

	headingStyle = "margin:12px 0 8px;font-size:18px;line-height:24px"
	smallStyle   = "margin:0 0 8px;font-size:14px;line-height:20px;color:" + muted
	noteStyle    = "font-size:14px;line-height:20px;font-weight:normal;color:" + muted
	cellStyle    = "padding:10px 0;border-top:1px solid " + border + ";" + font +
		"font-size:16px;line-height:22px;color:" + ink + wrapStyle
	totalStyle  = ";font-weight:bold;font-size:20px"
	buttonStyle = "display:inline-block;padding:14px 24px;border-radius:10px;background:" + fill +
		";color:#ffffff;text-decoration:none;font-weight:bold;" + font + "font-size:16px;line-height:22px"
	linkStyle = `class="l" style="color:` + fill + `"`

	// spacer adds space below a table, since Outlook ignores margins on tables.
	spacer = `<div style="height:16px;line-height:16px;font-size:1px">&nbsp;</div>`

	table = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`

	// dark is the style sheet with the colors of dark mode, for clients that support the media
	// query and for Outlook, which marks recolored elements with the attributes data-ogsb and
	// data-ogsc. It also has smaller sizes for narrow screens.
	dark = `:root{color-scheme:light dark;supported-color-schemes:light dark}` +
		`@media (prefers-color-scheme:dark){` +
		`.p{background:#0d0f1c!important}.c{background:#161930!important}` +
		`.t{color:#eef0fa!important}.m{color:#a3a9c4!important}.l{color:#aab5ff!important}` +
		`.r{border-color:#2a2f4c!important}.b{background:#5362d8!important;color:#ffffff!important}` +
		`.good{background:#163526!important}.bad{background:#3c1a20!important}}` +
		`[data-ogsb] .p{background:#0d0f1c!important}[data-ogsb] .c{background:#161930!important}` +
		`[data-ogsc] .t{color:#eef0fa!important}[data-ogsc] .m{color:#a3a9c4!important}` +
		`[data-ogsc] .l{color:#aab5ff!important}` +
		`@media (max-width:480px){.w{padding-left:20px!important;padding-right:20px!important}` +
		`.h{font-size:26px!important;line-height:31px!important}}`

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
	m.raw("</title><style>" + dark + `</style></head><body class="p" bgcolor="` + paper +
		`" style="margin:0;padding:0;background:` + paper + `">`)
	d.preheader(m)
	m.raw(`<div role="article" lang="`, d.Code(), `" aria-label="`)
	m.text(notify.PlainLine(d.subject))
	m.raw(`">` + table + ` class="p" bgcolor="` + paper + `"><tr><td align="center">` +
		`<!--[if mso]><table role="presentation" width="600"><tr><td><![endif]-->` +
		table + ` class="c" bgcolor="` + card + `" style="max-width:600px">`)
	d.masthead(m)
	m.cell("t w", "32px 32px 0", textStyle, headline(notify.PlainLine(cmp.Or(d.headline, d.subject))))
	for _, b := range d.blocks {
		m.cell("t w", "0 32px 4px", textStyle, b)
	}
	m.raw(`<tr><td height="20" style="font-size:1px;line-height:20px">&nbsp;</td></tr></table>` +
		table + ` style="max-width:600px"><tr><td height="20" style="font-size:1px;line-height:20px">&nbsp;</td></tr>`)
	for _, b := range d.footer {
		m.cell("m w", "0 32px", font+"color:"+muted, b)
	}
	m.raw(`<tr><td height="32" style="font-size:1px;line-height:32px">&nbsp;</td></tr>` +
		"</table><!--[if mso]></td></tr></table><![endif]--></td></tr></table></div></body></html>\n")
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

// masthead writes the bar with the platform's name.
func (d draft) masthead(m *markup) {
	name := notify.PlainLine(d.Name)
	if name == "" {
		return
	}
	m.raw(`<tr><td class="w" bgcolor="`+bar+`" style="padding:18px 32px;background:`+bar+";"+font+
		`font-size:18px;line-height:24px;font-weight:bold;color:#ffffff`, wrapStyle, `">`)
	m.text(name)
	m.raw(`<span aria-hidden="true" style="color:` + accent + `">.</span></td></tr>`)
}

// headline is the heading of the mail's HTML. Its plain text is written separately.
type headline string

func (h headline) text() string { return "" }

func (h headline) html(m *markup) {
	m.raw(`<h1 class="h" style="margin:0 0 16px;font-size:30px;line-height:36px;letter-spacing:-.4px">`)
	m.text(string(h))
	m.raw("</h1>")
}
