package safety

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/parser"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Extensions is the dialect of Markdown that rich text is written in.
const Extensions = parser.NoIntraEmphasis | parser.Tables | parser.FencedCode | parser.Autolink |
	parser.Strikethrough | parser.SpaceHeadings | parser.BackslashLineBreak | parser.NoEmptyLineBeforeBlock

var (
	// What costs a parser more than its length is worth: deep nesting, and very
	// many brackets or rules.
	nesting = regexp.MustCompile(`(?m)^[ \t]*(?:[>*+-][ \t]*|\d+[.)][ \t]+){32}\S`)
	rule    = regexp.MustCompile(`(?m)^[ \t]*[*_-][ \t*_-]*$`)
	// Destinations as any dialect writes them, for what this one does not take
	// as a link.
	inline     = regexp.MustCompile(`\]\(\s*<?([^)\s>]*)`)
	definition = regexp.MustCompile(`(?m)^[ \t>]*\[[^\]\n]+\]:\s*<?([^\s>]*)`)
	scheme     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
)

func checkMarkdown(s string) error {
	if nesting.MatchString(s) || strings.Count(s, "[") > 500 || len(rule.FindAllStringIndex(s, 101)) > 100 {
		return fault.New(fault.Invalid, "is nested too deeply, or holds too many links or rules")
	}
	for _, pattern := range []*regexp.Regexp{inline, definition} {
		for _, m := range pattern.FindAllStringSubmatch(s, -1) {
			if err := checkWritten(m[1]); err != nil {
				return err
			}
		}
	}
	var found error
	doc := parser.NewWithExtensions(Extensions).Parse([]byte(s))
	ast.WalkFunc(doc, func(n ast.Node, entering bool) ast.WalkStatus {
		if entering {
			found = checkNode(n)
		}
		if found != nil {
			return ast.Terminate
		}
		return ast.GoToNext
	})
	return found
}

func checkNode(n ast.Node) error {
	switch n := n.(type) {
	case *ast.Link:
		return MarkdownLink(string(n.Destination))
	case *ast.Image:
		if !hasText(n) {
			return fault.New(fault.Invalid, "holds an image without alternative text: write ![what it shows](address)")
		}
		return Media(string(n.Destination))
	case *ast.HTMLBlock:
		return checkTags(string(n.Literal))
	case *ast.HTMLSpan:
		return checkTags(string(n.Literal))
	}
	return checkPairs(n)
}

// checkPairs refuses a tag that does not end in the part of the text in which it
// begins: a browser would carry it on over what follows.
func checkPairs(n ast.Node) error {
	var open []string
	for _, child := range n.GetChildren() {
		span, ok := child.(*ast.HTMLSpan)
		if !ok {
			continue
		}
		switch name := strings.ToLower(strings.Trim(string(span.Literal), "</ >")); {
		case name == "br":
		case !bytes.HasPrefix(span.Literal, []byte("</")):
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			return fault.New(fault.Invalid, "closes <%s> where it is not open: remove </%s>", name, name)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fault.New(fault.Invalid, "leaves <%s> open: write </%s> in the same paragraph", open[0], open[0])
	}
	return nil
}

func hasText(n ast.Node) bool {
	found := false
	ast.WalkFunc(n, func(n ast.Node, _ bool) ast.WalkStatus {
		if leaf := n.AsLeaf(); leaf != nil && len(bytes.TrimSpace(leaf.Literal)) > 0 {
			found = true
		}
		return ast.GoToNext
	})
	return found
}

// checkWritten refuses the schemes and entities that no renderer may get as a
// destination, whether or not this package's parser takes it as one.
func checkWritten(destination string) error {
	if entity.MatchString(destination) {
		return badLink()
	}
	if scheme.MatchString(destination) {
		return MarkdownLink(destination)
	}
	return nil
}

// Images are the addresses of the pictures in rich text.
func Images(s string) []string {
	var found []string
	ast.WalkFunc(parser.NewWithExtensions(Extensions).Parse([]byte(s)), func(n ast.Node, entering bool) ast.WalkStatus {
		if image, ok := n.(*ast.Image); ok && entering {
			found = append(found, string(image.Destination))
		}
		return ast.GoToNext
	})
	return found
}
