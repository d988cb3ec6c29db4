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

// shape is what this program knows of a record's JSON, from the type that it is read
// into. A nil shape is a value that is known as a whole: a number, a text, a time.
type shape struct {
	fields  map[string]*shape // of an object with members of its own, by name
	each    *shape            // of a map's values or a list's elements
	list    bool
	id      []string // the members that tell one thing from another, tagged `kv:"id"`
	version string   // the member that has the record's major version
}

// marker is the member of a record that has its major version, where no other is tagged
// `kv:"version"`. A record without one is of the first.
const marker = "recordVersion"

var shapes sync.Map // by reflect.Type

func shapeOf(t reflect.Type) *shape {
	if t == nil {
		return nil
	}
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	s := shaping{}.of(t)
	shapes.Store(t, s)
	return s
}

// shaping is what there is of the shapes that are being made: a type may hold its like.
type shaping map[reflect.Type]*shape

func (begun shaping) of(t reflect.Type) *shape {
	t = pointed(t)
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

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// add takes in the fields of a struct, those of embedded ones among them.
func (s *shape) add(t reflect.Type, begun shaping) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if embedded := pointed(f.Type); f.Anonymous && name == "" && embedded.Kind() == reflect.Struct {
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

// of returns the shape of a member, and whether the member is known.
func (s *shape) of(name []byte) (*shape, bool) {
	if s.fields == nil {
		return s.each, true
	}
	f, known := s.fields[string(name)]
	return f, known
}

// strange reports whether a value has a member, however deep, that is not known.
func (s *shape) strange(value []byte) bool {
	if s == nil {
		return false
	}
	if s.list {
		for e := range elements(value) {
			if s.each.strange(e) {
				return true
			}
		}
		return false
	}
	for name, v := range members(value) {
		if f, known := s.of(name); !known || f.strange(v) {
			return true
		}
	}
	return false
}

// carry returns next with what is not known of old: its members if both are one thing,
// and those of what is in both.
func (s *shape) carry(old, next []byte) []byte {
	if s == nil || !s.strange(old) || next[0] != old[space(old, 0)] {
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
		if before := was[string(name)]; before != nil && (s.fields == nil || f.same(before, v)) {
			v = f.carry(before, v)
		}
		out.add(name, v)
	}
	for name, v := range members(old) {
		if _, known := s.of(name); !known && (len(s.id) == 0 || s.same(old, next)) {
			out.add(name, v)
		}
	}
	return out.bytes()
}

// carryElements finds each element of next among the old ones, each of them once.
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

// same reports whether two values inside a record are one thing that may have changed.
func (s *shape) same(old, next []byte) bool {
	return s == nil || s.fields == nil || s.identity(old) == s.identity(next)
}

// identity is what tells an object inside a record from others: the members tagged as
// its identity or, where there are none, all that is known of it.
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

// known is a value without what is not known of it.
func (s *shape) known(value []byte) []byte {
	if s == nil || !s.strange(value) {
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

// canonical is a value with its members in the order of their names: two releases may
// write them in different ones.
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
