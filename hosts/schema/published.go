package schema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

// published contains the results of Describe and JSON. Embedding them instead of computing them
// saves a fifth of a megabyte in every program. A test updates it.
//
//go:embed published.json.gz
var published []byte

// editions contains documents by keys such as "campaign en", and JSON Schemas by keys such as
// "campaign".
var editions = sync.OnceValues(func() (all map[string]json.RawMessage, err error) {
	r, err := gzip.NewReader(bytes.NewReader(published))
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(r).Decode(&all)
	return all, err
})

// Described returns the result of Describe as JSON. ok is false for an unknown kind or
// language.
func Described(of, language string) (text json.RawMessage, ok bool) {
	if language == "" {
		return nil, false
	}
	return edition(of + " " + language)
}

// Schema returns the result of JSON in one line. ok is false for an unknown kind.
func Schema(of string) (text json.RawMessage, ok bool) { return edition(of) }

func edition(key string) (json.RawMessage, bool) {
	all, err := editions()
	text, ok := all[key]
	return text, ok && err == nil
}

// DescribedWith returns the result of Describe as JSON. For fields that inherit a setting, the
// default is the setting's value, which the function value returns as text. ok is false for an
// unknown kind or language.
func DescribedWith(of, language string, value func(setting string) string) (text json.RawMessage, ok bool) {
	text, ok = Described(of, language)
	if !ok {
		return nil, false
	}
	var d Document
	if json.Unmarshal(text, &d) != nil {
		return text, true
	}
	for _, s := range d.Sections {
		for i := range s.Fields {
			f := &s.Fields[i]
			if f.Inherits == "" {
				continue
			}
			v := defaultOf(value(f.Inherits), f.Kind)
			if v != nil && f.Kind == Choices {
				v = slices.Concat(json.RawMessage("["), v, json.RawMessage("]"))
			}
			if v != nil {
				f.Default = v
			}
		}
	}
	out, err := json.Marshal(d)
	if err != nil {
		return text, true
	}
	return out, true
}
