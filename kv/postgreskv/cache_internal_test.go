package postgreskv

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/kv"
)

// A read that started before a change does not replace the change in the cache.
func TestCache_OutdatedReadIsNotStored(t *testing.T) {
	c, o := &cache{}, kv.Object{Class: "campaign", Name: "film"}
	holds := func(v version, want string) {
		t.Helper()
		if got, known := c.get(o, v, "a"); !known || string(got) != want {
			t.Errorf("at version %d: %q, %t", v, got, known)
		}
	}
	c.update(o, 1, 2, map[string][]byte{"a": []byte("two")})
	before := c.updates(o)
	c.update(o, 2, 3, map[string][]byte{"a": []byte("three")})
	c.updateFromRead(o, before, 2, map[string][]byte{"a": []byte("two")})
	holds(3, "three")
	if c.shared(o) {
		t.Error("the object is treated as changed by another server")
	}
	c.updateFromRead(o, c.updates(o), 9, map[string][]byte{"a": []byte("nine")})
	holds(9, "nine")
	if !c.shared(o) {
		t.Error("the change by another server was not noticed")
	}
}

// lastKnown returns the last known value at any version, and nothing for an unknown object.
func TestCache_OldReturnsLastKnownValue(t *testing.T) {
	c, o := &cache{}, kv.Object{Class: "campaign", Name: "film"}
	if v := c.lastKnown(o, "a"); v != nil {
		t.Errorf("value %q of an unknown object", v)
	}
	c.update(o, 1, 2, map[string][]byte{"a": []byte("two")})
	if v := c.lastKnown(o, "a"); string(v) != "two" {
		t.Errorf("value %q", v)
	}
}

// An object is cached up to a size limit and then starts over.
func TestCache_ObjectSizeLimit(t *testing.T) {
	const full = objectBytes - entryBytes - 1 // a value that fills an object's limit, under a one-letter key
	large := make([]byte, objectBytes)
	type entry struct {
		key  string
		size int
	}
	for name, tt := range map[string]struct {
		checkStale []entry // one after the other
		known      bool    // whether the first is still cached after one more
	}{
		"full":                          {[]entry{{"a", full}}, true},
		"more":                          {[]entry{{"a", full + 1}}, false},
		"two values at the limit":       {[]entry{{"a", full - 3e6}, {"b", 3e6 - entryBytes - 1}}, true},
		"two values above it":           {[]entry{{"a", full - 3e6}, {"b", 3e6 - entryBytes}}, false},
		"long key":                      {[]entry{{"abc", full - 1}}, false},
		"overwritten with equal size":   {[]entry{{"a", full}, {"a", full}, {"a", full}}, true},
		"overwritten with larger value": {[]entry{{"a", 5}, {"a", full + 1}}, false},
		"shrunk":                        {[]entry{{"a", full}, {"a", full - 1000}, {"b", 1000 - entryBytes - 1}}, true},
	} {
		c, o := &cache{}, kv.Object{Class: "campaign", Name: "film"}
		for _, e := range tt.checkStale {
			c.update(o, 1, 1, map[string][]byte{e.key: large[:e.size]})
		}
		c.update(o, 1, 1, map[string][]byte{"last": nil})
		if _, known := c.get(o, 1, tt.checkStale[0].key); known != tt.known {
			t.Errorf("%s: cached: %t", name, known)
		}
		if _, known := c.get(o, 1, "last"); !known {
			t.Errorf("%s: the last value is not cached", name)
		}
	}
}

// All objects together are cached up to a size limit. Replaced entries do not count
// twice.
func TestCache_TotalSizeLimit(t *testing.T) {
	const objects = cacheBytes / objectBytes
	value := make([]byte, objectBytes-entryBytes) // with a one-letter key, one byte more than an object's limit
	name := func(n int) kv.Object { return kv.Object{Class: "campaign", Name: string(rune('a' + n))} }
	update := func(c *cache, n int, before version, size int) {
		c.update(name(n), before, 1, map[string][]byte{"k": value[:size]})
	}
	for what, tt := range map[string]struct {
		fill  func(*cache)
		known bool // whether the first object is still cached after one more
	}{
		"full": {func(c *cache) {
			for n := range objects {
				update(c, n, 1, len(value)-1)
			}
		}, true},
		"more": {func(c *cache) {
			for n := range objects {
				update(c, n, 1, len(value)-min(n, 1))
			}
		}, false},
		"replaced often": {func(c *cache) {
			update(c, 0, 1, 1)
			for range 3 * objects {
				update(c, 1, 9, len(value)-1)
			}
		}, true},
		"replaced when full": {func(c *cache) {
			for n := range objects {
				update(c, n, 1, len(value)-min(n, 1))
			}
			update(c, 1, 9, len(value)-1)
		}, false},
	} {
		c := &cache{}
		tt.fill(c)
		update(c, objects, 1, 0)
		if _, known := c.get(name(0), 1, "k"); known != tt.known {
			t.Errorf("%s: first object cached: %t", what, known)
		}
		if _, known := c.get(name(objects), 1, "k"); !known {
			t.Errorf("%s: the last object is not cached", what)
		}
	}
}
