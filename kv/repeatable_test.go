package kv_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// A repeatable command runs at every delivery and stores no reply: a refusal ends when
// its reason does.
func TestOnRepeatable_StoresNoReply(t *testing.T) {
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
		t.Fatalf("while closed: %+v, %v, keys %v", r, err, s.m)
	}
	open = true
	for want := 2; want <= 3; want++ {
		if r, err := c.Dispatch(s, now, command("one")); err != nil || r.Refused != nil || ran != want {
			t.Errorf("delivery %d: %+v, %v, ran %d times", want, r, err, ran)
		}
	}
	if len(s.m) != 1 || string(s.m["balance"]) != "5" {
		t.Errorf("stored keys: %v", s.m)
	}
	if _, err := c.Dispatch(s, now, command("")); err == nil {
		t.Error("a command without an identity ran")
	}
}
