package campaignfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// reader collects the problems, warnings and references that are found while a file is read.
type reader struct {
	file     string
	above    int // number of lines before the YAML
	lines    map[string]int
	problems campaign.Problems
	warnings campaign.Problems
	anchors  []anchorLink
	// references are the files that this one refers to.
	references []campaign.Reference
}

func (r *reader) fail(line int, field, format string, args ...any) {
	r.problems = append(r.problems,
		campaign.Problem{File: r.file, Line: r.fileLine(line), Field: field, Message: fmt.Sprintf(format, args...)})
}

func (r *reader) warn(line int, field, format string, args ...any) {
	r.warnings = append(r.warnings,
		campaign.Problem{File: r.file, Line: r.fileLine(line), Field: field, Message: fmt.Sprintf(format, args...)})
}

// fileLine returns the line in the file for a line of the YAML; 0 stays 0.
func (r *reader) fileLine(line int) int {
	if line == 0 {
		return 0
	}
	return line + r.above
}

// mapping is a YAML mapping that is being read. Reading a key adds it to known. At the end, done
// reports all other keys.
type mapping struct {
	*reader
	path   string
	line   int
	keys   []*yaml.Node
	values map[string]*yaml.Node
	known  map[string]bool
}

func (r *reader) mapping(n *yaml.Node, path string) *mapping {
	m := &mapping{r, path, n.Line, nil, map[string]*yaml.Node{}, map[string]bool{}}
	if n = follow(n); n.Kind != yaml.MappingNode {
		r.fail(m.line, path, "write keys with values here")
		return m
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if m.values[key.Value] != nil {
			r.fail(key.Line, m.field(key.Value), "is written twice: keep one")
			continue
		}
		m.keys = append(m.keys, key)
		m.values[key.Value] = value
		r.lines[m.field(key.Value)] = r.fileLine(key.Line)
	}
	return m
}

func follow(n *yaml.Node) *yaml.Node {
	if n.Alias != nil {
		return n.Alias
	}
	return n
}

func (m *mapping) field(key string) string {
	if m.path == "" {
		return key
	}
	return m.path + "." + key
}

// failIf records an error in a key's value, if err is not nil.
func (m *mapping) failIf(key string, err error) {
	if err == nil {
		return
	}
	m.failKey(key, "%s", err)
}

func (m *mapping) failKey(key, format string, args ...any) {
	m.fail(m.lineOf(key), m.field(key), format, args...)
}

func (m *mapping) lineOf(key string) int {
	for _, k := range m.keys {
		if k.Value == key {
			return k.Line
		}
	}
	return m.line
}

// get returns the value of a key, nil if absent or blank.
func (m *mapping) get(key string) *yaml.Node {
	m.known[key] = true
	n := m.values[key]
	if n == nil {
		return nil
	}
	if n = follow(n); n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	return n
}

func (m *mapping) has(key string) bool { return m.get(key) != nil }

// scalar returns the text of a key's value. It returns false if the key is absent, blank, or not a
// scalar.
func (m *mapping) scalar(key string) (string, bool) {
	n := m.get(key)
	if n == nil {
		return "", false
	}
	if n.Kind != yaml.ScalarNode {
		m.failKey(key, "write one value, not a list or keys")
		return "", false
	}
	return n.Value, true
}

// prose is like scalar, but warns if YAML reads the end of the text as a comment.
func (m *mapping) prose(key string) (string, bool) {
	switch n := m.values[key]; {
	case n == nil:
	case isBlank(n):
		m.warnOfComment(m.lineOf(key), m.field(key), m.commentOf(key))
	case n.Style == 0: // without quotes
		m.warnOfComment(m.lineOf(key), m.field(key), n.LineComment)
	}
	return m.scalar(key)
}

func (r *reader) warnOfComment(line int, field, comment string) {
	if comment != "" {
		r.warn(line, field,
			"ends before %q, which YAML reads as a comment: quote the value if this belongs to it, or put the comment on a separate line",
			comment)
	}
}

// commentOf returns the comment that follows a key without a value, or "". It ignores comments that
// begin with "# ", because no text value would begin with these characters.
func (m *mapping) commentOf(key string) string {
	for _, k := range m.keys {
		if k.Value == key && !strings.HasPrefix(k.LineComment, "# ") {
			return k.LineComment
		}
	}
	return ""
}

// each calls read for every mapping of a list.
func (m *mapping) each(key string, limit int, read func(*mapping)) {
	for i, n := range m.list(key, limit) {
		read(m.reader.mapping(n, fmt.Sprintf("%s[%d]", m.field(key), i)))
	}
}

// list returns the entries of a list, or nil if the key is absent. It rejects a list of more than
// limit entries.
func (m *mapping) list(key string, limit int) []*yaml.Node {
	n := m.get(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		m.failKey(key, "write a list: one line beginning with - for each entry")
		return nil
	}
	if len(n.Content) > limit {
		m.failKey(key, "has %d entries; the limit is %d", len(n.Content), limit)
		return nil
	}
	return n.Content
}

// sub returns the mapping under a key, nil if absent.
func (m *mapping) sub(key string) *mapping {
	n := m.get(key)
	if n == nil {
		return nil
	}
	return m.reader.mapping(n, m.field(key))
}

// warnDerived warns about keys whose values the service calculates.
func (m *mapping) warnDerived(keys ...string) {
	for _, key := range keys {
		if m.has(key) {
			m.warn(m.lineOf(key), m.field(key), "is calculated by the service; the value in the file is ignored")
		}
	}
}

// warnRetired warns about keys that no longer have an effect.
func (m *mapping) warnRetired(why string, keys ...string) {
	for _, key := range keys {
		if m.has(key) {
			m.warn(m.lineOf(key), m.field(key), "has no effect: %s", why)
		}
	}
}

// rejectUnknownKeys rejects keys that are neither known nor ignored, except notes, whose keys begin
// with "_".
func (m *mapping) rejectUnknownKeys(ignored ...string) {
	known := slices.Sorted(maps.Keys(m.known))
	for _, k := range m.keys {
		if !m.known[k.Value] && !strings.HasPrefix(k.Value, "_") && !contains(ignored, k.Value) {
			m.fail(k.Line, m.field(k.Value), "is not a known key%s", fault.DidYouMean(k.Value, known))
		}
	}
}

// recordReference records a reference to a file of the content repository. It ignores addresses of
// other sites.
func (m *mapping) recordReference(key, address string, inline bool) {
	if strings.HasPrefix(address, "/") {
		m.references = append(m.references,
			campaign.Reference{File: m.file, Line: m.fileLine(m.lineOf(key)), Field: m.field(key),
				Path: address, Inline: inline})
	}
}
