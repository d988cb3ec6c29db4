package locale

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// check returns the problems in the language's messages, which it compares with those of Origin.
func (l *Locale) check(origin *Locale) []string {
	var problems []string
	for _, id := range origin.IDs() {
		if _, ok := l.messages[id]; !ok {
			problems = append(problems, fmt.Sprintf("%s is missing", id))
		}
	}
	for _, id := range l.IDs() {
		if _, ok := origin.messages[id]; !ok {
			problems = append(problems, fmt.Sprintf("%s is not in %s.json", id, origin.code))
			continue
		}
		if want, got := origin.messages[id].placeholders(), l.messages[id].placeholders(); !slices.Equal(want, got) {
			problems = append(problems, fmt.Sprintf("%s has the placeholders %v, want %v", id, got, want))
		}
		problems = append(problems, l.checkForms(id)...)
	}
	return problems
}

// checkForms returns the problems in a message's plural forms. A message with {count} must have all
// forms of the language. No message may have other forms, or an empty one.
func (l *Locale) checkForms(id string) []string {
	m, known := l.messages[id], l.plural.forms()
	counts := slices.Contains(m.placeholders(), "{count}")
	var problems []string
	for _, form := range known {
		if _, ok := m[form]; !ok && (counts || form == other) {
			problems = append(problems, fmt.Sprintf("%s has no plural form %q", id, form))
		}
	}
	for _, form := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, form) {
			problems = append(problems, fmt.Sprintf("%s has the plural form %q, which the language does not have", id, form))
		} else if m[form] == "" {
			problems = append(problems, fmt.Sprintf("%s has no text", id))
		}
	}
	return problems
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholders returns the placeholders in a message's forms.
func (m message) placeholders() []string {
	all := placeholder.FindAllString(strings.Join(slices.Collect(maps.Values(m)), ""), -1)
	return slices.Compact(slices.Sorted(slices.Values(all)))
}
