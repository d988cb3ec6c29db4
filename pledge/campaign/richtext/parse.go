package richtext

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A Document is a parsed text.
type Document struct {
	// Root is the tree. Its links and images have decoded, safe destinations. A RawHTML
	// node is one of the six tags and has its counterpart among its siblings.
	Root ast.Node

	source []byte
	fault  error // the first reason for which Check rejects the text
	// targets is the total length of addresses and titles in bytes.
	targets int
}

// Parse parses a text and removes everything that Check rejects from its tree.
func Parse(s string) *Document {
	d := &Document{source: []byte(s)}
	pc := parser.NewContext()
	d.Root = dialect.Parse(text.NewReader(d.source), parser.WithContext(pc))
	d.checkDefinitions(pc.References())
	d.removeRejected(d.Root)
	return d
}

var (
	// bareURL matches an address without characters that safety.Link rejects, and without quotation
	// marks, which may enclose it.
	bareURL = regexp.MustCompile("^https?://[\\pL\\pN][^\\s<>\"\\\\`{}|^“”„‘’«»]*")
	// never matches nothing.
	never = regexp.MustCompile(`^[^\s\S]`)
)

// dialect is goldmark's CommonMark parser with this package's extensions. It does not parse one of
// the six tags at the beginning of a line as an HTML block, in which Markdown would not work.
var dialect = parser.NewParser(
	parser.WithBlockParsers(blockParsers()...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(
			extension.WithLinkifyAllowedProtocols([]string{"http://", "https://"}),
			extension.WithLinkifyURLRegexp(bareURL),
			extension.WithLinkifyWWWRegexp(never),
			extension.WithLinkifyEmailRegexp(never),
		), 999),
	)...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
	parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
)

func blockParsers() []util.PrioritizedValue {
	all := parser.DefaultBlockParsers()
	for i, p := range all {
		if html, ok := p.Value.(parser.BlockParser); ok && string(html.Trigger()) == "<" {
			all[i].Value = blockHTML{html}
		}
	}
	return all
}

// blockHTML is goldmark's HTML block parser, except for blocks that begin with an
// allowed tag.
type blockHTML struct{ parser.BlockParser }

func (b blockHTML) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	if plainTag.Match(util.TrimLeftSpace(line)) {
		return nil, parser.NoChildren
	}
	return b.BlockParser.Open(parent, reader, pc)
}

// Images returns the addresses of a text's images, without those that Check rejects.
func Images(s string) []string {
	var found []string
	walk(Parse(s).Root, func(n ast.Node) {
		if image, ok := n.(*ast.Image); ok {
			found = append(found, string(image.Destination))
		}
	})
	return found
}

// Anchors returns the anchors that a text links to on its page, such as "rewards" for
// "#rewards".
func Anchors(s string) []string {
	var found []string
	walk(Parse(s).Root, func(n ast.Node) {
		if link, ok := n.(*ast.Link); ok && strings.HasPrefix(string(link.Destination), "#") {
			found = append(found, string(link.Destination[1:]))
		}
	})
	return found
}

// walk calls visit for a node and every node below it, parents first.
func walk(n ast.Node, visit func(ast.Node)) {
	visit(n)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		walk(c, visit)
	}
}
