package kv

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// shape describes the JSON members that a Go type knows. A nil shape is a value without
// members, such as a number, a string or a time.
type shape struct {
	fields  map[string]*shape // of a struct, by member name
	each    *shape            // of a map's values or a list's elements
	list    bool
	id      []string // the members tagged `kv:"id"`
	version string   // the member that has the major version
}

// marker is the member that has a record's major version, unless another is tagged
// `kv:"version"`. A record without it has version 1.
const marker = "recordVersion"

var shapes sync.Map // by reflect.Type

func shapeOf(t reflect.Type) *shape {
	if t == nil {
		return nil
	}
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := shapesInProgress{}.of(t)
	shapes.Store(t, s)
	return s
}

// shapesInProgress holds the shapes under construction, because types may be recursive.
type shapesInProgress map[reflect.Type]*shape

func (begun shapesInProgress) of(t reflect.Type) *shape {
	t = elemType(t)
	switch reflect.New(t).Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return nil
	}
	switch t.Kind() { //nolint:exhaustive // everything else is known as a whole
	case reflect.Struct:
		if s := begun[t]; s != nil {
			return s
		}
		s := &shape{fields: map[string]*shape{}, version: marker}
		begun[t] = s
		s.add(t, begun)
		return s
	case reflect.Map, reflect.Slice, reflect.Array:
		if each := begun.of(t.Elem()); each != nil {
			return &shape{each: each, list: t.Kind() != reflect.Map}
		}
	}
	return nil
}

func elemType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// add adds the fields of a struct, including those of embedded structs.
func (s *shape) add(t reflect.Type, begun shapesInProgress) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if embedded := elemType(f.Type); f.Anonymous && name == "" && embedded.Kind() == reflect.Struct {
			s.add(embedded, begun)
			continue
		}
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		s.fields[name] = begun.of(f.Type)
		switch f.Tag.Get("kv") {
		case "id":
			s.id = append(s.id, name)
		case "version":
			s.version = name
		}
	}
}

// of returns the shape of a member and whether the member is known.
func (s *shape) of(name []byte) (*shape, bool) {
	if s.fields == nil {
		return s.each, true
	}
	f, known := s.fields[string(name)]
	return f, known
}

// hasUnknown reports whether a value has an unknown member at any depth.
func (s *shape) hasUnknown(value []byte) bool {
	if s == nil {
		return false
	}
	if s.list {
		for e := range elements(value) {
			if s.each.hasUnknown(e) {
				return true
			}
		}
		return false
	}
	for name, v := range members(value) {
		if f, known := s.of(name); !known || f.hasUnknown(v) {
			return true
		}
	}
	return false
}

// carry returns next with the unknown members of old: those of the value itself if both
// are the same entity, and those of the members present in both.
func (s *shape) carry(old, next []byte) []byte {
	if s == nil || !s.hasUnknown(old) || next[0] != old[skipSpace(old, 0)] {
		return next
	}
	if s.list {
		return s.carryElements(old, next)
	}
	was := map[string][]byte{}
	for name, v := range members(old) {
		was[string(name)] = v
	}
	out := object{}
	for name, v := range members(next) {
		f, _ := s.of(name)
		if before := was[string(name)]; before != nil && (s.fields == nil || f.sameIdentity(before, v)) {
			v = f.carry(before, v)
		}
		out.add(name, v)
	}
	for name, v := range members(old) {
		if _, known := s.of(name); !known && (len(s.id) == 0 || s.sameIdentity(old, next)) {
			out.add(name, v)
		}
	}
	return out.bytes()
}

// carryElements copies the unknown members of each element of old to the element of next with the
// same identity. If several have it, they are matched in order.
func (s *shape) carryElements(old, next []byte) []byte {
	was := map[string][][]byte{}
	for e := range elements(old) {
		id := s.each.identity(e)
		was[id] = append(was[id], e)
	}
	var out [][]byte
	for e := range elements(next) {
		id := s.each.identity(e)
		if found := was[id]; len(found) > 0 {
			e, was[id] = s.each.carry(found[0], e), found[1:]
		}
		out = append(out, e)
	}
	return slices.Concat([]byte{'['}, bytes.Join(out, []byte{','}), []byte{']'})
}

// sameIdentity reports whether two values in a record are the same entity, even if changed.
func (s *shape) sameIdentity(old, next []byte) bool {
	return s == nil || s.fields == nil || s.identity(old) == s.identity(next)
}

// identity returns the key that identifies a struct in a record: its id members or, if
// it has none, all known members.
func (s *shape) identity(value []byte) string {
	if len(s.id) == 0 {
		return canonical(s.known(value))
	}
	id := make([]string, len(s.id))
	for name, v := range members(value) {
		if i := slices.Index(s.id, string(name)); i >= 0 {
			id[i] = string(v)
		}
	}
	return strings.Join(id, "\x00")
}

// known returns a value without its unknown members.
func (s *shape) known(value []byte) []byte {
	if s == nil || !s.hasUnknown(value) {
		return value
	}
	if s.list {
		var out [][]byte
		for e := range elements(value) {
			out = append(out, s.each.known(e))
		}
		return slices.Concat([]byte{'['}, bytes.Join(out, []byte{','}), []byte{']'})
	}
	out := object{}
	for name, v := range members(value) {
		if f, known := s.of(name); known {
			out.add(name, f.known(v))
		}
	}
	return out.bytes()
}

// canonical returns a value with sorted members, because two releases may write them in
// a different order.
func canonical(value []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(value)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(value)
	}
	return string(b)
}
