package campaignfile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// presetLetters replaces the underscores of preset names, because ParseSlug rejects them.
var presetLetters = strings.NewReplacer("_", "-")

func (m *mapping) link(key string) string { return m.address(key, safety.Link) }

// blocks reads a list of content blocks, or a text as one text block.
func (m *mapping) blocks(key string) []campaign.Block {
	n := m.get(key)
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		text := m.rich(key, campaign.MaxText)
		if text == "" {
			return nil
		}
		return []campaign.Block{{Type: campaign.TextBlock, Text: text}}
	}
	var blocks []campaign.Block
	m.each(key, campaign.MaxBlocks, func(b *mapping) {
		blocks = append(blocks, b.block())
		b.rejectUnknownKeys()
	})
	return blocks
}

func (m *mapping) block() campaign.Block {
	if !m.has("type") {
		m.failKey("type", "is missing: write text, quote, image, gallery, video, audio, embed or divider")
		return campaign.Block{}
	}
	b := campaign.Block{Type: campaign.BlockType(m.choice("type", "", string(campaign.TextBlock),
		string(campaign.QuoteBlock), string(campaign.ImageBlock),
		string(campaign.GalleryBlock), string(campaign.VideoBlock), string(campaign.AudioBlock), string(
			campaign.EmbedBlock), string(campaign.DividerBlock)))}
	switch b.Type {
	case campaign.TextBlock, campaign.QuoteBlock:
		b.Text = m.required("text", campaign.MaxText)
		if b.Type == campaign.QuoteBlock {
			b.Attribution = m.text("attribution", campaign.MaxName)
		}
	case campaign.ImageBlock:
		b.Images = []campaign.Image{m.image()}
	case campaign.GalleryBlock:
		b.Caption = m.text("caption", campaign.MaxDescription)
		m.each("images", campaign.MaxGallery, func(i *mapping) {
			b.Images = append(b.Images, i.image())
			i.rejectUnknownKeys()
		})
		if !m.has("images") {
			m.failKey("images", "is missing: list the images, each with src and alt")
		}
	case campaign.VideoBlock, campaign.AudioBlock:
		b.Src = m.source("src", safety.Media)
		m.recordReference("src", b.Src, false)
		b.Title, b.Caption = m.text("title", campaign.MaxName), m.text("caption", campaign.MaxDescription)
		if b.Type == campaign.VideoBlock {
			b.Poster = m.media("poster")
		}
	case campaign.EmbedBlock:
		b.URL = m.source("url", func(s string) error { _, err := safety.Embed(s); return err })
		b.Title, b.Caption = m.text("title", campaign.MaxName), m.text("caption", campaign.MaxDescription)
	case campaign.DividerBlock:
	}
	return b
}

// source reads a required address and checks it.
func (m *mapping) source(key string, check func(string) error) string {
	s := m.address(key, check)
	if s == "" {
		m.failKey(key, "is missing")
	}
	return s
}

// image reads an image. Its alt text is required; an explicitly empty one marks the
// image as decorative.
func (m *mapping) image() campaign.Image {
	i := campaign.Image{Src: m.source("src", safety.Media), Alt: m.text("alt", campaign.MaxDescription),
		Caption: m.text("caption", campaign.MaxDescription)}
	m.recordReference("src", i.Src, false)
	if !m.has("alt") {
		m.failKey("alt", `is missing: describe the image, or write alt: "" if it is decorative`)
	}
	return i
}

func (m *mapping) diary() []campaign.DiaryEntry {
	var entries []campaign.DiaryEntry
	taken := map[string]bool{}
	m.each("diary", campaign.MaxList, func(d *mapping) {
		e := campaign.DiaryEntry{
			Title: d.name("title", campaign.MaxName), Date: d.moment("date"),
			Phase: d.choice("phase", append([]string{""}, campaign.Phases()...)...),
		}
		if e.Date.IsZero() && !d.isRejected("date") {
			d.failKey("date", "is missing: write a date such as 2026-03-01")
		}
		e.ID = d.id("id", diaryID(e.Date.String(), e.Title), taken)
		if campaign.Reserved(e.ID) {
			d.failKey("id", "is reserved for another part of the page: choose another")
		}
		e.Content = slices.Concat(d.blocks("content"), d.blocks("body"))
		if d.has("content") && d.has("body") {
			d.failKey("body", "cannot be combined with content: keep one of them")
		}
		d.rejectUnknownKeys()
		entries = append(entries, e)
	})
	slices.SortStableFunc(entries, func(a, b campaign.DiaryEntry) int { return b.Date.Compare(a.Date) })
	return entries
}

// diaryID derives an entry's ID from its day and title, because titles such as "News" repeat.
func diaryID(date, title string) string { return campaign.Slug(fmt.Sprintf("%.10s %s", date, title)) }

func (m *mapping) decisions() []campaign.Decision {
	var list []campaign.Decision
	taken := map[string]bool{}
	m.each("decisions", campaign.MaxList, func(d *mapping) {
		decision := campaign.Decision{
			Title: d.name("title", campaign.MaxDescription), Deadline: d.moment("deadline"),
			Type:     campaign.DecisionType(d.choice("type", string(campaign.Vote), string(campaign.Poll))),
			Eligible: campaign.Eligibility(d.choice("eligible", string(campaign.Supporters), string(campaign.Charged))),
			Options:  d.options(),
		}
		decision.ID = d.id("id", decision.Title, taken)
		d.warnDerived("status")
		d.rejectUnknownKeys()
		list = append(list, decision)
	})
	return list
}

// options reads the answers of a decision. Each is a text, or a label with an image.
func (m *mapping) options() []campaign.Option {
	var list []campaign.Option
	seen := map[string]bool{}
	for i, n := range m.list("options", campaign.MaxOptions) {
		o := m.option(follow(n), i)
		if o.Label != "" && seen[o.Label] {
			m.fail(n.Line, m.field("options"), "contains the same answer twice")
		}
		seen[o.Label] = true
		list = append(list, o)
	}
	if n := m.get("options"); n == nil || len(n.Content) < 2 {
		m.failKey("options", "write at least two answers")
	}
	return list
}

func (m *mapping) option(n *yaml.Node, i int) campaign.Option {
	field := fmt.Sprintf("%s[%d]", m.field("options"), i)
	if n.Kind == yaml.MappingNode {
		o := m.reader.mapping(n, field)
		option := campaign.Option{Label: o.name("label", campaign.MaxOption), Image: o.media("image")}
		o.rejectUnknownKeys()
		return option
	}
	if n.Style == 0 {
		m.warnOfComment(n.Line, field, n.LineComment)
	}
	label, err := safety.Plain(n.Value, campaign.MaxOption)
	if err != nil || n.Kind != yaml.ScalarNode || label == "" {
		m.fail(n.Line, field, "write an answer as plain text of at most %d characters", campaign.MaxOption)
	}
	return campaign.Option{Label: label}
}
