package campaignfile

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// set makes one change in place. It calculates the resulting tree and then rewrites
// increasingly larger parts of the text until the text parses to that tree.
func (d *Document) set(c Change) error {
	segments, err := parsePath(c.Path)
	if err != nil {
		return err
	}
	value, err := valueToWrite(c)
	if err != nil {
		return err
	}
	if err := d.endLine(); err != nil {
		return err
	}
	want := clone(d.root, map[*yaml.Node]*yaml.Node{})
	depth, err := mutate(want, segments, value)
	if err != nil {
		return fault.New(fault.Invalid, "%s", fault.Of(err).Message).In(c.Path)
	}
	if depth == 0 {
		return nil
	}
	p := lineEditor{linesOf(d.yaml), newlineOf(d.yaml)}
	for ; depth > 0; depth-- {
		if text, ok := p.rewritePart(d.root, want, segments[:depth]); ok && d.replaceIfSame(text, want) {
			return nil
		}
	}
	if text, ok := p.render(want, 0); ok && d.replaceIfSame(text, want) {
		return nil
	}
	return fault.New(fault.Invalid, "The field cannot be changed: something else in the file refers to it").In(c.Path)
}

// endLine adds a missing line break at the end of the YAML. It parses the YAML again, since that
// can change the last value.
func (d *Document) endLine() error {
	if len(d.yaml) == 0 || bytes.HasSuffix(d.yaml, []byte("\n")) {
		return nil
	}
	text := append(bytes.Clone(d.yaml), newlineOf(d.yaml)...)
	root, err := d.parse(text)
	if err != nil {
		return err
	}
	d.yaml, d.root = text, root
	return nil
}

// replaceIfSame replaces the YAML if the new text parses to the wanted tree, and reports whether it
// does.
func (d *Document) replaceIfSame(text []byte, want *yaml.Node) bool {
	got, err := d.parse(text)
	if err != nil || !same(got, want) {
		return false
	}
	d.yaml, d.root = text, got
	return true
}

// clone copies a tree. copies maps anchored nodes to their copies, so that aliases refer to the
// copies.
func clone(n *yaml.Node, copies map[*yaml.Node]*yaml.Node) *yaml.Node {
	if c := copies[n]; c != nil {
		return c
	}
	c := *n
	if n.Anchor != "" {
		copies[n] = &c
	}
	if n.Alias != nil {
		c.Alias = clone(n.Alias, copies)
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child, copies)
	}
	return &c
}

func valueToWrite(c Change) (*yaml.Node, error) {
	if v := strings.TrimSpace(string(c.Value)); v == "" || v == "null" {
		return nil, nil
	}
	n, err := nodeOf(c.Value)
	if err != nil {
		return nil, fault.Of(err).In(c.Path)
	}
	return n, nil
}

func same(a, b *yaml.Node) bool {
	if a.Kind == yaml.AliasNode && b.Kind == yaml.AliasNode {
		return a.Value == b.Value // the anchored node is compared separately
	}
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() || a.Value != b.Value || a.Anchor != b.Anchor {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, same)
}

// mutate sets the value at a path, or removes it if value is nil. It returns the number of segments
// that lead to the changed part, or 0 if nothing changed.
func mutate(root *yaml.Node, segments []segment, value *yaml.Node) (int, error) {
	chain, missing, err := locate(root, segments)
	if err != nil {
		return 0, err
	}
	last := chain[len(chain)-1]
	if value == nil {
		return remove(last, len(missing), len(chain))
	}
	inner := missing
	if last.index < 0 {
		inner = missing[1:]
	}
	if value, err = wrap(value, inner); err != nil {
		return 0, err
	}
	switch c := last.container; {
	case last.index >= 0:
		copyFormatting(value, c.Content[last.index])
		c.Content[last.index] = value
	case c.Kind == yaml.MappingNode:
		c.Content = append(c.Content, textNode(missing[0].name), value)
	case missing[0].name != "":
		return 0, noEntry()
	default:
		c.Content = append(c.Content, value)
	}
	return len(chain), nil
}

func remove(last position, missing, depth int) (int, error) {
	if missing > 0 {
		return 0, nil
	}
	from := last.index
	if last.container.Kind == yaml.MappingNode {
		from--
	}
	last.container.Content = slices.Delete(last.container.Content, from, last.index+1)
	return depth, nil
}

// wrap nests a value in the containers that the missing segments name.
func wrap(value *yaml.Node, segments []segment) (*yaml.Node, error) {
	for _, s := range slices.Backward(segments) {
		switch {
		case !s.entry:
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{textNode(s.name), value}}
		case s.name == "":
			value = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{value}}
		default:
			return nil, noEntry()
		}
	}
	return value, nil
}

func noEntry() *fault.Error { return fault.New(fault.Invalid, "The entry does not exist") }

// copyFormatting copies the formatting of the old value: its quotes, trailing comment and anchor.
// If the old value is an unquoted number or date, a new one is not quoted either.
func copyFormatting(value, old *yaml.Node) {
	value.Anchor, value.LineComment = old.Anchor, old.LineComment
	if value.Kind != yaml.ScalarNode || old.Kind != yaml.ScalarNode {
		if value.Kind == old.Kind {
			value.Style = old.Style &^ yaml.TaggedStyle
		}
		return
	}
	if value.Tag != "!!str" || value.Style != 0 {
		return
	}
	if old.Style == 0 && old.Tag != "!!str" && old.Tag != "!!null" {
		plain := &yaml.Node{Kind: yaml.ScalarNode, Value: value.Value}
		if tag := plain.ShortTag(); tag == "!!int" || tag == "!!float" || tag == "!!timestamp" {
			value.Tag = tag
		}
		return
	}
	if old.Tag == "!!str" {
		value.Style = old.Style & (yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle)
	}
}
