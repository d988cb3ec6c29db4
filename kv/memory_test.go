package kv_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
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
