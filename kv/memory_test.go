package kv_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// A reply is stored for ReplyMemory and deleted by a later command. One in eight
// commands sweeps, depending on its identity.
func TestReplies_AreKeptForReplyMemory(t *testing.T) {
	tests := []struct {
		name  string
		after time.Duration
		id    string // identity of the later command
		runs  int    // of both commands, and the first one delivered again
	}{
		{"within the time", kv.ReplyMemory - time.Second, "later-0", 2},
		{"exactly at its end", kv.ReplyMemory, "later-0", 2},
		{"after it", kv.ReplyMemory + time.Second, "later-0", 3},
		{"after it, later command does not sweep", kv.ReplyMemory + time.Second, "later-1", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runs := 0
			c := kv.NewClass("account")
			kv.On(c, func(kv.Tx, time.Time, deposit) (int, error) {
				runs++
				return runs, nil
			})
			s := &state{m: map[string][]byte{}}
			for at, id := range []string{"first", tt.id, "first"} {
				when := now
				if at > 0 {
					when = now.Add(tt.after)
				}
				if _, err := c.Dispatch(s, when, command(id)); err != nil {
					t.Fatal(err)
				}
			}
			if runs != tt.runs || len(s.m) != 4 {
				t.Errorf("%d runs, want %d; the object keeps %d keys: %s", runs, tt.runs, len(s.m), s.m)
			}
		})
	}
}

// Sweeping deletes more replies than are added.
func TestReplies_SweepOutpacesGrowth(t *testing.T) {
	c := kv.NewClass("account")
	kv.On(c, func(kv.Tx, time.Time, deposit) (int, error) { return 0, nil })
	s := &state{m: map[string][]byte{}}
	send := func(n int, prefix string, at time.Time) {
		for i := range n {
			id := prefix + strings.Repeat("i", i/10) + string(rune('0'+i%10))
			if _, err := c.Dispatch(s, at, command(id)); err != nil {
				t.Fatal(err)
			}
		}
	}
	send(100, "a", now)
	send(100, "b", now.Add(kv.ReplyMemory+time.Hour))
	if len(s.m) != 2*100 {
		t.Errorf("%d keys remain for the 100 replies that have not expired", len(s.m))
	}
}

// If an identity is reused for another kind of command, the command neither runs nor
// returns the first reply.
func TestDispatch_IdentityReusedByAnotherCommand(t *testing.T) {
	c := kv.NewClass("account")
	kv.On(c, func(kv.Tx, time.Time, deposit) (int, error) { return 1, nil })
	kv.On(c, func(kv.Tx, time.Time, script) (int, error) {
		t.Error("the second command ran")
		return 2, nil
	})
	s := &state{m: map[string][]byte{}}
	if _, err := c.Dispatch(s, now, command("id")); err != nil {
		t.Fatal(err)
	}
	other := kv.Envelope{ID: "id", Kind: "script", Body: []byte(`{}`)}
	if r, err := c.Dispatch(s, now, other); err == nil {
		t.Errorf("answered %s", r.Body)
	}
}

// DropReplies deletes all expired replies of an object, and nothing else.
func TestDropReplies(t *testing.T) {
	const many = 1203
	at := now
	c := kv.NewClass("account")
	runs := 0
	kv.On(c, func(tx kv.Tx, _ time.Time, _ deposit) (int, error) {
		runs++
		return runs, tx.Put("balance", []byte("5"))
	})
	db := memkv.New(memkv.Options{Now: func() time.Time { return at }, Classes: []*kv.Class{c}})
	object, co := kv.Object{Class: "account", Name: "ana"}, db.Coordinator()
	send := func(id string) {
		t.Helper()
		if _, err := kv.Send[int](context.Background(), co, object, id, deposit{}); err != nil {
			t.Fatal(err)
		}
	}
	keys := func(want int) {
		t.Helper()
		if err := kv.DropReplies(context.Background(), co, object); err != nil {
			t.Fatal(err)
		}
		if got := len(db.Snapshot().Objects[object]); got != want {
			t.Errorf("%d keys are left, want %d", got, want)
		}
	}
	for i := range many {
		send(fmt.Sprint(i, "-1")) // none of these sweeps
	}
	at = at.Add(time.Hour)
	send("young")
	at = now.Add(kv.ReplyMemory)
	keys(1 + 2*(many+1))
	at = at.Add(time.Second)
	keys(1 + 2)
	if send("young"); runs != many+1 {
		t.Error("a reply that has not expired was deleted")
	}
	at = at.Add(time.Hour)
	keys(1)
}
