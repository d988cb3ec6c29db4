package mailtext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// block is one element of a mail's body.
type block interface {
	// text returns the block as plain text, without a trailing newline.
	text() string
	// html writes the block as HTML.
	html(*markup)
}

// group is a sequence of blocks, separated by blank lines in plain text.
type group []block

func (g group) text() string {
	var parts []string
	for _, b := range g {
		if s := b.text(); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n\n")
}

// nonEmpty returns the blocks that have text.
func nonEmpty(blocks ...block) group {
	return slices.DeleteFunc(blocks, func(b block) bool { return b.text() == "" })
}

// span is a run of text in one style.
type span struct {
	Words  string `json:"words"`          // "\n" is a line break
	Link   string `json:"link,omitempty"` // an absolute URL, or ""
	Strong bool   `json:"strong,omitempty"`
	Em     bool   `json:"em,omitempty"`
	Code   bool   `json:"code,omitempty"`
	Strike bool   `json:"strike,omitempty"`
	Under  bool   `json:"under,omitempty"`
}

type paragraph []span

// words returns the paragraph's text without link URLs.
func (p paragraph) words() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Words)
	}
	return b.String()
}

// textParagraph returns an unstyled paragraph.
func textParagraph(text string) paragraph { return paragraph{{Words: text}} }

func (p paragraph) text() string { return plainSpans(p) }

// plainSpans returns the spans as plain text, with ~~ around struck text, and with each link's URL
// in parentheses after its text unless they are the same.
func plainSpans(spans []span) string {
	var b, words strings.Builder
	for i, s := range spans {
		if s.Strike && (i == 0 || !spans[i-1].Strike) {
			b.WriteString("~~")
		}
		b.WriteString(s.Words)
		words.WriteString(s.Words)
		if s.Strike && (i == len(spans)-1 || !spans[i+1].Strike) {
			b.WriteString("~~")
		}
		if i < len(spans)-1 && spans[i+1].Link == s.Link {
			continue
		}
		if s.Link != "" && s.Link != words.String() && s.Link != "mailto:"+words.String() {
			b.WriteString(" (" + s.Link + ")")
		}
		words.Reset()
	}
	return strings.TrimSpace(b.String())
}

type heading []span

func (h heading) text() string { return plainSpans(h) }

// small is a paragraph in small print.
type small string

func (s small) text() string { return string(s) }

// bill is a table of amounts with an optional heading.
type bill struct {
	Lang  string   `json:"lang,omitempty"` // language in which amounts are formatted
	Title string   `json:"title,omitempty"`
	Rows  []amount `json:"rows"`
}

type amount struct {
	Label string      `json:"label"`
	Note  string      `json:"note,omitempty"` // in small print below the label
	Cents money.Cents `json:"cents"`
	Total bool        `json:"total,omitempty"`
}

func (b bill) text() string {
	var lines []string
	if b.Title != "" {
		lines = append(lines, b.Title)
	}
	for _, r := range b.Rows {
		label := r.Label
		if r.Note != "" {
			label += " (" + r.Note + ")"
		}
		lines = append(lines, "  "+label+": "+r.Cents.Amount(b.Lang))
	}
	return strings.Join(lines, "\n")
}

// facts is a table with a heading whose rows have a label and an optional note and value, such as
// the shipping addresses. Without rows, it is left out.
type facts struct {
	Title string `json:"title"`
	Rows  []fact `json:"rows"`
}

type fact struct {
	Label string `json:"label"`          // "\n" is a line break
	Note  string `json:"note,omitempty"` // in small print below the label
	Value string `json:"value,omitempty"`
}

func (f facts) text() string {
	if len(f.Rows) == 0 {
		return ""
	}
	lines := []string{f.Title}
	for _, r := range f.Rows {
		line := "  " + indent(r.Label, "  ")
		if r.Note != "" {
			line += " (" + r.Note + ")"
		}
		if r.Value != "" {
			line += ": " + r.Value
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// box is a highlighted paragraph about the payment.
type box struct {
	Tone tone      `json:"tone"`
	Text paragraph `json:"text"`
}

// tone is the color of a box.
type tone string

const (
	good tone = "good" // nothing was charged
	bad  tone = "bad"  // the reader has to act
)

func (b box) text() string { return b.Text.text() }

// action is a call to action: a button in HTML, and a line with the URL in plain text.
type action struct {
	Lead  string `json:"lead,omitempty"` // text before the button; may be ""
	Label string `json:"label"`
	Link  string `json:"link"` // an absolute URL
}

// newAction returns the action for a message of two lines: the text before the button, and a URL.
func newAction(message, label string) action {
	lead, link, _ := strings.Cut(message, "\n")
	return action{Lead: lead, Label: label, Link: link}
}

func (a action) text() string {
	if a.Lead == "" {
		return a.Label + ":\n" + a.Link
	}
	return a.Lead + "\n" + a.Link
}

// aside is a secondary link: small print in HTML.
type aside struct {
	Label string `json:"label"`
	Link  string `json:"link"`
}

func (a aside) text() string { return a.Label + ":\n" + a.Link }

// list is a bulleted or numbered list. Each item is a group of blocks.
type list struct {
	ordered bool
	skipped int // start number minus 1; -1 if the list starts at 0
	items   []group
}

func (l list) text() string {
	var items []string
	for i, item := range l.items {
		mark := "- "
		if l.ordered {
			mark = fmt.Sprintf("%d. ", l.skipped+i+1)
		}
		if text := item.text(); text != "" {
			items = append(items, mark+indent(text, strings.Repeat(" ", len(mark))))
		}
	}
	return strings.Join(items, "\n")
}

type quote group

func (q quote) text() string {
	text := group(q).text()
	if text == "" {
		return ""
	}
	return "> " + indent(text, "> ")
}

// indent puts a prefix before each line except the first.
func indent(text, prefix string) string {
	text = strings.ReplaceAll(text, "\n", "\n"+prefix)
	return strings.ReplaceAll(text, "\n"+prefix+"\n", "\n"+strings.TrimRight(prefix, " ")+"\n")
}

// picture is an image from the site's own assets.
type picture struct {
	Src string `json:"src"`
	Alt string `json:"alt,omitempty"`
}

func (p picture) text() string {
	if p.Alt == "" {
		return ""
	}
	return "[" + p.Alt + "]"
}

// divider is a horizontal rule.
type divider struct{}

func (divider) text() string { return "----" }
