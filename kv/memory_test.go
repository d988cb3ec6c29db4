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

// An answer is remembered for as long as anybody delivers again, and is then
// swept away by a later command. One in eight sweeps, by its identity.
func TestAnswersAreRememberedForTwoDays(t *testing.T) {
	tests := []struct {
		name  string
		after time.Duration
		id    string // of the later command
		runs  int    // of both together, and the first delivered again
	}{
		{"within the time", kv.ReplyMemory - time.Second, "later-0", 2},
		{"to the second", kv.ReplyMemory, "later-0", 2},
		{"beyond it", kv.ReplyMemory + time.Second, "later-0", 3},
		{"beyond it, and one that sweeps not", kv.ReplyMemory + time.Second, "later-1", 2},
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

// Memory shrinks faster than it grows, however much there is.
func TestMemoryShrinks(t *testing.T) {
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
		t.Errorf("%d keys for the 100 that are not yet old", len(s.m))
	}
}

// An identity belongs to one command: a second kind of command under it is
// neither run nor answered with the first one's reply.
func TestAnIdentityIsOfOneCommand(t *testing.T) {
	c := kv.NewClass("account")
	kv.On(c, func(kv.Tx, time.Time, deposit) (int, error) { return 1, nil })
	kv.On(c, func(kv.Tx, time.Time, script) (int, error) {
		t.Error("it ran")
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

// An object that gets no more commands forgets its last answers when it is told to, all
// that are old enough and nothing else.
func TestForget(t *testing.T) {
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
		if err := kv.Forget(context.Background(), co, object); err != nil {
			t.Fatal(err)
		}
		if got := len(db.Snapshot().Objects[object]); got != want {
			t.Errorf("%d keys are left, want %d", got, want)
		}
	}
	for i := range many {
		send(fmt.Sprint(i, "-1")) // none of which sweeps
	}
	at = at.Add(time.Hour)
	send("young")
	at = now.Add(kv.ReplyMemory)
	keys(1 + 2*(many+1))
	at = at.Add(time.Second)
	keys(1 + 2)
	if send("young"); runs != many+1 {
		t.Error("what is young is forgotten")
	}
	at = at.Add(time.Hour)
	keys(1)
}
