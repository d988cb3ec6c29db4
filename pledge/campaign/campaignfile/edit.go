package campaignfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/money"
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

// FormatDollars formats an amount as in a file: "25" or "25.50".
func FormatDollars(c money.Cents) string {
	s := strings.NewReplacer("$", "", ",", "").Replace(c.String())
	return strings.TrimSuffix(s, ".00")
}

// Edit applies changes to a campaign's file and leaves everything else unchanged:
// comments, order, unknown keys, line ends and the Markdown body. If a value cannot be
// changed in place, the smallest part around it is rewritten. IDs and the slug do not
// change with a name or title; an entry that is replaced as a whole must include its
// ID.
//
// The result is parsed and validated: a change that would make the file invalid returns
// Problems. A change of a read-only or missing field fails with code Invalid and the
// path.
func Edit(src []byte, changes ...Change) ([]byte, error) {
	cut, ok := split(src)
	if !ok {
		_, err := Parse("", src)
		return nil, err
	}
	front := cut.yaml
	for _, c := range changes {
		var err error
		if c.Path == BodyPath {
			cut, err = cut.withBody(c)
		} else {
			front, err = editCampaign(front, c)
		}
		if err != nil {
			return nil, err
		}
	}
	out := bytes.Join([][]byte{cut.head, front, cut.tail}, nil)
	if _, err := Parse("", out); err != nil {
		return nil, err
	}
	return out, nil
}

// EditAddOns is Edit for the platform add-ons. Its paths begin with "products[id]",
// "enabled" or "low_stock_threshold".
func EditAddOns(src []byte, changes ...Change) ([]byte, error) {
	out, err := editPlain(src, changes, editWithIDs)
	if err != nil {
		return nil, err
	}
	if _, err := ParseAddOns(campaign.AddOnsFile, out); err != nil {
		return nil, err
	}
	return out, nil
}

// EditSettings is Edit for a plain YAML file, such as the site's settings. The caller
// must validate the result.
func EditSettings(src []byte, changes ...Change) ([]byte, error) {
	return editPlain(src, changes, edit)
}

func editPlain(src []byte, changes []Change, edit func([]byte, Change) ([]byte, error)) ([]byte, error) {
	text := bytes.TrimPrefix(src, bom)
	head := src[:len(src)-len(text)]
	for _, c := range changes {
		var err error
		if text, err = edit(text, c); err != nil {
			return nil, err
		}
	}
	return append(bytes.Clone(head), text...), nil
}

func (p parts) withBody(c Change) (parts, error) {
	var text string
	if len(c.Value) > 0 && json.Unmarshal(c.Value, &text) != nil {
		return p, fault.New(fault.Invalid, "The body must be text").In(BodyPath)
	}
	end, terminated := lineEnd(p.tail, 0)
	fence := bytes.Clone(p.tail[:end])
	if !terminated {
		fence = append(fence, p.newline()...)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", p.newline())
	p.tail = append(fence, text...)
	return p, nil
}

func (p parts) newline() string { return newlineOf(p.head) }

func newlineOf(text []byte) string {
	if end, _ := lineEnd(text, 0); bytes.HasSuffix(text[:end], []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// editCampaign applies a change except to read-only fields.
func editCampaign(text []byte, c Change) ([]byte, error) {
	switch c.Path {
	case "slug", "charged":
		return nil, fault.New(fault.Invalid, "The field is read-only").In(c.Path)
	case "title":
		var err error
		if text, err = writeSlug(text); err != nil {
			return nil, err
		}
	}
	return editWithIDs(text, c)
}

// writeSlug writes a derived slug to the file before its title changes.
func writeSlug(text []byte) ([]byte, error) {
	root, problem := parseYAML("", text, 0)
	if problem != nil {
		return nil, campaign.Problems{*problem}
	}
	title := valueOf(root, "title")
	if title == nil || isWritten(valueOf(root, "slug")) || campaign.Slug(title.Value) == "" {
		return text, nil
	}
	return edit(text, Change{"slug", quoted(campaign.Slug(title.Value))})
}

func isWritten(n *yaml.Node) bool { return n != nil && !isBlank(n) && n.Value != "" }

// editWithIDs preserves the ID of an entry: it cannot be changed, and a derived ID is
// written to the file before the name it was derived from changes.
func editWithIDs(text []byte, c Change) ([]byte, error) {
	segments, err := parsePath(c.Path)
	if err != nil {
		return nil, err
	}
	last := segments[len(segments)-1]
	if last.entry {
		return editEntry(text, c, segments)
	}
	if len(segments) < 3 || !segments[len(segments)-2].entry {
		return edit(text, c)
	}
	root, problem := parseYAML("", text, 0)
	if problem != nil {
		return nil, campaign.Problems{*problem}
	}
	entry := lookup(root, segments[:len(segments)-1])
	sources := identity[segments[len(segments)-3].name]
	if entry == nil || sources == nil {
		return edit(text, c)
	}
	own, derived := isWritten(valueOf(entry, "id")), derivedID(entry)
	if last.name == "id" && (own || string(c.Value) != string(quoted(derived))) {
		return nil, fault.New(fault.Invalid, "The field is read-only").In(c.Path)
	}
	if slices.Contains(sources, last.name) && !own && derived != "" {
		id := strings.TrimSuffix(c.Path, last.name) + "id"
		if text, err = edit(text, Change{id, quoted(derived)}); err != nil {
			return nil, err
		}
	}
	return edit(text, c)
}

// editEntry preserves the ID of an entry that is replaced as a whole.
func editEntry(text []byte, c Change, segments []segment) ([]byte, error) {
	value, err := valueToWrite(c)
	if err != nil || value == nil || identity[segments[len(segments)-2].name] == nil {
		return edit(text, c)
	}
	root, problem := parseYAML("", text, 0)
	if problem != nil {
		return nil, campaign.Problems{*problem}
	}
	entry := lookup(root, segments)
	if entry != nil && idOf(entry) != "" && idOf(entry) != idOf(value) {
		return nil, fault.New(fault.Invalid, "An entry's ID cannot change: include its current ID").In(c.Path)
	}
	return edit(text, c)
}

// identity has the fields that an entry's ID is derived from, by list.
var identity = map[string][]string{
	"tiers": {"name"}, "support_items": {"label"}, "campaign_add_ons": {"name"}, "products": {"name"},
	"variants": {"label"}, "decisions": {"title"}, "diary": {"date", "title"},
}

// derivedID returns the ID that Parse derives for an entry without one.
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
