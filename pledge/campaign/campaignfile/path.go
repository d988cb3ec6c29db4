package campaignfile

import (
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// segment is one part of a path: a key or, if entry is set, a list entry by its ID or index. The
// name of a new entry is "".
type segment struct {
	name  string
	entry bool
}

var (
	wholePath = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*|\[[a-z0-9-]*\])*$`)
	pathPart  = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_-]*|\[[a-z0-9-]*\]`)
)

// CheckPath returns an Invalid fault if the path is not valid in a Change.
func CheckPath(path string) error {
	_, err := parsePath(path)
	return err
}

func parsePath(path string) ([]segment, error) {
	if len(path) > 300 || !wholePath.MatchString(path) {
		return nil, fault.New(fault.Invalid, "A path must look like goal_amount or tiers[early-bird].price").In("path")
	}
	var segments []segment
	for _, part := range pathPart.FindAllString(path, -1) {
		if part[0] == '[' {
			segments = append(segments, segment{part[1 : len(part)-1], true})
			continue
		}
		segments = append(segments, segment{name: part})
	}
	return segments, nil
}

// position is one step of a path: a container, and the index of the next step in its content. The
// index of the last position is -1 if the value is absent.
type position struct {
	container *yaml.Node
	index     int
}

// locate follows segments as far as they exist, and returns the positions and the missing segments.
// If the index of the last position is -1, the first missing segment belongs to it; otherwise its
// value is blank.
func locate(root *yaml.Node, segments []segment) ([]position, []segment, error) {
	var chain []position
	node := root
	for i, s := range segments {
		kind := yaml.MappingNode
		if s.entry {
			kind = yaml.SequenceNode
		}
		if isBlank(node) && i > 0 {
			return chain, segments[i:], nil
		}
		if node.Kind != kind {
			return nil, nil, fault.New(fault.Invalid, "The path does not match the structure of the file")
		}
		index := indexIn(node, s)
		chain = append(chain, position{node, index})
		if index < 0 {
			return chain, segments[i:], nil
		}
		node = node.Content[index]
	}
	return chain, nil, nil
}

func isBlank(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func indexIn(n *yaml.Node, s segment) int {
	if !s.entry {
		return indexOf(n, s.name)
	}
	for i, entry := range n.Content {
		if s.name != "" && idOf(entry) == s.name {
			return i
		}
	}
	if i, err := strconv.Atoi(s.name); err == nil && i >= 0 && i < len(n.Content) {
		return i
	}
	return -1
}

// idOf returns the ID in an entry or, if it has none, the one derived from its name.
func idOf(entry *yaml.Node) string {
	if id := valueOf(follow(entry), "id"); isWritten(id) {
		return id.Value
	}
	return derivedID(follow(entry))
}

// lookup returns the node at segments, or nil.
func lookup(root *yaml.Node, segments []segment) *yaml.Node {
	chain, missing, err := locate(root, segments)
	if err != nil || len(missing) > 0 {
		return nil
	}
	last := chain[len(chain)-1]
	return last.container.Content[last.index]
}
