package campaignfile

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?(.*)`)
	// structural are the messages whose lines the YAML library counts from 0, or from the
	// beginning of the list or mapping around the fault.
	structural = regexp.MustCompile(`^did not find expected (?:key|node content|'-' indicator|',' or '[\]}]')`)
)

// describeYAML returns the line at which src stops being YAML, from 1, and the message of the
// library's error without its line, which is missing, or too early, for many faults.
func describeYAML(src []byte, err error) (line int, message string) {
	m := yamlLine.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	said, _ := strconv.Atoi(m[1])
	message = m[2]
	switch {
	case said > 0 && structural.MatchString(message):
		said++
	case said > 0 && !strings.Contains(message, "unexpected end of stream"):
		return said, message
	default:
		said = 0
	}
	lines := bytes.SplitAfter(bytes.TrimRight(src, "\n"), []byte("\n"))
	if len(src) <= maxSearched {
		said = max(said, readableLines(lines)+1)
	}
	return min(max(said, 1), len(lines)), message
}

const (
	// maxSearched bounds the text in which the line of a fault is searched, which takes many
	// readings of it.
	maxSearched = 64 << 10
	// maxSpan is how many lines a quoted text or a list in brackets may have for
	// readableLines to look beyond its beginning.
	maxSpan = 20
)

// readableLines returns how many lines from the first on are YAML by themselves.
func readableLines(lines [][]byte) int {
	readable := func(n int) bool {
		var doc yaml.Node
		return yaml.Unmarshal(bytes.Join(lines[:n], nil), &doc) == nil
	}
	first := 0
	for range 10 {
		low := first + sort.Search(max(len(lines)-first-1, 0), func(i int) bool { return !readable(first + 1 + i) })
		first = low
		for n := low + 2; n <= min(low+maxSpan, len(lines)); n++ { // low+1 may begin a text of several lines
			if readable(n) {
				first = n
				break
			}
		}
		if first == low {
			break
		}
	}
	return first
}
