package campaignfile

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// lineEditor edits single lines of YAML text.
type lineEditor struct {
	lines   []string // including line breaks
	newline string
}

// breaks matches YAML's line breaks.
var breaks = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")

// linesOf splits text into lines. The text must end with a line break or be empty.
func linesOf(text []byte) []string {
	var lines []string
	from := 0
	for _, end := range breaks.FindAllIndex(text, -1) {
		lines = append(lines, string(text[from:end[1]]))
		from = end[1]
	}
	return lines
}

// rewritePart rewrites only the part at the path. It returns false if that part shares a line with
// other content or cannot be replaced alone.
func (p lineEditor) rewritePart(have, want *yaml.Node, segments []segment) ([]byte, bool) {
	before, _, _ := locate(have, segments) // mutate followed this path, so only the last segment may be missing
	if inFlow(before) {
		return nil, false
	}
	after, missing, err := locate(want, segments)
	if err != nil || len(missing) > 1 {
		return nil, false
	}
	old, now := before[len(before)-1], after[len(after)-1]
	switch {
	case old.index < 0:
		return p.insert(before, now.container)
	case len(old.container.Content) > len(now.container.Content):
		return p.cut(before)
	case now.index < 0:
		return nil, false
	}
	return p.replace(before, now)
}

func inFlow(chain []position) bool {
	return slices.ContainsFunc(chain, func(s position) bool { return s.container.Style&yaml.FlowStyle != 0 })
}

func (p lineEditor) replace(chain []position, now position) ([]byte, bool) {
	from, column, ok := p.start(chain[len(chain)-1])
	if !ok {
		return nil, false
	}
	entry, ok := p.render(withOnly(now.container, now.index), column)
	if !ok {
		return nil, false
	}
	first := p.lines[from][:column] + strings.TrimLeft(string(entry), " ")
	return p.replaceLines(from, p.end(chain, column), first), true
}

func (p lineEditor) insert(chain []position, now *yaml.Node) ([]byte, bool) {
	c := chain[len(chain)-1].container
	if len(c.Content) == 0 {
		return nil, false
	}
	chain = slices.Clone(chain)
	_, column, ok := p.start(position{c, firstValue(c)})
	chain[len(chain)-1].index = len(c.Content) - 1
	if !ok {
		return nil, false
	}
	entry, ok := p.render(withOnly(now, len(now.Content)-1), column)
	end := p.end(chain, column)
	return p.replaceLines(end, end, string(entry)), ok
}

// cut removes an entry, the comment above it, and the blank line below it if there is also one
// above.
func (p lineEditor) cut(chain []position) ([]byte, bool) {
	last := chain[len(chain)-1]
	from, column, ok := p.start(last)
	if !ok {
		return nil, false
	}
	to := p.end(chain, column)
	if last.index > firstValue(last.container) {
		comment := last.container.Content[last.index-firstValue(last.container)].HeadComment
		above := strings.Count("\n"+comment, "\n#")
		for _, line := range slices.Backward(p.lines[max(from-above, 0):from]) {
			if !isComment(line) {
				break
			}
			from--
		}
	}
	for from > 0 && isBlankLine(p.lines[from-1]) && to < len(p.lines) && isBlankLine(p.lines[to]) {
		to++
	}
	return p.replaceLines(from, to, ""), true
}

// firstValue returns the index of the first value in a container's content.
func firstValue(c *yaml.Node) int {
	if c.Kind == yaml.MappingNode {
		return 1
	}
	return 0
}

// withOnly returns a container with only the entry at an index of c.
func withOnly(c *yaml.Node, index int) *yaml.Node {
	only := &yaml.Node{Kind: c.Kind, Tag: c.Tag}
	if c.Kind == yaml.MappingNode {
		key := *c.Content[index-1]
		key.HeadComment, key.FootComment = "", ""
		only.Content = append(only.Content, &key)
	}
	value := *c.Content[index]
	value.HeadComment = ""
	only.Content = append(only.Content, &value)
	clearTail(only)
	return only
}

// clearTail removes the comments after the last line of a part from the tree. They remain in the
// text, so they must not be written again.
func clearTail(n *yaml.Node) {
	for n.FootComment = ""; len(n.Content) > 0; n.FootComment = "" {
		if n.Kind == yaml.MappingNode {
			n.Content[len(n.Content)-2].FootComment = ""
		}
		n = n.Content[len(n.Content)-1]
	}
}

// start returns the line and column, from 0, at which an entry begins. ok is false for a list entry
// whose hyphen is on another line.
func (p lineEditor) start(s position) (line, column int, ok bool) {
	n := s.container.Content[s.index]
	line, column = n.Line-1, s.container.Column-1
	if s.container.Kind == yaml.MappingNode {
		n = s.container.Content[s.index-1]
		line, column = n.Line-1, n.Column-1
	}
	dash := p.lines[line][column] == '-'
	return line, column, s.container.Kind == yaml.MappingNode || dash
}

// end returns the line after an entry's last line. Blank lines and comments before the next entry
// do not belong to the entry.
func (p lineEditor) end(chain []position, column int) int {
	end := len(p.lines)
	for _, s := range slices.Backward(chain) {
		if next := s.index + 1; next < len(s.container.Content) {
			end = s.container.Content[next].Line - 1
			break
		}
	}
	last := chain[len(chain)-1]
	tail := last.container.Content[last.index]
	for len(tail.Content) > 0 {
		tail = tail.Content[len(tail.Content)-1]
	}
	block := tail.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	for end > tail.Line {
		line := p.lines[end-1]
		inside := block && len(line)-len(strings.TrimLeft(line, " ")) > column
		if !isBlankLine(line) && (!isComment(line) || inside) {
			break
		}
		end--
	}
	return end
}

func isBlankLine(line string) bool { return strings.TrimSpace(line) == "" }

func isComment(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") }

// render encodes a part as YAML, indented by columns.
func (p lineEditor) render(n *yaml.Node, columns int) ([]byte, bool) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if e.Encode(n) != nil || e.Close() != nil {
		return nil, false
	}
	indent := strings.Repeat(" ", columns)
	var out strings.Builder
	for _, line := range linesOf(b.Bytes()) {
		if line != "\n" {
			out.WriteString(indent)
		}
		out.WriteString(strings.Replace(line, "\n", p.newline, 1))
	}
	return []byte(out.String()), true
}

// replaceLines returns the text with the lines of the half-open range from..to replaced.
func (p lineEditor) replaceLines(from, to int, text string) []byte {
	return []byte(strings.Join(p.lines[:from], "") + text + strings.Join(p.lines[to:], ""))
}
