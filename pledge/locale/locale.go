// Package locale reads the messages of a package in several languages.
//
// Each language has one JSON file, whose name is the language's code. It has the language's
// plural rules, and one message per line:
//
//	{
//	"plural": {"one": "i = 1 and v = 0"},
//	"messages": {
//	"greeting": "Hello {name},",
//	"pledges": {"one": "{count} pledge to {title}", "other": "{count} pledges to {title}"}
//	}
//	}
//
// A package embeds its files and formats messages by their IDs:
//
//	//go:embed messages/*.json
//	var files embed.FS
//
//	var locales = locale.MustRead(files, "messages")
//	…
//	text := locales.For("en-US").Format("pledges", "count", "2", "title", "Night Shift")
//
// A new language is a new file: a copy of the English one, translated, with the plural rules of
// the language from the Unicode CLDR charts
// (https://www.unicode.org/cldr/charts/48/supplemental/language_plural_rules.html, the rules for
// cardinals). Only the forms in these rules and "other" are needed.
//
// # Errors
//
// Read checks that the languages are complete. A test that reads the files finds every missing,
// extra or misspelled message and placeholder, and every message with {count} that lacks a plural
// form of its language.
//
// # Concurrency
//
// A Set is immutable and safe for concurrent use.
package locale

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Origin is the language that the others are translated from.
const Origin = "en"

// Set holds the same messages in several languages, by the languages' codes.
type Set map[string]*Locale

// Locale holds the messages of one language.
type Locale struct {
	code     string
	plural   plural
	messages messages
}

// Read reads the languages in a folder. Its error lists every message or placeholder that a
// language lacks or has in addition to Origin, and every missing or unknown plural form.
func Read(files fs.FS, folder string) (Set, error) {
	names, err := fs.Glob(files, path.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	all := Set{}
	for _, name := range names {
		l, err := readLocale(files, name)
		if err != nil {
			return nil, fmt.Errorf("locale: %s: %w", name, err)
		}
		all[l.code] = l
	}
	if all[Origin] == nil {
		return nil, fmt.Errorf("locale: %s has no %s.json", folder, Origin)
	}
	var problems []error
	for _, code := range slices.Sorted(maps.Keys(all)) {
		for _, problem := range all[code].check(all[Origin]) {
			problems = append(problems, fmt.Errorf("locale: %s/%s.json: %s", folder, code, problem))
		}
	}
	return all, errors.Join(problems...)
}

// MustRead is like [Read] for embedded files, but panics if they are not valid. Every package that
// uses it has a test that reads its files.
func MustRead(files fs.FS, folder string) Set {
	all, err := Read(files, folder)
	if err != nil {
		panic(err)
	}
	return all
}

func readLocale(files fs.FS, name string) (*Locale, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Plural   plural   `json:"plural"`
		Messages messages `json:"messages"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, err
	}
	return &Locale{strings.TrimSuffix(path.Base(name), ".json"), file.Plural, file.Messages}, nil
}

// For returns the language for a tag such as "es-MX", or Origin if there is none.
func (s Set) For(tag string) *Locale {
	code, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if l, ok := s[code]; ok {
		return l
	}
	return s[Origin]
}

// Code returns the language's code, such as "es".
func (l *Locale) Code() string { return l.code }

// Has reports whether there is a message with the ID.
func (l *Locale) Has(id string) bool {
	_, there := l.messages[id]
	return there
}

// IDs returns the IDs of all messages, sorted.
func (l *Locale) IDs() []string { return slices.Sorted(maps.Keys(l.messages)) }

// Format returns a message with values in place of its placeholders. pairs are names and values in
// turn. The value with the name "count", a whole number, selects the plural form. A placeholder
// without a value is kept. For an unknown message, Format returns the ID in braces.
func (l *Locale) Format(id string, pairs ...string) string {
	m, ok := l.messages[id]
	if !ok {
		return "{" + id + "}"
	}
	var out strings.Builder
	rest := m.text(l.plural, pairs)
	for {
		before, from, _ := strings.Cut(rest, "{")
		name, after, closed := strings.Cut(from, "}")
		if !closed {
			return out.String() + rest
		}
		out.WriteString(before)
		if value, given := valueOf(name, pairs); given {
			out.WriteString(value)
		} else {
			out.WriteString("{" + name + "}")
		}
		rest = after
	}
}

func valueOf(name string, pairs []string) (value string, given bool) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1], true
		}
	}
	return "", false
}

// messages are the messages of a language, by ID.
type messages map[string]message

// message is a message's texts by plural form. A message without plural forms has only the
// form "other".
type message map[string]string

const other = "other"

// UnmarshalJSON rejects duplicate IDs.
func (m *messages) UnmarshalJSON(b []byte) error {
	*m = messages{}
	dec := json.NewDecoder(bytes.NewReader(b))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		id := fmt.Sprint(token)
		if _, twice := (*m)[id]; twice {
			return fmt.Errorf("duplicate message %s", id)
		}
		var one message
		if err := dec.Decode(&one); err != nil {
			return fmt.Errorf("message %s: %w", id, err)
		}
		(*m)[id] = one
	}
	return nil
}

// UnmarshalJSON accepts a text, or an object with a text for each plural form.
func (m *message) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		*m = message{other: ""}
		var text string
		err := json.Unmarshal(b, &text)
		(*m)[other] = text
		return err
	}
	return json.Unmarshal(b, (*map[string]string)(m))
}

// text returns the text in the plural form that the value count selects, or in the form "other".
func (m message) text(p plural, pairs []string) string {
	if value, given := valueOf("count", pairs); given {
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			if text, ok := m[p.form(n)]; ok {
				return text
			}
		}
	}
	return m[other]
}
