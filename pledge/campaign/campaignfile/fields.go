package campaignfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Difference is a field that differs between two documents. Before is nil if the field was added,
// and After is nil if it was removed.
type Difference struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// maxNodes is the maximum number of YAML nodes in a file after following its aliases.
const maxNodes = 100_000

// withinLimits reports whether a tree has at most *left nodes and at most the given depth. It
// subtracts the nodes from *left.
func withinLimits(n *yaml.Node, left *int, depth int) bool {
	if *left--; *left < 0 || depth < 0 {
		return false
	}
	for _, child := range follow(n).Content {
		if !withinLimits(child, left, depth-1) {
			return false
		}
	}
	return true
}

// Fields returns the fields for which keep returns true as a JSON object, with the names, order and
// units of the file. keep is called with paths as in Change. A mapping for which it returns false
// is searched for fields to keep; a list is kept as a whole or not at all. If keep is nil, all
// fields are returned.
func (d *Document) Fields(keep func(path string) bool) json.RawMessage {
	root := *d.root
	if d.front {
		body := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: d.body()}
		root.Content = slices.Concat(root.Content, []*yaml.Node{textNode(BodyPath), body})
	}
	if keep == nil {
		return jsonOf(&root)
	}
	return jsonOf(filterFields("", &root, keep))
}

// filterFields returns the mapping n, whose path is given, without the fields that are not kept.
func filterFields(path string, n *yaml.Node, keep func(path string) bool) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		if !keep(at) {
			if value = follow(value); value.Kind != yaml.MappingNode {
				continue
			}
			if value = filterFields(at, value, keep); len(value.Content) == 0 {
				continue
			}
		}
		out.Content = append(out.Content, key, value)
	}
	return out
}

// Value returns a field's value as JSON, or nil if the field is absent or blank. It fails with code
// Invalid if the path is not valid.
func (d *Document) Value(path string) (json.RawMessage, error) {
	if path == BodyPath && d.front {
		return json.Marshal(d.body())
	}
	segments, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	node := d.root
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

// SameValue reports whether two JSON values are equal, regardless of spacing and the order of keys.
// An absent value, null and "" are equal.
func SameValue(a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || canonicalJSON(a) == canonicalJSON(b)
}

// canonicalJSON returns a value as JSON with sorted keys, and "null" for an absent or empty value.
func canonicalJSON(v json.RawMessage) string {
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

// Diff returns the fields that differ in a later version, in the order of that version. Lists whose
// entries have IDs are compared entry by entry. Other lists, and lists whose order changed, are
// compared as a whole.
func (d *Document) Diff(after *Document) []Difference { return d.diff(after, false) }

// Compare is like Diff, but returns more detailed differences, for display. It compares the fields
// of an object individually even if the object was added or removed. It compares entries with IDs
// individually even if their list was added, removed or reordered. A new order is a Difference of
// the list, after those of its entries, with the IDs before and after.
func (d *Document) Compare(after *Document) []Difference { return d.diff(after, true) }

// EntryID returns the ID of the list entry at a path such as "tiers[0]", or "" if it has none.
func (d *Document) EntryID(path string) string {
	segments, err := parsePath(path)
	if err != nil {
		return ""
	}
	entry := lookup(d.root, segments)
	if entry == nil || len(segments) < 2 || identity[segments[len(segments)-2].name] == nil {
		return ""
	}
	return idOf(entry)
}

func (d *Document) diff(after *Document, byEntry bool) []Difference {
	c := comparison{byEntry}
	all := c.mappings("", d.root, after.root)
	if d.front && after.front && d.body() != after.body() {
		all = append(all, Difference{BodyPath, jsonText(d.body()), jsonText(after.body())})
	}
	return all
}

// comparison compares documents. byEntry is set for Compare.
type comparison struct{ byEntry bool }

func (c comparison) mappings(path string, a, b *yaml.Node) []Difference {
	var out []Difference
	for i := 0; i < len(b.Content); i += 2 {
		key := b.Content[i].Value
		if indexOf(b, key) < i {
			continue // duplicate key: the first value is used, as in Value
		}
		out = append(out, c.values(join(path, key), key, valueOf(a, key), b.Content[i+1])...)
	}
	for i := 0; i < len(a.Content); i += 2 {
		if key := a.Content[i].Value; valueOf(b, key) == nil {
			out = append(out, c.values(join(path, key), key, a.Content[i+1], nil)...)
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

// values returns the differences between two values. A value is nil if it is absent.
func (c comparison) values(path, key string, a, b *yaml.Node) []Difference {
	switch {
	case c.byEntry && identity[key] != nil:
		a, b = emptyFor(a, b, yaml.SequenceNode), emptyFor(b, a, yaml.SequenceNode)
	case c.byEntry:
		a, b = emptyFor(a, b, yaml.MappingNode), emptyFor(b, a, yaml.MappingNode)
	}
	if a != nil && b != nil {
		a, b = follow(a), follow(b)
		if a.Kind == yaml.MappingNode && b.Kind == yaml.MappingNode {
			return c.mappings(path, a, b)
		}
		if out, ok := c.entries(path, key, a, b); ok {
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

// emptyFor returns a or, if a is absent and b has the kind, an empty node of that kind.
func emptyFor(a, b *yaml.Node, kind yaml.Kind) *yaml.Node {
	if a == nil && b != nil && follow(b).Kind == kind {
		return &yaml.Node{Kind: kind}
	}
	return a
}

// entries compares two lists entry by entry. ok is false if the values are not lists whose entries
// have unique IDs, or if byEntry is not set and the order of the common entries differs.
func (c comparison) entries(path, key string, a, b *yaml.Node) (out []Difference, ok bool) {
	if identity[key] == nil || a.Kind != yaml.SequenceNode || b.Kind != yaml.SequenceNode {
		return nil, false
	}
	old, now := idsOf(a), idsOf(b)
	moved := !slices.Equal(common(old, now), common(now, old))
	if old == nil || now == nil || moved && !c.byEntry {
		return nil, false
	}
	for i, id := range now {
		at := path + "[" + id + "]"
		if j := slices.Index(old, id); j >= 0 {
			out = append(out, c.mappings(at, follow(a.Content[j]), follow(b.Content[i]))...)
			continue
		}
		out = append(out, Difference{at, nil, jsonOf(b.Content[i])})
	}
	for i, id := range old {
		if !slices.Contains(now, id) {
			out = append(out, Difference{path + "[" + id + "]", jsonOf(a.Content[i]), nil})
		}
	}
	if moved {
		out = append(out, Difference{path, jsonTexts(old), jsonTexts(now)})
	}
	return out, true
}

// idsOf returns the IDs of a list's entries, or nil unless every entry has a unique one.
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

func jsonTexts(all []string) json.RawMessage {
	out, _ := json.Marshal(all) // texts always encode
	return out
}
