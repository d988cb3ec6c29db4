package kv

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// A record is JSON whose members come and go with releases. Two of them may work on one
// database while servers are replaced, so a record is read by the release before and
// after the one that wrote it, and loses nothing on the way: whoever writes over it
// leaves what it doesn't know.
//
//   - What is under one key, or one key of a map, is one thing.
//   - A struct inside a record is the same thing as before if the fields tagged
//     `kv:"id"` are the same; where none is, if all that is known of it is. One that
//     has changed is another thing, and what was not known of the old one goes with it.
//   - The same tags at the top of a record tell that it begins anew under its key.
//
// What can't be read so gets another major version: Decode refuses it.

// majorVersion is the newest major version of a record that this program reads.
const majorVersion = 1

// Decode reads the record that is stored under key. It refuses one of a newer major
// version before it looks at anything else.
func Decode[T any](key string, b []byte) (v T, err error) {
	if err := checkVersion(key, b, reflect.TypeFor[T]()); err != nil {
		return v, err
	}
	if err := json.Unmarshal(b, &v); err != nil {
		var none T
		return none, fmt.Errorf("kv: decoding %q: %w", key, err)
	}
	return v, nil
}

// Text returns the JSON record under key as it is stored, for who passes it on or decodes
// it by itself; ok is false when it is absent. T is what it is decoded into: like Load, it
// refuses a record of a newer major version.
func Text[T any](tx Tx, key string) (text json.RawMessage, ok bool, err error) {
	b, err := tx.Get(key)
	if err != nil || b == nil {
		return nil, false, err
	}
	if err := checkVersion(key, b, reflect.TypeFor[T]()); err != nil {
		return nil, false, err
	}
	return b, true, nil
}

// Member decodes one member of the record that is stored under key, for who wants no more
// of a long one. It is zero where the record has none. It fails like Decode, but for what
// is behind the member: that it doesn't look at.
func Member[T any](key string, b []byte, name string) (v T, err error) {
	if err := checkVersion(key, b, reflect.TypeFor[T]()); err != nil {
		return v, err
	}
	for n, value := range members(b) {
		if string(n) == name {
			return Decode[T](key, value)
		}
	}
	_, err = Decode[json.RawMessage](key, b) // may be no record at all
	return v, err
}

func encode(key string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("kv: encoding %q: %w", key, err)
	}
	return b, nil
}

// rewritten is v as it is written over the record that stored returns, nil for none.
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
	if !s.strange(old) || !json.Valid(old) { // half a member would spoil what is written
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
		return fmt.Errorf("kv: the record %q (%s) has version %s and this program reads %d: use a newer program",
			key, strings.TrimPrefix(t.String(), "*"), v, majorVersion)
	}
	return nil
}
