package richtext

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Check returns a text without control characters and without blank lines around it.
//
// It fails with code Invalid for HTML other than the six tags, for unsafe links and images, and for
// images without alternative text. It also fails with Invalid for text of more than limit
// characters, and for text that would render as a very large page.
func Check(s string, limit int) (string, error) {
	s, err := safety.Text(s, limit)
	if err != nil {
		return "", err
	}
	if isDeep(s) {
		return "", fault.New(fault.Invalid, "is nested too deeply: use at most 31 levels of lists and quotes")
	}
	if cells(s) > maxCells {
		return "", fault.New(fault.Invalid, "contains a table with too many cells: use fewer columns or lines")
	}
	return s, Parse(s).fault
}

// isDeep reports whether a line begins with 32 nested lists and quotes. Thematic breaks such as
// "- - -" do not count.
func isDeep(s string) bool {
	for _, line := range nesting.FindAllString(s, -1) {
		if strings.Trim(line, "-*_ \t") != "" {
			return true
		}
	}
	return false
}

const (
	// maxCells is the maximum number of table cells. Short rows count as full rows, because they
	// are padded.
	maxCells = 20_000
	// maxTargets is the maximum total length of all rendered addresses and titles. A link
	// definition appears once in the text but can be rendered many times.
	maxTargets = 200_000
)

// cells returns an upper bound on the number of table cells: the columns of the widest
// table times the number of lines.
func cells(s string) int {
	widest := 0
	for line := range strings.SplitSeq(s, "\n") {
		if strings.Trim(line, "|-: \t>*+.)0123456789") == "" {
			widest = max(widest, strings.Count(line, "|"))
		}
	}
	return widest * strings.Count(s, "\n")
}

var (
	nesting = regexp.MustCompile(`(?m)^[ \t]*(?:>[ \t]*|[*+-][ \t]+|\d+[.)][ \t]+){32}\S.*$`)

	plainTag  = regexp.MustCompile(`^(?i:<br ?/?>|</?(?:em|strong|i|b|u)>)`)
	scriptTag = regexp.MustCompile(`^(?i:</?script)`)
	frameTag  = regexp.MustCompile(`^(?i:</?i?frame)`)
	handler   = regexp.MustCompile(`^<[^>]*[\s/"'](?i:on[a-z]+)\s*=`)
	style     = regexp.MustCompile(`^<[^>]*[\s/"'](?i:style)\s*=`)

	// likeTag matches text that browsers would parse as a tag but CommonMark does not, such as
	// "<br/onload=x>". The author most likely meant a tag.
	likeTag = regexp.MustCompile(`(?:^|[^\\])(<(?:/?[A-Za-z][A-Za-z0-9-]*(?:[\s/][^<>]*)?|[!?][^<>]*)>)`)
)

// refuse records the first reason for which Check rejects the text.
func (d *Document) refuse(err error) {
	if d.fault == nil {
		d.fault = err
	}
}

// checkDefinitions checks all link definitions, because the tree contains only those in use.
func (d *Document) checkDefinitions(all []parser.Reference) {
	for _, r := range all {
		if err := safety.MarkdownLink(decode(r.Destination())); err != nil {
			d.refuse(err)
		}
	}
}

// removeRejected checks the nodes below a parent and removes those that are rejected, except for
// the text of links.
func (d *Document) removeRejected(parent ast.Node) {
	for c := parent.FirstChild(); c != nil; {
		next := c.NextSibling()
		d.removeRejected(c)
		if err := d.check(c); err != nil {
			d.refuse(err)
			d.remove(c)
		}
		c = next
	}
	d.checkText(parent)
	d.removeUnpaired(parent)
}

// check checks one node and decodes its destination.
func (d *Document) check(n ast.Node) error {
	switch n := n.(type) {
	case *ast.HTMLBlock:
		return badTag(n.Lines().Value(d.source))
	case *ast.RawHTML:
		if tag := n.Segments.Value(d.source); !plainTag.Match(tag) {
			return badTag(tag)
		}
	case *ast.Link:
		n.Destination = []byte(decode(n.Destination))
		return cmp.Or(safety.MarkdownLink(string(n.Destination)), d.countTarget(len(n.Destination)+len(n.Title)))
	case *ast.AutoLink:
		return safety.MarkdownLink(d.Target(n))
	case *ast.Image:
		return d.checkImage(n)
	case *ast.Text:
		d.trimBefore(n)
	}
	return nil
}

// checkText rejects text that looks like a tag. It joins the text nodes directly below a node,
// because goldmark splits text at punctuation. It does not remove such text, which is harmless.
func (d *Document) checkText(parent ast.Node) {
	var b bytes.Buffer
	for c := parent.FirstChild(); c != nil; c = c.NextSibling() {
		if n, ok := c.(*ast.Text); ok && !n.IsRaw() {
			b.Write(n.Segment.Value(d.source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte('\n')
			}
		} else {
			b.WriteByte('<') // a tag cannot span another node
		}
	}
	if m := likeTag.FindSubmatch(b.Bytes()); m != nil {
		d.refuse(badTag(m[1]))
	}
}

// trimBefore removes the spaces before a line break that goldmark's autolink parser
// left in the preceding text.
func (d *Document) trimBefore(n *ast.Text) {
	before, ok := n.PreviousSibling().(*ast.Text)
	if ok && n.Segment.IsEmpty() && (n.SoftLineBreak() || n.HardLineBreak()) {
		before.Segment = before.Segment.TrimRightSpace(d.source)
	}
}

func (d *Document) checkImage(n *ast.Image) error {
	n.Destination = []byte(decode(n.Destination))
	if strings.TrimSpace(d.Words(n)) == "" {
		d.refuse(fault.New(fault.Invalid, "contains an image without alternative text: write ![what it shows](address)"))
	}
	return cmp.Or(safety.Media(string(n.Destination)), d.countTarget(len(n.Destination)+len(n.Title)))
}

// countTarget adds to the total length of addresses and titles. It fails if the total exceeds
// maxTargets.
func (d *Document) countTarget(length int) error {
	if d.targets += length; d.targets > maxTargets {
		return fault.New(fault.Invalid, "links to long addresses too often: use fewer links")
	}
	return nil
}

// remove removes a node from the tree, except for the text of a link.
func (d *Document) remove(n ast.Node) {
	parent := n.Parent()
	switch n := n.(type) {
	case *ast.Link:
		for c := n.FirstChild(); c != nil; c = n.FirstChild() {
			parent.InsertBefore(parent, n, c)
		}
	case *ast.AutoLink:
		words := ast.NewString(n.Label(d.source))
		words.SetRaw(true)
		parent.InsertBefore(parent, n, words)
	}
	parent.RemoveChild(parent, n)
}

// removeUnpaired removes tags without a counterpart among their siblings, because a browser would
// apply them to the following text.
func (d *Document) removeUnpaired(parent ast.Node) {
	var open []*ast.RawHTML
	for c := parent.FirstChild(); c != nil; {
		next := c.NextSibling()
		if tag, ok := c.(*ast.RawHTML); ok && d.Tag(tag) != "br" {
			if !d.Closes(tag) {
				open = append(open, tag)
			} else if last := len(open) - 1; last >= 0 && d.Tag(open[last]) == d.Tag(tag) {
				open = open[:last]
			} else {
				name := d.Tag(tag)
				d.refuse(fault.New(fault.Invalid, "closes <%s> where it is not open: remove </%s>", name, name))
				parent.RemoveChild(parent, tag)
			}
		}
		c = next
	}
	for _, tag := range open {
		name := d.Tag(tag)
		d.refuse(fault.New(fault.Invalid, "leaves <%s> open: write </%s> in the same paragraph", name, name))
		parent.RemoveChild(parent, tag)
	}
}

// badTag returns the reason why HTML is rejected.
func badTag(tag []byte) error {
	tag = bytes.TrimSpace(tag)
	switch {
	case scriptTag.Match(tag):
		return fault.New(fault.Invalid, "contains a script: remove it")
	case frameTag.Match(tag):
		return fault.New(fault.Invalid, "contains a frame: use a block of type embed")
	case handler.Match(tag):
		return fault.New(fault.Invalid, "contains an event handler: remove it")
	case style.Match(tag):
		return fault.New(fault.Invalid, "contains an inline style: remove it")
	}
	return fault.New(fault.Invalid,
		"contains HTML: only <br>, <em>, <strong>, <i>, <b> and <u> are allowed, without attributes; write links as [text](address), and HTML as code")
}
