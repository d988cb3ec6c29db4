package kv

import (
	"maps"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxList keeps a very large limit from overflowing when lists are merged.
const maxList = 1 << 30

// overlay buffers a command's writes, so that a refused command changes nothing and the
// host's transaction writes each key once.
type overlay struct {
	base   Tx
	reads  map[string][]byte // cache: PutValue reads a record that the handler usually loaded before
	writes map[string][]byte // nil marks a deleted key
}

func newOverlay(base Tx) *overlay {
	return &overlay{base: base, reads: map[string][]byte{}, writes: map[string][]byte{}}
}

func (o *overlay) Get(key string) ([]byte, error) {
	if v, ok := o.writes[key]; ok {
		return slices.Clone(v), nil
	}
	v, ok := o.reads[key]
	if !ok {
		var err error
		if v, err = o.base.Get(key); err != nil {
			return nil, err
		}
		o.reads[key] = v
	}
	return slices.Clone(v), nil
}

func (o *overlay) Put(key string, value []byte) error {
	if err := checkOwn(key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fault.New(fault.Invalid, "the value of %q has %d bytes, more than %d", key, len(value), MaxValue)
	}
	o.writes[key] = append([]byte{}, value...)
	return nil
}

func (o *overlay) Delete(key string) error {
	if err := checkOwn(key); err != nil {
		return err
	}
	o.writes[key] = nil
	return nil
}

// List merges the base entries with the buffered writes. It requests extra entries from
// the base because buffered deletions may hide some.
func (o *overlay) List(prefix, after string, limit int) ([]Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	limit = min(limit, maxList)
	var mine []string
	for _, key := range slices.Sorted(maps.Keys(o.writes)) {
		if strings.HasPrefix(key, prefix) && key > after {
			mine = append(mine, key)
		}
	}
	base, err := o.base.List(prefix, after, limit+len(mine))
	if err != nil {
		return nil, err
	}
	var merged []Entry
	for len(merged) < limit && (len(base) > 0 || len(mine) > 0) {
		if len(mine) == 0 || (len(base) > 0 && base[0].Key < mine[0]) {
			merged, base = append(merged, base[0]), base[1:]
			continue
		}
		if len(base) > 0 && base[0].Key == mine[0] {
			base = base[1:]
		}
		if v := o.writes[mine[0]]; v != nil {
			merged = append(merged, Entry{Key: mine[0], Value: slices.Clone(v)})
		}
		mine = mine[1:]
	}
	return merged, nil
}

// flush writes the buffered changes to the base, in key order.
func (o *overlay) flush() error {
	for _, key := range slices.Sorted(maps.Keys(o.writes)) {
		v := o.writes[key]
		var err error
		if v == nil {
			err = o.base.Delete(key)
		} else {
			err = o.base.Put(key, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
