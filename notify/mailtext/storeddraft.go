package mailtext

import (
	"encoding/json"
	"errors"
)

// storedDraft is a draft as it is stored in the outbox. The HTML, which is many times as long,
// is rendered when the mail is sent.
type storedDraft struct {
	Lang     string        `json:"lang"`
	Platform Platform      `json:"platform"`
	Subject  string        `json:"subject"`
	Title    string        `json:"title,omitempty"`
	Preview  string        `json:"preview,omitempty"`
	Blocks   []storedBlock `json:"blocks"`
	Footer   []storedBlock `json:"footer"`
}

// storedBlock is a block; exactly one field is set.
type storedBlock struct {
	Group     *[]storedBlock `json:"group,omitempty"`
	Paragraph *paragraph     `json:"paragraph,omitempty"`
	Heading   *heading       `json:"heading,omitempty"`
	Small     *small         `json:"small,omitempty"`
	Bill      *bill          `json:"bill,omitempty"`
	Facts     *facts         `json:"facts,omitempty"`
	Box       *box           `json:"box,omitempty"`
	Action    *action        `json:"action,omitempty"`
	Aside     *aside         `json:"aside,omitempty"`
	List      *storedList    `json:"list,omitempty"`
	Quote     *[]storedBlock `json:"quote,omitempty"`
	Picture   *picture       `json:"picture,omitempty"`
	Divider   *divider       `json:"divider,omitempty"`
}

type storedList struct {
	Ordered bool            `json:"ordered,omitempty"`
	Skipped int             `json:"skipped,omitempty"` // start number minus 1
	Items   [][]storedBlock `json:"items"`
}

// RenderHTML renders the HTML of a draft that the outbox stored. It fails if the draft is not valid
// JSON, or if it contains a block of a newer release that this release does not support.
func RenderHTML(stored json.RawMessage) (string, error) {
	var s storedDraft
	if err := json.Unmarshal(stored, &s); err != nil {
		return "", err
	}
	d, err := s.draft()
	if err != nil {
		return "", err
	}
	return d.html(), nil
}

// encode encodes the draft for storage. It returns nil if that fails; the outbox then stores the
// HTML instead.
func (d draft) encode() json.RawMessage {
	encoded, err := json.Marshal(d.store())
	if err != nil {
		return nil
	}
	return encoded
}

// store converts the draft for storage.
func (d draft) store() *storedDraft {
	return &storedDraft{d.Code(), d.Platform, d.subject, d.headline, d.preview,
		storeBlocks(d.blocks), storeBlocks(d.footer)}
}

// draft restores the draft. It fails if a newer release stored a block that this release does not
// support.
func (k *storedDraft) draft() (draft, error) {
	blocks, err := loadBlocks(k.Blocks)
	if err != nil {
		return draft{}, err
	}
	footer, err := loadBlocks(k.Footer)
	return draft{language: languageFor(k.Lang), Platform: k.Platform, subject: k.Subject, headline: k.Title,
		preview: k.Preview, blocks: blocks, footer: footer}, err
}

func storeBlocks(g group) []storedBlock {
	all := make([]storedBlock, 0, len(g))
	for _, b := range g {
		all = append(all, storeBlock(b))
	}
	return all
}

func loadBlocks(parts []storedBlock) (group, error) {
	all := make(group, 0, len(parts))
	for _, p := range parts {
		b, err := p.block()
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

func storeBlock(b block) storedBlock {
	switch b := b.(type) {
	case group:
		parts := storeBlocks(b)
		return storedBlock{Group: &parts}
	case paragraph:
		b = append(paragraph{}, b...) // encode an empty paragraph as [], not null
		return storedBlock{Paragraph: &b}
	case heading:
		b = append(heading{}, b...)
		return storedBlock{Heading: &b}
	case small:
		return storedBlock{Small: &b}
	case bill:
		return storedBlock{Bill: &b}
	case facts:
		return storedBlock{Facts: &b}
	case box:
		return storedBlock{Box: &b}
	case action:
		return storedBlock{Action: &b}
	case aside:
		return storedBlock{Aside: &b}
	case list:
		l := storedList{Ordered: b.ordered, Skipped: b.skipped}
		for _, item := range b.items {
			l.Items = append(l.Items, storeBlocks(item))
		}
		return storedBlock{List: &l}
	case quote:
		parts := storeBlocks(group(b))
		return storedBlock{Quote: &parts}
	case picture:
		return storedBlock{Picture: &b}
	case divider:
		return storedBlock{Divider: &b}
	}
	return storedBlock{}
}

func (p storedBlock) block() (block, error) {
	switch {
	case p.Group != nil:
		return loadBlocks(*p.Group)
	case p.Paragraph != nil:
		return *p.Paragraph, nil
	case p.Heading != nil:
		return *p.Heading, nil
	case p.Small != nil:
		return *p.Small, nil
	case p.Bill != nil:
		return *p.Bill, nil
	case p.Facts != nil:
		return *p.Facts, nil
	case p.Box != nil:
		return *p.Box, nil
	case p.Action != nil:
		return *p.Action, nil
	case p.Aside != nil:
		return *p.Aside, nil
	case p.List != nil:
		return p.List.block()
	case p.Quote != nil:
		g, err := loadBlocks(*p.Quote)
		return quote(g), err
	case p.Picture != nil:
		return *p.Picture, nil
	case p.Divider != nil:
		return *p.Divider, nil
	}
	return nil, errors.New("mailtext: unknown block in a stored draft")
}

func (i storedList) block() (block, error) {
	l := list{ordered: i.Ordered, skipped: i.Skipped}
	for _, item := range i.Items {
		g, err := loadBlocks(item)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, g)
	}
	return l, nil
}
