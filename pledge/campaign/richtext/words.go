package richtext

import (
	"bytes"
	"html"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	renderer "github.com/yuin/goldmark/renderer/html"
)

// decode resolves backslash escapes and entities that end with a semicolon. It removes
// control characters and direction marks.
func decode(raw []byte) string {
	var b buffer
	renderer.DefaultWriter.Write(&b, raw)
	// In the writer's output, "&" only begins entities of characters that it escaped.
	return strings.Map(dropInvisible, html.UnescapeString(b.String()))
}

// buffer implements the writer interface of goldmark.
type buffer struct{ bytes.Buffer }

func (*buffer) Buffered() int { return 0 }
func (*buffer) Flush() error  { return nil }

func dropInvisible(r rune) rune {
	if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return -1
	}
	return r
}

// Text returns the decoded text of a node. It does not include the line break that may follow.
func (d *Document) Text(n *ast.Text) string {
	if n.IsRaw() {
		return string(n.Segment.Value(d.source))
	}
	return decode(n.Segment.Value(d.source))
}

// Words returns the text below a node without formatting, on one line.
func (d *Document) Words(parent ast.Node) string {
	var b strings.Builder
	walk(parent, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(strings.ReplaceAll(d.Text(n), "\n", " "))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(d.source))
		}
	})
	return b.String()
}

// Code returns the lines of a code block.
func (d *Document) Code(block ast.Node) string { return string(block.Lines().Value(d.source)) }

// Label returns the visible text of an automatic link.
func (d *Document) Label(n *ast.AutoLink) string { return string(n.Label(d.source)) }

// Target returns the address of an automatic link.
func (d *Document) Target(n *ast.AutoLink) string {
	target := string(n.URL(d.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(target), "mailto:") {
		return "mailto:" + target
	}
	return target
}

// Tag returns the name of a tag in lower case, such as "b" for "</B>".
func (d *Document) Tag(n *ast.RawHTML) string {
	return strings.ToLower(strings.Trim(string(n.Segments.Value(d.source)), "</ >"))
}

// Closes reports whether a tag is an end tag.
func (d *Document) Closes(n *ast.RawHTML) bool {
	return bytes.HasPrefix(n.Segments.Value(d.source), []byte("</"))
}
