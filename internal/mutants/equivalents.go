package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// equivalent is a mutant that behaves like the original, with the reason.
type equivalent struct {
	place
	why string
}

type equivalents []equivalent

func readEquivalents(name string) (equivalents, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list, err := parseEquivalents(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

var entry = regexp.MustCompile(`^(\S+\.go) ([A-Z_]+)(?: (\d+))?: (.+)$`)

// parseEquivalents parses entries in the format of printed survivors, each
// followed by indented lines with the reason. Lines that start with # are
// comments.
func parseEquivalents(text string) (equivalents, error) {
	var list equivalents
	seen := map[place]bool{}
	for i, line := range strings.Split(text, "\n") {
		match := entry.FindStringSubmatch(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t") && len(list) > 0:
			last := &list[len(list)-1]
			last.why = strings.TrimSpace(last.why + " " + strings.TrimSpace(line))
		case match == nil:
			return nil, fmt.Errorf("line %d is neither a mutant nor an indented reason: %s", i+1, line)
		default:
			p := place{File: match[1], Kind: match[2], Nth: 1, Text: match[4]}
			if match[3] != "" {
				p.Nth, _ = strconv.Atoi(match[3]) // the pattern guarantees a number
			}
			if seen[p] {
				return nil, fmt.Errorf("line %d: duplicate entry: %s", i+1, p)
			}
			seen[p] = true
			list = append(list, equivalent{place: p})
		}
	}
	for _, e := range list {
		if e.why == "" {
			return nil, fmt.Errorf("entry without a reason: %s", e.place)
		}
	}
	return list, nil
}

// of returns the entries of the package in folder pkg.
func (l equivalents) of(pkg string) equivalents {
	var own equivalents
	for _, e := range l {
		if path.Dir(e.File) == pkg {
			own = append(own, e)
		}
	}
	return own
}

// match returns the package's survivors that are not listed, and the listed
// entries without a survivor.
func (l equivalents) match(outcomes []outcome) (survivors []outcome, stale equivalents) {
	lived := map[place]bool{}
	for _, o := range outcomes {
		if !o.Killed {
			lived[o.Place] = true
		}
	}
	listed := map[place]bool{}
	for _, e := range l {
		listed[e.place] = true
		if !lived[e.place] {
			stale = append(stale, e)
		}
	}
	for _, o := range outcomes {
		if !o.Killed && !listed[o.Place] {
			survivors = append(survivors, o)
		}
	}
	return survivors, stale
}
