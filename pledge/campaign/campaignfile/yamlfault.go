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
	// structural matches messages whose line numbers the YAML library counts from 0, or
	// from the beginning of the enclosing list or mapping.
	structural = regexp.MustCompile(`^did not find expected (?:key|node content|'-' indicator|',' or '[\]}]')`)
)

// describeYAML returns the approximate line, from 1, at which src is no longer valid YAML, and the
// library's message without its line number, which is missing or too low for many errors.
func describeYAML(src []byte, err error) (line int, message string) {
	m := yamlLine.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	reported, _ := strconv.Atoi(m[1])
	message = m[2]
	switch {
	case reported > 0 && structural.MatchString(message):
		reported++
	case reported > 0 && !strings.Contains(message, "unexpected end of stream"):
		return reported, message
	default:
		reported = 0
	}
	lines := bytes.SplitAfter(bytes.TrimRight(src, "\n"), []byte("\n"))
	if len(src) <= maxSearched {
		reported = max(reported, readableLines(lines)+1)
	}
	return min(max(reported, 1), len(lines)), message
}

const (
	// maxSearched is the size in bytes up to which a file is searched for the line of an error.
	// The search parses the file many times.
	maxSearched = 64 << 10
	// maxSpan is the maximum number of lines of a quoted text or bracketed list that
	// readableLines can skip.
	maxSpan = 20
)

// readableLines returns how many of the first lines can be parsed without the rest.
func readableLines(lines [][]byte) int {
	readable := func(n int) bool {
		var doc yaml.Node
		return yaml.Unmarshal(bytes.Join(lines[:n], nil), &doc) == nil
	}
	first := 0
	for range 10 {
		low := first + sort.Search(max(len(lines)-first-1, 0), func(i int) bool { return !readable(first + 1 + i) })
		first = low
		for n := low + 2; n <= min(low+maxSpan, len(lines)); n++ { // low+1 may begin a value of several lines
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
