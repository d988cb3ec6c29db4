package memkv_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var (
	ctx  = context.Background()
	desk = kv.Object{Class: "desk", Name: "front"}
)

type note struct {
	Text string `json:"text"`
}

func (note) Kind() string { return "note" }

func deskClass() *kv.Class {
	c := kv.NewClass("desk")
	kv.On(c, func(tx kv.Tx, _ time.Time, cmd note) (string, error) {
		old, _, err := kv.Load[string](tx, "text")
		if err != nil {
			return "", err
		}
		return old + cmd.Text, kv.PutValue(tx, "text", old+cmd.Text)
	})
	return c
}

var errCut = errors.New("cut")

// If Apply fails before or after any write of a batch, exactly the writes up to there
// have taken effect.
func TestApply_FailureAtEveryWrite(t *testing.T) {
	batch := []kv.Write{kv.Put("a", []byte("1")), kv.Put("b", nil), kv.Delete("a"), kv.Put("c", nil)}
	states := [][]string{nil, {"a"}, {"a", "b"}, {"b"}, {"b", "c"}}
	for at := range batch {
		for _, after := range []bool{false, true} {
			var db *memkv.DB
			db = memkv.New(memkv.Options{Now: newClock().Now, Fail: func(op memkv.Op) error {
				_ = db.Snapshot() // concurrent snapshots are allowed
				if (op.Kind == memkv.OpPut || op.Kind == memkv.OpDelete) && op.Index == at && op.After == after {
					return errCut
				}
				return nil
			}})
			if err := db.Store("N").Apply(ctx, batch); !errors.Is(err, errCut) {
				t.Errorf("cut at %d: %v", at, err)
			}
			want := states[at]
			if after {
				want = states[at+1]
			}
			var got []string
			for _, e := range db.Snapshot().Stores["N"] {
				got = append(got, e.Key)
			}
			if !slices.Equal(got, want) {
				t.Errorf("cut at %d (after: %v) leaves %q, want %q", at, after, got, want)
			}
		}
	}
}

func TestDo_FailureBeforeAndAfter(t *testing.T) {
	var cut memkv.Op
	db := memkv.New(memkv.Options{Now: newClock().Now, Classes: []*kv.Class{deskClass()}, Fail: func(op memkv.Op) error {
		if op.Kind == cut.Kind && op.After == cut.After {
			return errCut
		}
		return nil
	}})
	for _, c := range []struct {
		after bool
		id    string
		holds string
	}{{false, "first", ""}, {true, "first", `"x"`}, {false, "second", `"x"`}, {true, "second", `"xx"`}} {
		cut = memkv.Op{Kind: memkv.OpDo, After: c.after}
		if _, err := kv.Send[string](ctx, db.Coordinator(), desk, c.id, note{"x"}); !errors.Is(err, errCut) {
			t.Errorf("%+v: %v", c, err)
		}
		holds := ""
		for _, e := range db.Snapshot().Objects[desk] {
			if e.Key == "text" {
				holds = string(e.Value)
			}
		}
		if holds != c.holds {
			t.Errorf("%+v: the object holds %s", c, holds)
		}
	}
	cut = memkv.Op{}
	if text, err := kv.Send[string](ctx, db.Coordinator(), desk, "first", note{"x"}); text != "x" || err != nil {
		t.Errorf("the redelivered command answers %q, %v, want x", text, err)
	}
	cut = memkv.Op{Kind: memkv.OpIncrement, After: true}
	if _, _, err := db.Store("").Increment(ctx, "n", 9, newClock().Now().Add(time.Hour)); !errors.Is(err, errCut) {
		t.Errorf("Increment: %v", err)
	}
	if len(db.Snapshot().Stores[""]) != 1 {
		t.Error("the count was lost together with its answer")
	}
}

func TestStaleReads(t *testing.T) {
	clock := newClock()
	db := memkv.New(memkv.Options{Now: clock.Now, Stale: time.Minute})
	s := db.Store("")
	put := func(w kv.Write) {
		if err := s.Apply(ctx, []kv.Write{w}); err != nil {
			t.Fatal(err)
		}
	}
	sees := func(want string) {
		t.Helper()
		v, err := s.Get(ctx, "k")
		if want == "" && !fault.Is(err, fault.NotFound) || want != "" && string(v) != want {
			t.Errorf("read %q, %v, want %q", v, err, want)
		}
		page, _ := s.List(ctx, kv.Query{})
		if (len(page.Entries) == 1) != (want != "") {
			t.Errorf("listed %q, want %q", page.Entries, want)
		}
	}
	put(kv.Put("k", []byte("one")))
	sees("") // a new key is not visible yet
	clock.Advance(40 * time.Second)
	put(kv.Put("k", []byte("two")))
	clock.Advance(20 * time.Second)
	sees("one")
	clock.Advance(40 * time.Second)
	sees("two")
	put(kv.Delete("k"))
	sees("two") // a deleted key is still visible
	if len(db.Snapshot().Stores[""]) != 0 {
		t.Error("the snapshot is stale")
	}
	clock.Advance(time.Minute)
	sees("")
}

// Reads for which Newest returns true are not stale; all others are.
func TestStaleReads_Newest(t *testing.T) {
	near := true
	s := memkv.New(memkv.Options{Now: newClock().Now, Stale: time.Minute, Newest: func() bool { return near }}).Store("")
	if err := s.Apply(ctx, []kv.Write{kv.Put("k", []byte("new"))}); err != nil {
		t.Fatal(err)
	}
	v, err := s.Get(ctx, "k")
	page, _ := s.List(ctx, kv.Query{})
	if string(v) != "new" || err != nil || len(page.Entries) != 1 {
		t.Errorf("newest: read %q, %v, listed %v", v, err, page.Entries)
	}
	near = false
	_, err = s.Get(ctx, "k")
	page, _ = s.List(ctx, kv.Query{})
	if !fault.Is(err, fault.NotFound) || len(page.Entries) != 0 {
		t.Errorf("stale: read %v, listed %v", err, page.Entries)
	}
}

// A stale read skips all versions that are too new.
func TestStaleReads_ManyVersions(t *testing.T) {
	clock := newClock()
	s := memkv.New(memkv.Options{Now: clock.Now, Stale: time.Minute}).Store("")
	for i := range 5 {
		if err := s.Apply(ctx, []kv.Write{kv.Put("k", fmt.Append(nil, i))}); err != nil {
			t.Fatal(err)
		}
		clock.Advance(10 * time.Second)
	}
	clock.Advance(10 * time.Second)
	for want := range 5 {
		if v, err := s.Get(ctx, "k"); string(v) != fmt.Sprint(want) || err != nil {
			t.Errorf("read %q, %v, want %d", v, err, want)
		}
		clock.Advance(10 * time.Second)
	}
}

// Without staleness, a read returns the last write even if the clock was set back.
func TestGet_ClockSetBack(t *testing.T) {
	clock := newClock()
	s := memkv.New(memkv.Options{Now: clock.Now}).Store("")
	if err := s.Apply(ctx, []kv.Write{kv.Put("k", []byte("new"))}); err != nil {
		t.Fatal(err)
	}
	clock.Advance(-time.Hour)
	if v, err := s.Get(ctx, "k"); string(v) != "new" || err != nil {
		t.Errorf("read %q, %v", v, err)
	}
}

func TestSnapshot_IsDeepCopy(t *testing.T) {
	db := memkv.New(memkv.Options{Now: newClock().Now, Classes: []*kv.Class{deskClass()}})
	if err := db.Store("A").Apply(ctx, []kv.Write{kv.Put("k", []byte("in A"))}); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Send[string](ctx, db.Coordinator(), desk, "id", note{"secret"}); err != nil {
		t.Fatal(err)
	}
	idle := kv.Object{Class: "desk", Name: "idle"}
	if _, err := db.Coordinator().Do(ctx, idle, kv.Envelope{ID: "id", Kind: "unknown"}); err == nil {
		t.Error("an unknown command ran")
	}
	snap := db.Snapshot()
	if _, there := snap.Objects[idle]; there {
		t.Error("the snapshot contains an object without state")
	}
	var keys []string
	for _, e := range snap.Objects[desk] {
		keys = append(keys, e.Key)
	}
	want := []string{"text", "~reply/id", "~sweep/20310504T030201Z/id"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("the object's keys (-want +got):\n%s", diff)
	}
	copy(snap.Stores["A"][0].Value, "XXXX")
	if diff := cmp.Diff([]kv.Entry{{Key: "k", Value: []byte("in A")}}, db.Snapshot().Stores["A"]); diff != "" {
		t.Errorf("a snapshot shares memory with the store:\n%s", diff)
	}
}

func TestSnapshot_WithoutStore(t *testing.T) {
	db := memkv.New(memkv.Options{Now: newClock().Now})
	for _, namespace := range []string{"A", "B"} {
		if err := db.Store(namespace).Apply(ctx, []kv.Write{kv.Put("k", nil)}); err != nil {
			t.Fatal(err)
		}
	}
	s := db.Snapshot("B")
	if _, there := s.Stores["B"]; there || len(s.Stores["A"]) != 1 {
		t.Errorf("the snapshot without B contains %v", s.Stores)
	}
}

// Restore removes later writes and keeps the expiry of restored values.
func TestRestore(t *testing.T) {
	clock := newClock()
	db := memkv.New(memkv.Options{Now: clock.Now, Classes: []*kv.Class{deskClass()}, Stale: time.Minute})
	later := kv.Object{Class: "desk", Name: "later"}
	send := func(to kv.Object, id string) {
		t.Helper()
		if _, err := kv.Send[string](ctx, db.Coordinator(), to, id, note{id}); err != nil {
			t.Fatal(err)
		}
	}
	put := func(writes ...kv.Write) {
		t.Helper()
		if err := db.Store("A").Apply(ctx, writes); err != nil {
			t.Fatal(err)
		}
	}
	put(kv.Put("k", []byte("1")), kv.Write{Key: "short", Value: []byte("1"), Expires: clock.Now().Add(time.Hour)})
	send(desk, "first")
	snap := db.Snapshot()
	clock.Advance(10 * time.Minute)
	put(kv.Put("k", []byte("2")), kv.Put("new", []byte("2")), kv.Delete("short"))
	send(desk, "second")
	send(later, "second")
	other := db.Snapshot().Objects[desk]

	db.Restore(snap)
	if diff := cmp.Diff(snap, db.Snapshot()); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if got, err := db.Store("A").Get(ctx, "k"); string(got) != "1" || err != nil {
		t.Errorf("stale read: %s, %v", got, err)
	}
	db.RestoreObject(desk, memkv.Snapshot{Objects: map[kv.Object][]kv.Entry{desk: other}})
	if diff := cmp.Diff(other, db.Snapshot().Objects[desk]); diff != "" {
		t.Errorf("one object (-want +got):\n%s", diff)
	}
	clock.Advance(time.Hour)
	if all := db.Snapshot().Stores["A"]; len(all) != 1 || all[0].Key != "k" {
		t.Errorf("an hour later: %v", all)
	}
}

// Expired values, and old versions kept for stale reads, do not accumulate.
func TestSweep_BoundsMemory(t *testing.T) {
	clock := newClock()
	s := memkv.New(memkv.Options{Now: clock.Now, Stale: time.Second}).Store("")
	write := func(round int) {
		for i := range 1000 {
			w := kv.PutUntil(fmt.Sprintf("%d/%d", round, i), make([]byte, 1000), clock.Now().Add(2*time.Minute))
			if err := s.Apply(ctx, []kv.Write{w, kv.Put("same", make([]byte, 1000))}); err != nil {
				t.Fatal(err)
			}
		}
		clock.Advance(3 * time.Minute)
	}
	write(0)
	before := heap()
	for round := range 60 { // 60 MB of expiring values and as much of old versions
		write(round)
	}
	if grown := int64(heap()) - int64(before); grown > 8<<20 {
		t.Errorf("memory grew by %d bytes", grown)
	}
	runtime.KeepAlive(s)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
