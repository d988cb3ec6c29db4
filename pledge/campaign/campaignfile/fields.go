package campaignfile

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Fields are the values of a file of a content repository, by the paths of Change, in
// the file's units. They can be read from files with invalid values, as long as the
// YAML can be parsed.
type Fields struct {
	root *yaml.Node
	body *string // the Markdown of a campaign's file; nil for other files
}

// Difference is a field that differs between two files. Before is nil if it was added,
// and After if it was removed.
type Difference struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// ReadFields reads a file: as a campaign if its name ends with ".md", otherwise as
// plain YAML. The error is campaign.Problems.
func ReadFields(name string, src []byte) (Fields, error) {
	if len(src) > campaign.MaxFile {
		return Fields{}, campaign.Problems{{File: name, Message: "is larger than 1 MB"}}
	}
	if err := campaign.CheckEncoding(name, src); err != nil {
		return Fields{}, err
	}
	if path.Ext(name) != ".md" {
		return readFields(name, bytes.TrimPrefix(src, bom), 0, nil)
	}
	cut, ok := split(src)
	if !ok {
		return Fields{}, campaign.Problems{{File: name, Line: 1, Message: "has no front matter: begin with a line of three hyphens"}}
	}
	body := cut.body()
	return readFields(name, cut.yaml, 1, &body)
}

func readFields(name string, text []byte, above int, body *string) (Fields, error) {
	root, problem := parseYAML(name, text, above)
	if problem != nil {
		return Fields{}, campaign.Problems{*problem}
	}
	if nodes := maxNodes; !fits(root, &nodes, maxDepth) {
		return Fields{}, campaign.Problems{{File: name, Message: "is nested too deeply, or expands too much through anchors"}}
	}
	return Fields{root, body}, nil
}

// maxNodes limits the nodes of a file after following its aliases.
const maxNodes = 100_000

func fits(n *yaml.Node, left *int, depth int) bool {
	if *left--; *left < 0 || depth < 0 {
		return false
	}
	for _, child := range follow(n).Content {
		if !fits(child, left, depth-1) {
			return false
		}
	}
	return true
}

// MarshalJSON returns all fields, in the file's order.
func (f Fields) MarshalJSON() ([]byte, error) {
	out := jsonOf(f.root)
	if f.body == nil {
		return out, nil
	}
	body, err := json.Marshal(f.body)
	if err != nil {
		return nil, err
	}
	out = bytes.TrimSuffix(out, []byte("}"))
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(append(append(out, `"`+BodyPath+`":`...), body...), '}'), nil
}

// Only returns the fields for which keep returns true. keep is called for keys from the
// outside in: a mapping that is not kept is searched for keys to keep, and a list is
// kept as a whole or not at all.
func (f Fields) Only(keep func(path string) bool) Fields {
	only := Fields{root: keptIn("", f.root, keep)}
	if f.body != nil && keep(BodyPath) {
		only.body = f.body
	}
	return only
}

func keptIn(path string, n *yaml.Node, keep func(path string) bool) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		if !keep(at) {
			if value = follow(value); value.Kind != yaml.MappingNode {
				continue
			}
			if value = keptIn(at, value, keep); len(value.Content) == 0 {
				continue
			}
		}
		out.Content = append(out.Content, key, value)
	}
	return out
}

// Value returns a field's value, nil if absent. It fails with code Invalid if the path
// is not valid.
func (f Fields) Value(path string) (json.RawMessage, error) {
	if path == BodyPath && f.body != nil {
		return json.Marshal(f.body)
	}
	segments, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	node := f.root
	for _, s := range segments {
		node = follow(node)
		kind := yaml.MappingNode
		if s.entry {
			kind = yaml.SequenceNode
		}
		if node.Kind != kind {
			return nil, nil
		}
		i := indexIn(node, s)
		if i < 0 {
			return nil, nil
		}
		node = node.Content[i]
	}
	if isBlank(follow(node)) {
		return nil, nil
	}
	return jsonOf(node), nil
}

// SameValue reports whether two values are equivalent; an absent value, null and ""
// are.
func SameValue(a, b json.RawMessage) bool { return meaning(a) == meaning(b) }

// meaning returns a value as JSON with sorted keys.
func meaning(v json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	var m any
	if d.Decode(&m) != nil || m == "" {
		return "null"
	}
	out, err := json.Marshal(m)
	if err != nil {
		return "null"
	}
	return string(out)
}

// jsonOf returns a node as JSON. The node must satisfy fits.
func jsonOf(n *yaml.Node) json.RawMessage {
	n = follow(n)
	var out bytes.Buffer
	switch n.Kind {
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(jsonText(n.Content[i].Value))
			out.WriteByte(':')
			out.Write(jsonOf(n.Content[i+1]))
		}
		out.WriteByte('}')
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, child := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(jsonOf(child))
		}
		out.WriteByte(']')
	default:
		return jsonScalar(n)
	}
	return out.Bytes()
}

func jsonScalar(n *yaml.Node) json.RawMessage {
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return json.RawMessage("null")
	case tag == "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return json.RawMessage(strconv.FormatBool(b))
		}
	case (tag == "!!int" || tag == "!!float") && json.Valid([]byte(n.Value)):
		return json.RawMessage(n.Value)
	}
	return jsonText(n.Value)
}

func jsonText(s string) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Diff returns the differences, in the order of the later file. Entries with an ID are
// compared individually; other lists, and lists in another order, are compared as a
// whole.
func (f Fields) Diff(after Fields) []Difference {
	d := diffMappings("", f.root, after.root)
	if f.body != nil && after.body != nil && *f.body != *after.body {
		d = append(d, Difference{BodyPath, jsonText(*f.body), jsonText(*after.body)})
	}
	return d
}

func diffMappings(path string, a, b *yaml.Node) []Difference {
	var out []Difference
	for i := 0; i < len(b.Content); i += 2 {
		key := b.Content[i].Value
		out = append(out, diffValues(join(path, key), key, valueOf(a, key), b.Content[i+1])...)
	}
	for i := 0; i < len(a.Content); i += 2 {
		if key := a.Content[i].Value; valueOf(b, key) == nil {
			out = append(out, diffValues(join(path, key), key, a.Content[i+1], nil)...)
		}
	}
	return out
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// diffValues compares two values, which may be nil.
func diffValues(path, key string, a, b *yaml.Node) []Difference {
	if a != nil && b != nil {
		a, b = follow(a), follow(b)
		if a.Kind == yaml.MappingNode && b.Kind == yaml.MappingNode {
			return diffMappings(path, a, b)
		}
		if out, ok := diffEntries(path, key, a, b); ok {
			return out
		}
	}
	before, after := jsonOrNil(a), jsonOrNil(b)
	if SameValue(before, after) {
		return nil
	}
	return []Difference{{path, before, after}}
}

func jsonOrNil(n *yaml.Node) json.RawMessage {
	if n == nil {
		return nil
	}
	return jsonOf(n)
}

// diffEntries compares two lists entry by entry. ok is false unless every entry has a
// unique ID and the common entries are in the same order.
func diffEntries(path, key string, a, b *yaml.Node) (out []Difference, ok bool) {
	if identity[key] == nil || a.Kind != yaml.SequenceNode || b.Kind != yaml.SequenceNode {
		return nil, false
	}
	old, now := idsOf(a), idsOf(b)
	if old == nil || now == nil || !slices.Equal(common(old, now), common(now, old)) {
		return nil, false
	}
	for i, id := range now {
		at := path + "[" + id + "]"
		if j := slices.Index(old, id); j >= 0 {
			out = append(out, diffMappings(at, follow(a.Content[j]), follow(b.Content[i]))...)
			continue
		}
		out = append(out, Difference{at, nil, jsonOf(b.Content[i])})
	}
	for i, id := range old {
		if !slices.Contains(now, id) {
			out = append(out, Difference{path + "[" + id + "]", jsonOf(a.Content[i]), nil})
		}
	}
	return out, true
}

// idsOf returns the IDs of a list's entries, or nil unless all have a unique one.
func idsOf(list *yaml.Node) []string {
	ids := make([]string, 0, len(list.Content))
	for _, entry := range list.Content {
		entry = follow(entry)
		if entry.Kind != yaml.MappingNode {
			return nil
		}
		id := idOf(entry)
		if _, err := parsePath("x[" + id + "]"); err != nil || id == "" || slices.Contains(ids, id) {
			return nil
		}
		ids = append(ids, id)
	}
	return ids
}

func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(id string) bool { return !slices.Contains(b, id) })
}
