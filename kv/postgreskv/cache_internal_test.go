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
