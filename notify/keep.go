package notify

import "errors"

// keptDraft is a draft as it is stored in the outbox. The HTML, which is many times as long,
// is rendered when the mail is sent.
type keptDraft struct {
	Lang     string   `json:"lang"`
	Platform Platform `json:"platform"`
	Subject  string   `json:"subject"`
	Preview  string   `json:"preview,omitempty"`
	Blocks   []part   `json:"blocks"`
	Footer   []part   `json:"footer"`
}

// part is a block; exactly one field is set.
type part struct {
	Group     *[]part    `json:"group,omitempty"`
	Paragraph *paragraph `json:"paragraph,omitempty"`
	Heading   *heading   `json:"heading,omitempty"`
	Small     *small     `json:"small,omitempty"`
	Bill      *bill      `json:"bill,omitempty"`
	Action    *action    `json:"action,omitempty"`
	Aside     *aside     `json:"aside,omitempty"`
	List      *items     `json:"list,omitempty"`
	Quote     *[]part    `json:"quote,omitempty"`
	Picture   *picture   `json:"picture,omitempty"`
	Divider   *divider   `json:"divider,omitempty"`
}

type items struct {
	Ordered bool     `json:"ordered,omitempty"`
	Skipped int      `json:"skipped,omitempty"` // start number minus 1
	Items   [][]part `json:"items"`
}

func (d draft) keep() *keptDraft {
	return &keptDraft{d.code, d.Platform, d.subject, d.preview, partsOf(d.blocks), partsOf(d.footer)}
}

// draft fails if a newer release stored a block that this one does not know.
func (k *keptDraft) draft() (draft, error) {
	blocks, err := blocksOf(k.Blocks)
	if err != nil {
		return draft{}, err
	}
	footer, err := blocksOf(k.Footer)
	return draft{words: wordsOf(k.Lang), Platform: k.Platform, subject: k.Subject, preview: k.Preview, blocks: blocks, footer: footer}, err
}

func partsOf(g group) []part {
	all := make([]part, 0, len(g))
	for _, b := range g {
		all = append(all, partOf(b))
	}
	return all
}

func blocksOf(parts []part) (group, error) {
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

func partOf(b block) part {
	switch b := b.(type) {
	case group:
		parts := partsOf(b)
		return part{Group: &parts}
	case paragraph:
		b = append(paragraph{}, b...) // encode an empty paragraph as [], not null
		return part{Paragraph: &b}
	case heading:
		b = append(heading{}, b...)
		return part{Heading: &b}
	case small:
		return part{Small: &b}
	case bill:
		return part{Bill: &b}
	case action:
		return part{Action: &b}
	case aside:
		return part{Aside: &b}
	case list:
		l := items{Ordered: b.ordered, Skipped: b.skipped}
		for _, item := range b.items {
			l.Items = append(l.Items, partsOf(item))
		}
		return part{List: &l}
	case quote:
		parts := partsOf(group(b))
		return part{Quote: &parts}
	case picture:
		return part{Picture: &b}
	case divider:
		return part{Divider: &b}
	}
	return part{}
}

func (p part) block() (block, error) {
	switch {
	case p.Group != nil:
		return blocksOf(*p.Group)
	case p.Paragraph != nil:
		return *p.Paragraph, nil
	case p.Heading != nil:
		return *p.Heading, nil
	case p.Small != nil:
		return *p.Small, nil
	case p.Bill != nil:
		return *p.Bill, nil
	case p.Action != nil:
		return *p.Action, nil
	case p.Aside != nil:
		return *p.Aside, nil
	case p.List != nil:
		return p.List.block()
	case p.Quote != nil:
		g, err := blocksOf(*p.Quote)
		return quote(g), err
	case p.Picture != nil:
		return *p.Picture, nil
	case p.Divider != nil:
		return *p.Divider, nil
	}
	return nil, errors.New("notify: a block of an unknown kind")
}

func (i items) block() (block, error) {
	l := list{ordered: i.Ordered, skipped: i.Skipped}
	for _, item := range i.Items {
		g, err := blocksOf(item)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, g)
	}
	return l, nil
}
