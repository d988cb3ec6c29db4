package notify

import (
	"html"
	"strings"
	"unicode"

	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/parser"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// markdown turns rich text into blocks, in the dialect of the site's pages. What a mail
// does not have is left out: HTML but the plain tags, pictures that are not the site's own,
// and links to anything but pages and mailboxes.
func (s site) markdown(text string) group {
	return s.nodes(parser.NewWithExtensions(safety.Extensions).Parse([]byte(text)))
}

// nodes are the blocks below a node.
func (s site) nodes(parent ast.Node) group {
	var all group
	for _, n := range parent.GetChildren() {
		all = append(all, s.node(n)...)
	}
	return all
}

func (s site) node(n ast.Node) group {
	switch n := n.(type) {
	case *ast.Paragraph:
		return s.paragraph(n)
	case *ast.Heading:
		return saying(heading(s.spans(n)))
	case *ast.List:
		return s.list(n)
	case *ast.BlockQuote:
		return saying(quote(s.nodes(n)))
	case *ast.HorizontalRule:
		return group{divider{}}
	case *ast.CodeBlock:
		return saying(paragraph{{Words: strings.TrimRight(string(n.Literal), "\n"), Code: true}})
	case *ast.TableRow:
		return saying(paragraph(s.row(n)))
	case *ast.HTMLBlock:
		return nil
	}
	return s.nodes(n) // the parts of a table
}

// paragraph is one with its pictures behind it; one that is an address of a film alone
// becomes a button.
func (s site) paragraph(n *ast.Paragraph) group {
	spans := s.spans(n)
	if p := plainSpans(spans); len(spans) > 0 && p == spans[0].Link {
		if _, err := safety.Embed(p); err == nil {
			return group{action{Label: s.say("watch"), Link: p}}
		}
	}
	all := saying(paragraph(spans))
	ast.WalkFunc(n, func(n ast.Node, entering bool) ast.WalkStatus {
		if image, ok := n.(*ast.Image); ok && entering {
			all = append(all, s.picture(string(image.Destination), plainSpans(s.spans(image)))...)
		}
		return ast.GoToNext
	})
	return all
}

func (s site) list(n *ast.List) group {
	l := list{ordered: n.ListFlags&ast.ListTypeOrdered != 0}
	for _, item := range n.Children {
		if content := s.nodes(item); content.text() != "" {
			l.items = append(l.items, content)
		}
	}
	return saying(l)
}

// row is a table's row as a line.
func (s site) row(n *ast.TableRow) []span {
	var all []span
	for i, cell := range n.Children {
		if i > 0 {
			all = append(all, span{Words: " · "})
		}
		all = append(all, s.spans(cell)...)
	}
	return all
}

// spans are the runs of text below a node.
func (s site) spans(n ast.Node) []span {
	r := runs{site: s}
	r.below(n, span{})
	return r.all
}

// runs gathers spans. Tags change the style of what follows them.
type runs struct {
	site
	all    []span
	strong int // tags that are open
	em     int
}

func (r *runs) below(n ast.Node, style span) {
	for _, child := range n.GetChildren() {
		r.node(child, style)
	}
}

func (r *runs) node(n ast.Node, style span) {
	switch n := n.(type) {
	case *ast.Text:
		r.add(unbroken(html.UnescapeString(string(n.Literal))), style)
	case *ast.Code:
		style.Code = true
		r.add(unbroken(string(n.Literal)), style)
	case *ast.Softbreak, *ast.NonBlockingSpace:
		r.add(" ", style)
	case *ast.Hardbreak:
		r.add("\n", style)
	case *ast.Strong:
		style.Strong = true
		r.below(n, style)
	case *ast.Emph:
		style.Em = true
		r.below(n, style)
	case *ast.Link:
		style.Link = r.link(string(n.Destination))
		r.below(n, style)
	case *ast.HTMLSpan:
		r.tag(strings.ToLower(string(n.Literal)))
	case *ast.Image: // stands behind its paragraph
	default:
		r.below(n, style)
	}
}

// link is an address that a mail may lead to, or "".
func (r *runs) link(destination string) string {
	if safety.MarkdownLink(destination) != nil {
		return ""
	}
	return r.absolute(destination)
}

func (r *runs) tag(tag string) {
	switch strings.Trim(tag, "< />") {
	case "br":
		r.add("\n", span{})
	case "strong", "b":
		r.strong += step(tag)
	case "em", "i":
		r.em += step(tag)
	}
}

func step(tag string) int {
	if strings.HasPrefix(tag, "</") {
		return -1
	}
	return 1
}

// unbroken is a text in one line, without what an entity may have hidden: control
// characters, and marks that turn its direction.
func unbroken(s string) string {
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

func (r *runs) add(words string, style span) {
	style.Strong = style.Strong || r.strong > 0
	style.Em = style.Em || r.em > 0
	if style.Words = words; words != "" {
		r.all = append(r.all, style)
	}
}
