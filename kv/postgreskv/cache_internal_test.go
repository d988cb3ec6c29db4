package postgreskv

import (
	"testing"

	"github.com/pledgeworks/pledgeworks/kv"
)

// What was read of an object before it was changed again is no reason to forget the change.
func TestAnOldReadIsNotRemembered(t *testing.T) {
	c, o := &cache{}, kv.Object{Class: "campaign", Name: "film"}
	holds := func(v version, want string) {
		t.Helper()
		if got, known := c.get(o, v, "a"); !known || string(got) != want {
			t.Errorf("at version %d: %q, %t", v, got, known)
		}
	}
	c.note(o, 1, 2, map[string][]byte{"a": []byte("two")})
	before := c.notes(o)
	c.note(o, 2, 3, map[string][]byte{"a": []byte("three")})
	c.noteRead(o, before, 2, map[string][]byte{"a": []byte("two")})
	holds(3, "three")
	if c.shared(o) {
		t.Error("it is taken for one that another server has changed")
	}
	c.noteRead(o, c.notes(o), 9, map[string][]byte{"a": []byte("nine")})
	holds(9, "nine")
	if !c.shared(o) {
		t.Error("it is not seen that another server has changed it")
	}
}

// What an object's key held when it was last seen is known whatever version it has now; of
// an object that nobody has seen there is nothing.
func TestWhatWasLastSeen(t *testing.T) {
	c, o := &cache{}, kv.Object{Class: "campaign", Name: "film"}
	if v := c.old(o, "a"); v != nil {
		t.Errorf("nobody has seen it, and it held %q", v)
	}
	c.note(o, 1, 2, map[string][]byte{"a": []byte("two")})
	if v := c.old(o, "a"); string(v) != "two" {
		t.Errorf("it held %q", v)
	}
}

// An object is remembered up to a size, and begins anew behind it.
func TestALargeObjectIsForgotten(t *testing.T) {
	const full = objectBytes - entryBytes - 1 // a value that fills an object by itself, under a key of one letter
	large := make([]byte, objectBytes)
	type entry struct {
		key  string
		size int
	}
	for name, tt := range map[string]struct {
		noted []entry // one after the other
		known bool    // the first of them, when there is one more
	}{
		"full":              {[]entry{{"a", full}}, true},
		"more":              {[]entry{{"a", full + 1}}, false},
		"full of two":       {[]entry{{"a", full - 3e6}, {"b", 3e6 - entryBytes - 1}}, true},
		"more of two":       {[]entry{{"a", full - 3e6}, {"b", 3e6 - entryBytes}}, false},
		"a long key":        {[]entry{{"abc", full - 1}}, false},
		"written over":      {[]entry{{"a", full}, {"a", full}, {"a", full}}, true},
		"written over more": {[]entry{{"a", 5}, {"a", full + 1}}, false},
		"shrunk":            {[]entry{{"a", full}, {"a", full - 1000}, {"b", 1000 - entryBytes - 1}}, true},
	} {
		c, o := &cache{}, kv.Object{Class: "campaign", Name: "film"}
		for _, e := range tt.noted {
			c.note(o, 1, 1, map[string][]byte{e.key: large[:e.size]})
		}
		c.note(o, 1, 1, map[string][]byte{"last": nil})
		if _, known := c.get(o, 1, tt.noted[0].key); known != tt.known {
			t.Errorf("%s: it is known: %t", name, known)
		}
		if _, known := c.get(o, 1, "last"); !known {
			t.Errorf("%s: the last is not known", name)
		}
	}
}

// All objects together are remembered up to a size as well; what has taken another's place
// does not count twice.
func TestTheCacheIsForgottenWhenItIsFull(t *testing.T) {
	const objects = cacheBytes / objectBytes
	value := make([]byte, objectBytes-entryBytes) // with a key of one letter one byte more than an object's share
	name := func(n int) kv.Object { return kv.Object{Class: "campaign", Name: string(rune('a' + n))} }
	note := func(c *cache, n int, before version, size int) {
		c.note(name(n), before, 1, map[string][]byte{"k": value[:size]})
	}
	for what, tt := range map[string]struct {
		fill  func(*cache)
		known bool // the first object, when there is one more
	}{
		"full": {func(c *cache) {
			for n := range objects {
				note(c, n, 1, len(value)-1)
			}
		}, true},
		"more": {func(c *cache) {
			for n := range objects {
				note(c, n, 1, len(value)-min(n, 1))
			}
		}, false},
		"moved often": {func(c *cache) {
			note(c, 0, 1, 1)
			for range 3 * objects {
				note(c, 1, 9, len(value)-1)
			}
		}, true},
		"moved when full": {func(c *cache) {
			for n := range objects {
				note(c, n, 1, len(value)-min(n, 1))
			}
			note(c, 1, 9, len(value)-1)
		}, false},
	} {
		c := &cache{}
		tt.fill(c)
		note(c, objects, 1, 0)
		if _, known := c.get(name(0), 1, "k"); known != tt.known {
			t.Errorf("%s: the first object is known: %t", what, known)
		}
		if _, known := c.get(name(objects), 1, "k"); !known {
			t.Errorf("%s: the last object is not known", what)
		}
	}
}
