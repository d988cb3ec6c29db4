package kv_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A repeatable command is run at every delivery and leaves no memory: its
// refusal lasts no longer than its reason, and the object keeps no key of it.
func TestARepeatableCommandIsNotRemembered(t *testing.T) {
	open, ran := false, 0
	c := kv.NewClass("account")
	kv.OnRepeatable(c, func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
		ran++
		if !open {
			return 0, fault.New(fault.Conflict, "closed")
		}
		return ran, tx.Put("balance", []byte("5"))
	})
	s := &state{m: map[string][]byte{}}
	if r, err := c.Dispatch(s, now, command("one")); err != nil || r.Refused == nil || len(s.m) != 0 {
		t.Fatalf("while it is closed: %+v, %v, keys %v", r, err, s.m)
	}
	open = true
	for want := 2; want <= 3; want++ {
		if r, err := c.Dispatch(s, now, command("one")); err != nil || r.Refused != nil || ran != want {
			t.Errorf("delivery %d: %+v, %v, ran %d times", want, r, err, ran)
		}
	}
	if len(s.m) != 1 || string(s.m["balance"]) != "5" {
		t.Errorf("the object keeps %v", s.m)
	}
	if _, err := c.Dispatch(s, now, command("")); err == nil {
		t.Error("a command without an identity ran")
	}
}
