package notify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// block is a part of a mail.
type block interface {
	// text is the block as plain text, without a line break at its end.
	text() string
	// html writes the block into the layout's column.
	html(*markup)
}

// group is several blocks, with a line between them.
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

// saying leaves out what says nothing.
func saying(blocks ...block) group {
	return slices.DeleteFunc(blocks, func(b block) bool { return b.text() == "" })
}

// span is a run of text in one style.
type span struct {
	Words  string `json:"words"`          // "\n" where a line ends
	Link   string `json:"link,omitempty"` // an absolute address, or ""
	Strong bool   `json:"strong,omitempty"`
	Em     bool   `json:"em,omitempty"`
	Code   bool   `json:"code,omitempty"`
	Strike bool   `json:"strike,omitempty"`
	Under  bool   `json:"under,omitempty"`
}

type paragraph []span

// words are the paragraph without the addresses that it leads to.
func (p paragraph) words() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.Words)
	}
	return b.String()
}

// say is a paragraph without any style.
func say(text string) paragraph { return paragraph{{Words: text}} }

func (p paragraph) text() string { return plainSpans(p) }

// plainSpans writes an address behind the words that lead to it.
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

// small is small print.
type small string

func (s small) text() string { return string(s) }

// bill is a list of amounts, with a heading where it has one.
type bill struct {
	Title string   `json:"title,omitempty"`
	Rows  []amount `json:"rows"`
}

type amount struct {
	Label string      `json:"label"`
	Cents money.Cents `json:"cents"`
	Total bool        `json:"total,omitempty"`
}

func (b bill) text() string {
	var lines []string
	if b.Title != "" {
		lines = append(lines, b.Title)
	}
	for _, r := range b.Rows {
		lines = append(lines, "  "+r.Label+": "+r.Cents.String())
	}
	return strings.Join(lines, "\n")
}

// action leads to a page of the site, or to a film. In HTML it is a button; in a text its
// address stands for that.
type action struct {
	Lead  string `json:"lead,omitempty"` // what it is for; "" where the label says enough
	Label string `json:"label"`
	Link  string `json:"link"` // absolute
}

// actionOf takes a message whose last line is its address.
func actionOf(message, label string) action {
	lead, link, _ := strings.Cut(message, "\n")
	return action{Lead: lead, Label: label, Link: link}
}

func (a action) text() string {
	if a.Lead == "" {
		return a.Label + ":\n" + a.Link
	}
	return a.Lead + "\n" + a.Link
}

// aside leads where few want to go: in HTML its label is a link in small print.
type aside struct {
	Label string `json:"label"`
	Link  string `json:"link"`
}

func (a aside) text() string { return a.Label + ":\n" + a.Link }

// list holds the blocks of each of its items.
type list struct {
	ordered bool
	skipped int // numbers before the first item's: -1 if the list starts at 0
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
			items = append(items, mark+indented(text, strings.Repeat(" ", len(mark))))
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
	return "> " + indented(text, "> ")
}

// indented has a prefix before each line but the first.
func indented(text, prefix string) string {
	text = strings.ReplaceAll(text, "\n", "\n"+prefix)
	return strings.ReplaceAll(text, "\n"+prefix+"\n", "\n"+strings.TrimRight(prefix, " ")+"\n")
}

// picture is one that the site itself has.
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

// divider is a line across.
type divider struct{}

func (divider) text() string { return "----" }
