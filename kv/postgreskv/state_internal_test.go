package postgreskv

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
)

type (
	put    struct{ Keys []string }
	remove struct{ Keys []string }
	follow struct {
		After string
		Limit int
	}
	look struct{ Keys []string }
)

func (put) Kind() string    { return "put" }
func (remove) Kind() string { return "remove" }
func (follow) Kind() string { return "follow" }
func (look) Kind() string   { return "look" }

func drawerClass() *kv.Class {
	c := kv.NewClass("drawer")
	each := func(keys []string, do func(string) error) (int, error) {
		for _, key := range keys {
			if err := do(key); err != nil {
				return 0, err
			}
		}
		return len(keys), nil
	}
	kv.OnRepeatable(c, func(tx kv.Tx, _ time.Time, cmd put) (int, error) {
		return each(cmd.Keys, func(key string) error { return tx.Put(key, []byte("new")) })
	})
	kv.OnRepeatable(c, func(tx kv.Tx, _ time.Time, cmd remove) (int, error) { return each(cmd.Keys, tx.Delete) })
	kv.OnRepeatable(c, func(tx kv.Tx, _ time.Time, cmd follow) (keys []string, err error) {
		all, err := tx.List("", cmd.After, cmd.Limit)
		for _, e := range all {
			keys = append(keys, e.Key)
		}
		return keys, err
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, q look) (int, error) {
		return each(q.Keys, func(key string) error { _, err := tx.Get(key); return err })
	})
	return c
}

// List sees the writes and deletions of earlier commands in the transaction.
func TestState_ListSeesEarlierCommands(t *testing.T) {
	class := drawerClass()
	db, err := Open(t.Context(), cluster.Database(t), Options{Now: time.Now, Classes: []*kv.Class{class}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var keys []string
	for i := range 30 {
		keys = append(keys, fmt.Sprintf("k%02d", i))
	}
	for name, tt := range map[string]struct {
		before kv.Command
		list   follow
		want   []string
	}{
		"many removed":             {remove{keys[:15]}, follow{"", 3}, keys[15:18]},
		"removed after the start":  {remove{keys[27:29]}, follow{keys[25], 9}, []string{"k26", "k29"}},
		"written after the start":  {put{[]string{"k281", "z"}}, follow{"k28", 9}, []string{"k281", "k29", "z"}},
		"written at the end":       {put{[]string{"k29", "z"}}, follow{"k29", 9}, []string{"z"}},
		"written before the start": {put{[]string{"a", "k27"}}, follow{"k28", 9}, []string{"k29"}},
		"limit zero":               {put{[]string{"a"}}, follow{"", 0}, nil},
		"written key as start":     {put{[]string{"z"}}, follow{"z", 9}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := kv.Object{Class: "drawer", Name: name}
			if _, err := kv.Send[int](t.Context(), db.Coordinator(), o, "begin", put{keys}); err != nil {
				t.Fatal(err)
			}
			var batch []*job
			var reply kv.Reply // the last one
			for i, cmd := range []kv.Command{tt.before, tt.list} {
				body, err := json.Marshal(cmd)
				if err != nil {
					t.Fatal(err)
				}
				sent := kv.Envelope{ID: fmt.Sprint(i), Kind: cmd.Kind(), Body: body}
				batch = append(batch, &job{lockKey: lockKey{object: o}, done: make(chan struct{}), run: func(s *scope) (err error) {
					reply, err = dispatch(class, s.state, db.now(), sent)
					return err
				}})
			}
			db.carryOut(batch)
			for _, u := range batch {
				if u.err != nil {
					t.Fatal(u.err)
				}
			}
			var got []string
			if err := json.Unmarshal(reply.Body, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("List (-want +got):\n%s", diff)
			}
		})
	}
}

// A query that reads nothing does not update the cache, whether or not the object
// exists.
func TestAsk_WithoutReads(t *testing.T) {
	db, err := Open(t.Context(), cluster.Database(t), Options{Now: time.Now, Classes: []*kv.Class{drawerClass()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	there, absent := kv.Object{Class: "drawer", Name: "there"}, kv.Object{Class: "drawer", Name: "absent"}
	if _, err := kv.Send[int](t.Context(), db.Coordinator(), there, "one", put{[]string{"k"}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		asked kv.Object
		look  look
		more  int
	}{
		{"looks", there, look{[]string{"k"}}, 1},
		{"no read", there, look{}, 0},
		{"absent", absent, look{[]string{"k"}}, 0},
	} {
		before := db.cache.Load().updates(tt.asked)
		if _, err := kv.Ask[int](t.Context(), db.Coordinator(), tt.asked, tt.look); err != nil {
			t.Fatal(err)
		}
		if more := db.cache.Load().updates(tt.asked) - before; more != tt.more {
			t.Errorf("%s: updated %d times, want %d", tt.name, more, tt.more)
		}
	}
}
