package richtext

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// HTML renders a text. For the page that the text belongs to, page is "". For other places, such as
// mails, page is that page's absolute address, and the addresses of the site's links and images
// become absolute.
func HTML(s, page string) string {
	d := Parse(s)
	var b strings.Builder
	if err := rendererFor(d, page).Render(&b, d.source, d.Root); err != nil {
		return "" // cannot happen: a strings.Builder returns no errors
	}
	return b.String()
}

func rendererFor(d *Document, page string) renderer.Renderer {
	return renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(nodes{d, page}, 100),
		util.Prioritized(extension.NewTableHTMLRenderer(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute),
			extension.WithTableHTMLOptions(html.WithWriter(decodingWriter{html.DefaultWriter}))), 500),
		util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500),
		util.Prioritized(html.NewRenderer(html.WithWriter(decodingWriter{html.DefaultWriter})), 1000),
	))
}

// decodingWriter decodes text as Document.Text does.
type decodingWriter struct{ html.Writer }

func (w decodingWriter) Write(out util.BufWriter, source []byte) {
	w.RawWrite(out, []byte(decode(source)))
}

// nodes renders nodes that goldmark's renderer would decode twice or omit.
type nodes struct {
	*Document
	page string
}

func (r nodes) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindLink, r.link)
	reg.Register(ast.KindAutoLink, r.autoLink)
	reg.Register(ast.KindImage, r.image)
	reg.Register(ast.KindRawHTML, r.tag)
}

func (r nodes) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Link)
	if entering {
		r.writeLinkStart(w, string(n.Destination), n.Title)
	} else {
		write(w, "</a>")
	}
	return ast.WalkContinue, nil
}

func (r nodes) autoLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.AutoLink)
	if entering {
		r.writeLinkStart(w, r.Target(n), nil)
		write(w, escape(r.Label(n)), "</a>")
	}
	return ast.WalkContinue, nil
}

// writeLinkStart writes a link's start tag. Links to absolute addresses pass no search ranking and
// no referrer.
func (r nodes) writeLinkStart(w util.BufWriter, target string, title []byte) {
	target = absolute(target, r.page)
	write(w, `<a href="`, address(target), `"`)
	writeTitle(w, title)
	if strings.Contains(target, "://") {
		write(w, ` rel="nofollow noreferrer noopener"`)
	}
	write(w, ">")
}

func (r nodes) image(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.Image)
	write(w, `<img src="`, address(absolute(string(n.Destination), r.page)), `" alt="`, escape(r.Words(n)), `"`)
	writeTitle(w, n.Title)
	write(w, ">")
	return ast.WalkSkipChildren, nil
}

func (r nodes) tag(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		write(w, string(node.(*ast.RawHTML).Segments.Value(r.source)))
	}
	return ast.WalkSkipChildren, nil
}

func writeTitle(w util.BufWriter, title []byte) {
	if title != nil {
		write(w, ` title="`, escape(decode(title)), `"`)
	}
}

// absolute returns the absolute address of a link or image. If page is "", it returns
// target unchanged.
func absolute(target, page string) string {
	switch {
	case page == "":
		return target
	case strings.HasPrefix(target, "#"):
		return page + target
	case strings.HasPrefix(target, "/"):
		return origin(page) + target
	}
	return target
}

// origin returns the scheme and host of an absolute address.
func origin(page string) string {
	_, rest, _ := strings.Cut(page, "://")
	path := strings.IndexByte(rest, '/')
	if path < 0 {
		return page
	}
	return page[:len(page)-len(rest)+path]
}

// address escapes an accepted address for an attribute. Non-ASCII characters are
// percent-encoded, as browsers do.
func address(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return escape(b.String())
}

func escape(s string) string { return string(util.EscapeHTML([]byte(s))) }

func write(w util.BufWriter, parts ...string) {
	for _, p := range parts {
		_, _ = w.WriteString(p) // Render returns the error
	}
}
