package campaignfile

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const maxDepth = 12

// nodeOf converts a JSON value to YAML. Keys keep their order and numbers their form.
func nodeOf(value json.RawMessage) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	n, err := readNode(d, maxDepth)
	if err != nil {
		return nil, notJSON()
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, notJSON()
	}
	return n, nil
}

func notJSON() *fault.Error {
	return fault.New(fault.Invalid, "The value is not valid JSON, or is nested too deeply")
}

func readNode(d *json.Decoder, depth int) (*yaml.Node, error) {
	t, err := d.Token()
	if err != nil || depth == 0 {
		return nil, notJSON()
	}
	switch t := t.(type) {
	case json.Delim:
		return readContainer(d, t, depth)
	case string:
		return textNode(t), nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: t.String(), Tag: numberTag(t.String())}, nil
	case bool:
		n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"}
		if t {
			n.Value = "true"
		}
		return n, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

func readContainer(d *json.Decoder, open json.Delim, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if open == '{' {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	for d.More() {
		child, err := readNode(d, depth-1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, child)
	}
	_, err := d.Token()
	return n, err
}

func textNode(s string) *yaml.Node {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.Contains(s, "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

func numberTag(s string) string {
	if strings.ContainsAny(s, ".eE") {
		return "!!float"
	}
	return "!!int"
}
