package campaignfile

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

var bom = []byte("\ufeff")

// parts are the three consecutive parts of a file. In a campaign's file, head is the opening line
// with an optional byte order mark, and tail the rest from the closing line on. In plain YAML,
// head is the byte order mark, and tail is empty.
type parts struct {
	head, yaml, tail []byte
}

// split splits a file into its parts. With front, the front matter is between the first line, which
// must be "---", and the next such line; ok is false if one of them is missing.
func split(src []byte, front bool) (p parts, ok bool) {
	if !front {
		text := bytes.TrimPrefix(src, bom)
		return parts{src[:len(src)-len(text)], text, nil}, true
	}
	first, _ := lineEnd(src, 0)
	if !isFence(bytes.TrimPrefix(src[:first], bom)) {
		return parts{}, false
	}
	for start := first; start < len(src); {
		end, _ := lineEnd(src, start)
		if isFence(src[start:end]) {
			return parts{src[:first], src[first:start], src[start:]}, true
		}
		start = end
	}
	return parts{}, false
}

func isFence(line []byte) bool { return string(bytes.TrimRight(line, " \t\r\n")) == "---" }

// lineEnd returns the offset after the line that begins at start, and whether
// a line break ends it.
func lineEnd(src []byte, start int) (int, bool) {
	if i := bytes.IndexByte(src[start:], '\n'); i >= 0 {
		return start + i + 1, true
	}
	return len(src), false
}

// body returns the Markdown after the front matter.
func (p parts) body() string {
	end, _ := lineEnd(p.tail, 0)
	return string(p.tail[end:])
}

// parse parses YAML and returns its top-level mapping, which is empty for empty YAML. The error is
// Problems.
func (d *Document) parse(src []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		line, message := describeYAML(src, err)
		return nil, campaign.Problems{{File: d.file, Line: line + d.linesAbove(),
			Message: "the YAML cannot be read: " + message + hint(message)}}
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1}, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, campaign.Problems{{File: d.file, Line: root.Line + d.linesAbove(),
			Message: "write keys with values, such as title: My film"}}
	}
	return root, nil
}

func hint(message string) string {
	switch {
	case strings.Contains(message, "cannot start any token"), strings.Contains(message, "tab"):
		return " (indent with spaces, not tabs, and quote values that begin with @, % or `)"
	case strings.Contains(message, "mapping values are not allowed"):
		return " (quote a value that contains a colon)"
	case strings.Contains(message, "control characters"):
		return " (remove them)"
	}
	return ""
}
