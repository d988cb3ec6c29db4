package mailtext

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// markdown converts Markdown into blocks. Images that are not the site's own are dropped.
func (s site) markdown(text string) group {
	doc := richtext.Parse(text)
	return markdownConverter{s, doc}.blocks(doc.Root)
}

// markdownConverter converts the nodes of a Markdown document into blocks.
type markdownConverter struct {
	site
	doc *richtext.Document
}

func (t markdownConverter) blocks(parent ast.Node) group {
	var all group
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		all = append(all, t.block(n)...)
	}
	return all
}

func (t markdownConverter) block(n ast.Node) group {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return t.paragraph(n)
	case *ast.Heading:
		return nonEmpty(heading(t.spans(n)))
	case *ast.List:
		return t.list(n)
	case *ast.Blockquote:
		return nonEmpty(quote(t.blocks(n)))
	case *ast.ThematicBreak:
		return group{divider{}}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return nonEmpty(paragraph{{Words: strings.TrimRight(t.doc.Code(n), "\n"), Code: true}})
	case *extension.TableHeader, *extension.TableRow:
		return nonEmpty(paragraph(t.row(n)))
	}
	return t.blocks(n) // a table
}

// paragraph returns a paragraph followed by its images. A paragraph that consists of a video's
// URL becomes a button.
func (t markdownConverter) paragraph(n ast.Node) group {
	spans := t.spans(n)
	if p := plainSpans(spans); len(spans) > 0 && p == spans[0].Link {
		if _, err := safety.Embed(p); err == nil {
			return group{action{Label: t.Format("watch"), Link: p}}
		}
	}
	return append(nonEmpty(paragraph(spans)), t.pictures(n)...)
}

func (t markdownConverter) pictures(parent ast.Node) group {
	var all group
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if image, ok := n.(*ast.Image); ok {
			all = append(all, t.image(string(image.Destination), singleLine(t.doc.Words(image)))...)
		} else {
			all = append(all, t.pictures(n)...)
		}
	}
	return all
}

func (t markdownConverter) list(n *ast.List) group {
	l := list{ordered: n.IsOrdered()}
	if l.ordered {
		l.skipped = n.Start - 1
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if content := t.blocks(item); content.text() != "" {
			l.items = append(l.items, content)
		}
	}
	return nonEmpty(l)
}

// row returns a table row as one line.
func (t markdownConverter) row(n ast.Node) []span {
	var all []span
	for cell := n.FirstChild(); cell != nil; cell = cell.NextSibling() {
		if cell.PreviousSibling() != nil {
			all = append(all, span{Words: " · "})
		}
		all = append(all, t.spans(cell)...)
	}
	return all
}

// spans returns the text runs below a node.
func (t markdownConverter) spans(n ast.Node) []span {
	r := spanCollector{markdownConverter: t}
	r.children(n, span{})
	return r.all
}

// spanCollector collects the text runs below a node. It counts open HTML tags, which style the
// nodes that follow.
type spanCollector struct {
	markdownConverter
	all  []span
	open struct{ strong, em, under int } // open HTML tags
}

func (r *spanCollector) children(n ast.Node, style span) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.node(c, style)
	}
}

func (r *spanCollector) node(n ast.Node, style span) {
	switch n := n.(type) {
	case *ast.Text:
		r.text(n, style)
		return
	case *ast.String:
		r.add(singleLine(string(n.Value)), style)
		return
	case *ast.AutoLink:
		style.Link = r.absolute(r.doc.Target(n))
		r.add(singleLine(r.doc.Label(n)), style)
		return
	case *ast.RawHTML:
		r.tag(n)
		return
	case *ast.Image: // added after its paragraph
		return
	case *ast.CodeSpan:
		style.Code = true
	case *ast.Emphasis:
		style.Strong = style.Strong || n.Level == 2
		style.Em = style.Em || n.Level == 1
	case *ast.Link:
		style.Link = r.absolute(string(n.Destination))
	case *extension.Strikethrough:
		style.Strike = true
	}
	r.children(n, style)
}

func (r *spanCollector) text(n *ast.Text, style span) {
	r.add(singleLine(r.doc.Text(n)), style)
	if n.HardLineBreak() {
		r.add("\n", style)
	} else if n.SoftLineBreak() {
		r.add(" ", style)
	}
}

func (r *spanCollector) tag(n *ast.RawHTML) {
	step := 1
	if r.doc.Closes(n) {
		step = -1
	}
	switch r.doc.Tag(n) {
	case "br":
		r.add("\n", span{})
	case "strong", "b":
		r.open.strong += step
	case "em", "i":
		r.open.em += step
	case "u":
		r.open.under += step
	}
}

// singleLine returns the text on one line, without control characters and bidirectional
// marks.
func singleLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

func (r *spanCollector) add(words string, style span) {
	style.Strong = style.Strong || r.open.strong > 0
	style.Em = style.Em || r.open.em > 0
	style.Under = style.Under || r.open.under > 0
	if style.Words = words; words != "" {
		r.all = append(r.all, style)
	}
}
