package campaignfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// BodyPath is the Change.Path of the Markdown after the front matter.
const BodyPath = "body"

// Change sets or removes one field of a file.
type Change struct {
	// Path names the field as in the file: "goal_amount", "tiers[early-bird].price",
	// "diary[0].title". A list entry is identified by its ID or its index from 0; "tiers[]"
	// appends a new one.
	Path string
	// Value is the new value as JSON, in the file's units: dollars, not cents. Empty or
	// null removes the field.
	Value json.RawMessage
}

// Apply returns a copy of the document with the changes. Everything else is unchanged: comments,
// order, unknown keys, line endings and the Markdown body. If a value cannot be changed in place,
// the smallest part around it is rewritten. IDs and the slug do not change with a name or title. An
// entry that is replaced as a whole must include its ID.
//
// Apply fails with code Invalid and the path if a field is read-only, a list entry does not exist,
// or a value is not valid JSON. It fails with Problems if the file becomes too large. It does not
// validate the new values; Campaign and AddOns do.
func (d *Document) Apply(changes ...Change) (*Document, error) {
	return d.applyEach((*Document).change, changes)
}

func (d *Document) applyEach(change func(*Document, Change) error, changes []Change) (*Document, error) {
	out := *d
	for _, c := range changes {
		if err := change(&out, c); err != nil {
			return nil, err
		}
	}
	if err := out.checkLimits(); err != nil {
		return nil, err
	}
	return &out, nil
}

// change makes a change in place, except to read-only fields.
func (d *Document) change(c Change) error {
	if d.front {
		switch c.Path {
		case BodyPath:
			return d.setBody(c)
		case "slug", "charged":
			return readOnly(c.Path)
		case "title":
			if err := d.writeSlug(); err != nil {
				return err
			}
		}
	}
	segments, err := parsePath(c.Path)
	if err != nil {
		return err
	}
	if err := d.keepID(c, segments); err != nil {
		return err
	}
	return d.set(c)
}

func readOnly(path string) error {
	return fault.New(fault.Invalid, "The field is read-only").In(path)
}

func (d *Document) setBody(c Change) error {
	var text string
	if len(c.Value) > 0 && json.Unmarshal(c.Value, &text) != nil {
		return fault.New(fault.Invalid, "The body must be text").In(BodyPath)
	}
	newline := newlineOf(d.head)
	end, terminated := lineEnd(d.tail, 0)
	fence := bytes.Clone(d.tail[:end])
	if !terminated {
		fence = append(fence, newline...)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", newline)
	d.tail = append(fence, text...)
	return nil
}

func newlineOf(text []byte) string {
	if end, _ := lineEnd(text, 0); bytes.HasSuffix(text[:end], []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// writeSlug writes a derived slug to the file before its title changes.
func (d *Document) writeSlug() error {
	title := valueOf(d.root, "title")
	if title == nil || isWritten(valueOf(d.root, "slug")) || campaign.Slug(title.Value) == "" {
		return nil
	}
	return d.set(Change{"slug", quoted(campaign.Slug(title.Value))})
}

func isWritten(n *yaml.Node) bool { return n != nil && !isBlank(n) && n.Value != "" }

// keepID preserves the ID of an entry before a change. It rejects changes of the ID, and writes a
// derived ID to the file before the name that it was derived from changes.
func (d *Document) keepID(c Change, segments []segment) error {
	last := len(segments) - 1
	if segments[last].entry {
		return d.checkReplacement(c, segments)
	}
	if last < 2 || !segments[last-1].entry {
		return nil
	}
	entry := lookup(d.root, segments[:last])
	sources := identity[segments[last-2].name]
	if entry == nil || sources == nil {
		return nil
	}
	name := segments[last].name
	own, derived := isWritten(valueOf(entry, "id")), derivedID(entry)
	if name == "id" && (own || string(c.Value) != string(quoted(derived))) {
		return readOnly(c.Path)
	}
	if slices.Contains(sources, name) && !own && derived != "" {
		return d.set(Change{strings.TrimSuffix(c.Path, name) + "id", quoted(derived)})
	}
	return nil
}

// checkReplacement rejects the replacement of a whole entry by one with another ID.
func (d *Document) checkReplacement(c Change, segments []segment) error {
	value, err := valueToWrite(c)
	if err != nil || value == nil || identity[segments[len(segments)-2].name] == nil {
		return err
	}
	entry := lookup(d.root, segments)
	if entry != nil && idOf(entry) != "" && idOf(entry) != idOf(value) {
		return fault.New(fault.Invalid, "An entry's ID cannot change: include its current ID").In(c.Path)
	}
	return nil
}

// identity has the fields from which an entry's ID is derived, by the name of the list.
var identity = map[string][]string{
	"tiers": {"name"}, "support_items": {"label"}, "campaign_add_ons": {"name"}, "products": {"name"},
	"variants": {"label"}, "decisions": {"title"}, "diary": {"date", "title"},
}

// derivedID returns the ID that Parse derives for an entry without an ID, or "".
func derivedID(entry *yaml.Node) string {
	for _, key := range []string{"name", "label"} {
		if n := valueOf(entry, key); n != nil {
			return campaign.Slug(n.Value)
		}
	}
	title := valueOf(entry, "title")
	if title == nil {
		return ""
	}
	if date := valueOf(entry, "date"); date != nil {
		return diaryID(strings.TrimSpace(date.Value), title.Value)
	}
	return campaign.Slug(title.Value)
}

func quoted(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }

// valueOf returns the value of a mapping's key, or nil.
func valueOf(m *yaml.Node, key string) *yaml.Node {
	if i := indexOf(m, key); i >= 0 {
		return m.Content[i]
	}
	return nil
}

// indexOf returns the index of a key's value in a mapping's content, or -1.
func indexOf(m *yaml.Node, key string) int {
	if m.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}
