package schema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

// published contains the results of Describe and JSON. Embedding the results instead of computing
// them makes every program 0.2 MB smaller. go test ./hosts/schema -update generates the file.
//
//go:embed published.json.gz
var published []byte

// editions decodes published: documents by keys such as "campaign en", and JSON Schemas by keys
// such as "campaign".
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

// Schema returns the result of JSON without indentation. ok is false for an unknown kind.
func Schema(of string) (text json.RawMessage, ok bool) { return edition(of) }

func edition(key string) (json.RawMessage, bool) {
	all, err := editions()
	text, ok := all[key]
	return text, ok && err == nil
}

// DescribedWith returns the result of Describe as JSON, with the values of inherited settings. If
// value returns the text of the setting that a field inherits, this becomes the field's default; if
// it returns "", the default is unchanged. ok is false for an unknown kind or language.
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
