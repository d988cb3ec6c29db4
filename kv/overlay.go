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

// Rehearse calls fn with the state and discards what it writes, for a query that answers whether a
// command would be refused. It returns fn's error.
func Rehearse(tx Tx, fn func(Tx) error) error { return fn(newOverlay(tx)) }

// Viewer is implemented by a Tx that can return a value without copying it. The caller must not
// change the value.
type Viewer interface {
	View(key string) ([]byte, error)
}

// view returns a value that the caller does not change. Most records are only decoded, so copies of
// them would be garbage at once.
func view(tx Tx, key string) ([]byte, error) {
	if v, ok := tx.(Viewer); ok {
		return v.View(key)
	}
	return tx.Get(key)
}

func (o *overlay) Get(key string) ([]byte, error) {
	v, err := o.View(key)
	return slices.Clone(v), err
}

func (o *overlay) View(key string) ([]byte, error) {
	if v, ok := o.writes[key]; ok {
		return v, nil
	}
	v, ok := o.reads[key]
	if !ok {
		var err error
		if v, err = view(o.base, key); err != nil {
			return nil, err
		}
		o.reads[key] = v
	}
	return v, nil
}

func (o *overlay) Put(key string, value []byte) error {
	return o.set(key, append([]byte{}, value...))
}

// set is like Put for a value that is never changed afterwards.
func (o *overlay) set(key string, value []byte) error {
	if err := checkOwn(key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fault.New(fault.Invalid, "the value of %q has %d bytes, more than %d", key, len(value), MaxValue)
	}
	o.writes[key] = value
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
