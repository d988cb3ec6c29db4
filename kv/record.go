package kv

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Records are JSON, and their members change between releases. During a rolling update
// two releases work on the same database, so each must read records written by the
// release before and after it, and preserve members that it does not know:
//
//   - The value under one key, or under one key of a map, is the same entity before and after a write.
//   - A struct inside a record is the same entity if its fields tagged `kv:"id"` are equal or, if it has none, if all known members are equal. If they differ, it is a new entity, and unknown members of the old one are dropped.
//   - The same tags on a record's top-level struct mark that a new entity was stored under its key.
//
// A change that breaks these rules needs a new major version, which Decode of older
// releases refuses.

// majorVersion is the newest major record version that this program can read.
const majorVersion = 1

// Decode decodes the record stored under key. It checks the major version first and
// refuses a newer one.
func Decode[T any](key string, b []byte) (v T, err error) {
	if err := checkVersion(key, b, reflect.TypeFor[T]()); err != nil {
		return v, err
	}
	if err := unmarshal(b, &v); err != nil {
		var none T
		return none, fmt.Errorf("kv: decoding %q: %w", key, err)
	}
	return v, nil
}

// unmarshal is like json.Unmarshal, which scans b twice more for a type with its own UnmarshalJSON.
// A json.RawMessage does not check what it is given.
func unmarshal(b []byte, v any) error {
	if _, raw := v.(*json.RawMessage); raw {
		return json.Unmarshal(b, v)
	}
	if u, ok := v.(json.Unmarshaler); ok {
		return u.UnmarshalJSON(b)
	}
	return json.Unmarshal(b, v)
}

// LoadText returns the JSON record under key as stored, for callers that forward or decode it
// themselves and don't change it; ok is false if it is absent. T is the record's type: like Load,
// LoadText refuses a newer major version.
func LoadText[T any](tx Tx, key string) (text json.RawMessage, ok bool, err error) {
	b, err := view(tx, key)
	if err != nil || b == nil {
		return nil, false, err
	}
	if err := checkVersion(key, b, reflect.TypeFor[T]()); err != nil {
		return nil, false, err
	}
	return b, true, nil
}

// Member decodes one member of the record stored under key, for callers that need one
// field of a large record. It returns the zero value if the member is absent. It
// returns the errors of Decode, except that JSON after the member is not checked.
func Member[T any](key string, b []byte, name string) (v T, err error) {
	if err := checkVersion(key, b, reflect.TypeFor[T]()); err != nil {
		return v, err
	}
	for n, value := range members(b) {
		if string(n) == name {
			return Decode[T](key, value)
		}
	}
	_, err = Decode[json.RawMessage](key, b) // reports invalid JSON
	return v, err
}

func encode(key string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("kv: encoding %q: %w", key, err)
	}
	return b, nil
}

// rewritten encodes v and adds the unknown members of the stored record, which stored returns, or
// nil if there is none.
func rewritten(key string, v any, stored func() ([]byte, error)) ([]byte, error) {
	b, err := encode(key, v)
	if err != nil {
		return nil, err
	}
	t := reflect.TypeOf(v)
	s := shapeOf(t)
	if s == nil {
		return b, nil
	}
	old, err := stored()
	if err != nil {
		return nil, err
	}
	if err := checkVersion(key, old, t); err != nil {
		return nil, err
	}
	if !s.hasUnknown(old) || !json.Valid(old) { // unknown members can only be copied from valid JSON
		return b, nil
	}
	return s.carry(old, b), nil
}

func checkVersion(key string, b []byte, t reflect.Type) error {
	s := shapeOf(t)
	member := marker
	if s != nil && s.version != "" {
		member = s.version
	}
	if !bytes.Contains(b, []byte(member)) {
		return nil
	}
	for name, v := range members(b) {
		var n int
		if string(name) != member || json.Unmarshal(v, &n) == nil && n <= majorVersion {
			continue
		}
		return fmt.Errorf("kv: record %q (%s) has version %s, but this program reads up to version %d: upgrade the program",
			key, strings.TrimPrefix(t.String(), "*"), v, majorVersion)
	}
	return nil
}
