package schema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"sync"
)

// published holds what Describe and JSON return, as their test writes it: made anew in every
// program they would add a fifth of a megabyte to it.
//
//go:embed published.json.gz
var published []byte

// editions are documents by "campaign en", and JSON Schemas by "campaign".
var editions = sync.OnceValues(func() (all map[string]json.RawMessage, err error) {
	r, err := gzip.NewReader(bytes.NewReader(published))
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(r).Decode(&all)
	return all, err
})

// Described is what Describe returns, as JSON. ok is false where there is no such kind or
// language.
func Described(of, language string) (text json.RawMessage, ok bool) {
	if language == "" {
		return nil, false
	}
	return edition(of + " " + language)
}

// Schema is what JSON returns, in one line. ok is false where there is no such kind.
func Schema(of string) (text json.RawMessage, ok bool) { return edition(of) }

func edition(key string) (json.RawMessage, bool) {
	all, err := editions()
	text, ok := all[key]
	return text, ok && err == nil
}
