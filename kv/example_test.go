package kv_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type seat struct {
	For string `json:"for"`
}

func (seat) Kind() string { return "seat" }

// A class defines the commands of many small objects; here each object is a table with
// two seats. A command that is sent again returns its first reply.
func Example_object() {
	tables := kv.NewClass("table")
	kv.On(tables, func(tx kv.Tx, _ time.Time, cmd seat) (int, error) {
		taken, _, err := kv.Load[int](tx, "taken")
		if err != nil {
			return 0, err
		}
		if taken == 2 {
			return 0, fault.New(fault.SoldOut, "the table is full")
		}
		return taken + 1, kv.PutValue(tx, "taken", taken+1)
	})
	db := memkv.New(memkv.Options{Now: time.Now, Classes: []*kv.Class{tables}})

	ctx, co, seven := context.Background(), db.Coordinator(), kv.Object{Class: "table", Name: "7"}
	for _, guest := range []string{"Ada", "Bo", "Ada", "Cy"} {
		n, err := kv.Send[int](ctx, co, seven, "seat-"+guest, seat{For: guest})
		fmt.Printf("%s %d %q\n", guest, n, fault.CodeOf(err))
	}
	// Output:
	// Ada 1 ""
	// Bo 2 ""
	// Ada 1 ""
	// Cy 0 "sold_out"
}

// A store holds plain keys and values. The writes of a batch are applied in order.
func Example_store() {
	var s kv.Store = memkv.New(memkv.Options{Now: time.Now}).Store("")
	ctx := context.Background()
	err := s.Apply(ctx, []kv.Write{
		kv.Put("stats:lamp", []byte("12")),
		kv.Put("stats:radio", []byte("7")),
		kv.PutUntil("draft:lamp", []byte("…"), time.Now().Add(time.Hour)),
	})
	fmt.Println(err)
	for e, err := range kv.All(ctx, s, "stats:") {
		fmt.Printf("%s %s %v\n", e.Key, e.Value, err)
	}
	// Output:
	// <nil>
	// stats:lamp 12 <nil>
	// stats:radio 7 <nil>
}
