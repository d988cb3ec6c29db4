package campaignfile

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// edit applies one change to YAML text. It calculates the resulting tree and then
// rewrites increasingly larger parts of the text until the text parses to that tree.
func edit(text []byte, c Change) ([]byte, error) {
	segments, err := parsePath(c.Path)
	if err != nil {
		return nil, err
	}
	value, err := valueToWrite(c)
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), newlineOf(text)...)
	}
	have, problem := parseYAML("", text, 0)
	if problem != nil {
		return nil, campaign.Problems{*problem}
	}
	want, _ := parseYAML("", text, 0)
	depth, err := mutate(want, segments, value)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s", fault.Of(err).Message).In(c.Path)
	}
	if depth == 0 {
		return text, nil
	}
	p := page{linesOf(text), newlineOf(text)}
	for ; depth > 0; depth-- {
		out, ok := p.attempt(have, want, segments[:depth])
		if ok && gives(out, want) {
			return out, nil
		}
	}
	out, ok := p.render(want, 0)
	if ok && gives(out, want) {
		return out, nil
	}
	return nil, fault.New(fault.Invalid, "The field cannot be changed: something else in the file refers to it").In(c.Path)
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

// gives reports whether text parses to the tree.
func gives(text []byte, want *yaml.Node) bool {
	got, problem := parseYAML("", text, 0)
	return problem == nil && same(got, want)
}

func same(a, b *yaml.Node) bool {
	if a.Kind == yaml.AliasNode && b.Kind == yaml.AliasNode {
		return a.Value == b.Value // the anchored node is compared at its own place
	}
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() || a.Value != b.Value || a.Anchor != b.Anchor {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, same)
}

// mutate applies the change to a tree and returns how many path segments name the
// changed part; 0 if nothing changed.
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
		inherit(value, c.Content[last.index])
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

// wrap nests a value in missing containers.
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

// inherit copies formatting from the old value: quotes, the trailing comment, the
// anchor, and unquoted numbers and dates.
func inherit(value, old *yaml.Node) {
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
