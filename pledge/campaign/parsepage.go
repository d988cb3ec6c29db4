package campaign

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// presetLetters lets a preset's name have underscores.
var presetLetters = strings.NewReplacer("_", "-")

func (m *mapping) link(key string) string { return m.address(key, safety.Link) }

// blocks reads a list of content blocks; mere text is one text block.
func (m *mapping) blocks(key string) []Block {
	n := m.get(key)
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		text := m.rich(key, MaxText)
		if text == "" {
			return nil
		}
		return []Block{{Type: TextBlock, Text: text}}
	}
	var blocks []Block
	m.each(key, MaxBlocks, func(b *mapping) {
		blocks = append(blocks, b.block())
		b.done()
	})
	return blocks
}

func (m *mapping) block() Block {
	if !m.has("type") {
		m.failKey("type", "is missing: write text, quote, image, gallery, video, audio, embed or divider")
		return Block{}
	}
	b := Block{Type: BlockType(m.choice("type", "", string(TextBlock), string(QuoteBlock), string(ImageBlock),
		string(GalleryBlock), string(VideoBlock), string(AudioBlock), string(EmbedBlock), string(DividerBlock)))}
	switch b.Type {
	case TextBlock, QuoteBlock:
		b.Text = m.required("text", MaxText)
		if b.Type == QuoteBlock {
			b.Attribution = m.text("attribution", MaxName)
		}
	case ImageBlock:
		b.Images = []Image{m.image()}
	case GalleryBlock:
		b.Caption = m.text("caption", MaxDescription)
		m.each("images", MaxGallery, func(i *mapping) {
			b.Images = append(b.Images, i.image())
			i.done()
		})
		if !m.has("images") {
			m.failKey("images", "is missing: list the pictures, each with src and alt")
		}
	case VideoBlock, AudioBlock:
		b.Src = m.source("src", safety.Media)
		m.refer("src", b.Src, false)
		b.Title, b.Caption = m.text("title", MaxName), m.text("caption", MaxDescription)
		if b.Type == VideoBlock {
			b.Poster = m.media("poster")
		}
	case EmbedBlock:
		b.URL = m.source("url", func(s string) error { _, err := safety.Embed(s); return err })
		b.Title, b.Caption = m.text("title", MaxName), m.text("caption", MaxDescription)
	case DividerBlock:
	}
	return b
}

// source is an address that has to be there.
func (m *mapping) source(key string, check func(string) error) string {
	s := m.address(key, check)
	if s == "" {
		m.failKey(key, "is missing")
	}
	return s
}

// image reads a picture. Its alt text has to be written; written and empty, it
// says that the picture is decoration.
func (m *mapping) image() Image {
	i := Image{Src: m.source("src", safety.Media), Alt: m.text("alt", MaxDescription), Caption: m.text("caption", MaxDescription)}
	m.refer("src", i.Src, false)
	if !m.has("alt") {
		m.failKey("alt", `is missing: say what the picture shows, or write alt: "" where it is only decoration`)
	}
	return i
}

func (m *mapping) diary() []DiaryEntry {
	var entries []DiaryEntry
	taken := map[string]bool{}
	m.each("diary", MaxList, func(d *mapping) {
		e := DiaryEntry{
			Title: d.name("title", MaxName), Date: d.moment("date"),
			Phase: d.choice("phase", append([]string{""}, Phases()...)...),
		}
		if !d.has("date") {
			d.failKey("date", "is missing: write a date such as 2026-03-01")
		}
		e.ID = d.id("id", diaryID(e.Date.String(), e.Title), taken)
		e.Content = slices.Concat(d.blocks("content"), d.blocks("body"))
		if d.has("content") && d.has("body") {
			d.failKey("body", "stands beside content: keep one of them")
		}
		d.done()
		entries = append(entries, e)
	})
	slices.SortStableFunc(entries, func(a, b DiaryEntry) int { return b.Date.compare(a.Date) })
	return entries
}

// diaryID is derived from the day too: titles such as "News" come back.
func diaryID(date, title string) string { return Slug(fmt.Sprintf("%.10s %s", date, title)) }

func (m *mapping) decisions() []Decision {
	var list []Decision
	taken := map[string]bool{}
	m.each("decisions", MaxList, func(d *mapping) {
		decision := Decision{
			Title: d.name("title", MaxDescription), Deadline: d.moment("deadline"),
			Type:     DecisionType(d.choice("type", string(Vote), string(Poll))),
			Eligible: Eligibility(d.choice("eligible", string(Supporters), string(Charged))),
			Options:  d.options(),
		}
		decision.ID = d.id("id", decision.Title, taken)
		d.derived("status")
		d.done()
		list = append(list, decision)
	})
	return list
}

// options reads answers: a text, or a label with an image.
func (m *mapping) options() []Option {
	var list []Option
	seen := map[string]bool{}
	for i, n := range m.list("options", MaxOptions) {
		o := m.option(follow(n), i)
		if o.Label != "" && seen[o.Label] {
			m.fail(n.Line, m.field("options"), "holds the same answer twice")
		}
		seen[o.Label] = true
		list = append(list, o)
	}
	if n := m.get("options"); n == nil || len(n.Content) < 2 {
		m.failKey("options", "write at least two answers")
	}
	return list
}

func (m *mapping) option(n *yaml.Node, i int) Option {
	field := fmt.Sprintf("%s[%d]", m.field("options"), i)
	if n.Kind == yaml.MappingNode {
		o := m.reader.mapping(n, field)
		option := Option{Label: o.name("label", MaxOption), Image: o.media("image")}
		o.done()
		return option
	}
	label, err := safety.Plain(n.Value, MaxOption)
	if err != nil || n.Kind != yaml.ScalarNode || label == "" {
		m.fail(n.Line, field, "write an answer as plain text of at most %d characters", MaxOption)
	}
	return Option{Label: label}
}
