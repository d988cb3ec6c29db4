package postgreskv_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
)

var pair = kv.Object{Class: "pair", Name: "one"}

type (
	// set writes a number to both keys of the pair.
	set struct {
		N int `json:"n"`
	}
	// both reads one key and then the other.
	both struct{}
	// garble writes and returns an answer that cannot be encoded.
	garble struct{}
	// lists reads the first keys with different limits.
	lists struct {
		Limits []int `json:"limits"`
	}
)

func (set) Kind() string    { return "set" }
func (both) Kind() string   { return "both" }
func (garble) Kind() string { return "garble" }
func (lists) Kind() string  { return "lists" }

// pairs returns a class whose objects are changed by meanwhile between the reads of a
// query.
func pairs(meanwhile func()) *kv.Class {
	c := kv.NewClass("pair")
	keep := func(tx kv.Tx, n int) error {
		if err := kv.PutValue(tx, "a", n); err != nil {
			return err
		}
		return kv.PutValue(tx, "b", n)
	}
	kv.On(c, func(tx kv.Tx, _ time.Time, cmd set) (int, error) { return cmd.N, keep(tx, cmd.N) })
	kv.On(c, func(tx kv.Tx, _ time.Time, _ garble) (json.RawMessage, error) {
		return json.RawMessage("{"), keep(tx, 99)
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, _ both) ([]int, error) {
		a, _, err := kv.Load[int](tx, "a")
		if err != nil {
			return nil, err
		}
		meanwhile()
		b, _, err := kv.Load[int](tx, "b")
		return []int{a, b}, err
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, q lists) (found []int, err error) {
		for _, limit := range q.Limits {
			all, err := tx.List("", "", limit)
			if err != nil {
				return nil, err
			}
			found = append(found, len(all))
		}
		return found, nil
	})
	return c
}

// If another server changes an object during a query, the query starts over: it never
// mixes two states.
func TestAsk_ConsistentSnapshot(t *testing.T) {
	url := cluster.Database(t)
	other := open(t, url, time.Now, pairs(nil)).Coordinator()
	becomes := func(n int) {
		t.Helper()
		if _, err := kv.Send[int](t.Context(), other, pair, fmt.Sprint(n), set{n}); err != nil {
			t.Error(err)
		}
	}
	becomes(1)
	asked := 0
	co := open(t, url, time.Now, pairs(func() {
		if asked++; asked < 3 {
			becomes(10 * asked)
		}
	})).Coordinator()
	got, err := kv.Ask[[]int](t.Context(), co, pair, both{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{20, 20}, got); diff != "" || asked != 3 {
		t.Errorf("after %d runs, the answer is (-want +got):\n%s", asked, diff)
	}
}

// A command whose answer cannot be stored has not run.
func TestDo_UnencodableAnswer(t *testing.T) {
	co := open(t, cluster.Database(t), time.Now, pairs(func() {})).Coordinator()
	if _, err := kv.Send[int](t.Context(), co, pair, "one", set{1}); err != nil {
		t.Fatal(err)
	}
	if got, err := kv.Send[json.RawMessage](t.Context(), co, pair, "two", garble{}); err == nil {
		t.Errorf("answer %s", got)
	}
	got, err := kv.Ask[[]int](t.Context(), co, pair, both{})
	if diff := cmp.Diff([]int{1, 1}, got); diff != "" || err != nil {
		t.Errorf("%v, state (-want +got):\n%s", err, diff)
	}
}

// A longer list reads more entries after a short one; a complete one is not read again.
func TestTx_ListWithGrowingLimits(t *testing.T) {
	db := open(t, cluster.Database(t), time.Now, pairs(nil))
	var rows []kv.Row
	for i := range 50 {
		rows = append(rows, kv.Row{Object: pair, Key: fmt.Sprintf("k%02d", i), Value: []byte("1")})
	}
	if err := db.Import(t.Context(), rowsOf(rows)); err != nil {
		t.Fatal(err)
	}
	got, err := kv.Ask[[]int](t.Context(), db.Coordinator(), pair, lists{[]int{1, 2, 40, 3, 100, 200, 9}})
	if diff := cmp.Diff([]int{1, 2, 40, 3, 50, 50, 9}, got); diff != "" || err != nil {
		t.Errorf("%v, found (-want +got):\n%s", err, diff)
	}
}
