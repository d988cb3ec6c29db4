package postgreskv_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The database has microsecond precision: a key exists exactly until its expiry,
// rounded up.
func TestGet_ExpiryPrecision(t *testing.T) {
	c := newClock()
	s := open(t, cluster.Database(t), c.Now).Store("S")
	const life = time.Hour // from a time with nanoseconds
	if err := s.Apply(t.Context(), []kv.Write{kv.PutUntil("k", []byte("v"), c.Now().Add(life))}); err != nil {
		t.Fatal(err)
	}
	c.Advance(life - time.Nanosecond)
	if _, err := s.Get(t.Context(), "k"); err != nil {
		t.Errorf("the key expired too early: %v", err)
	}
	c.Advance(time.Microsecond)
	if _, err := s.Get(t.Context(), "k"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the key has not expired: %v", err)
	}
}

// At a key's expiry, a counter starts over and a reader sees nothing.
func TestIncrement_AtExpiry(t *testing.T) {
	c := newClock()
	c.Advance(-c.Now().Sub(c.Now().Truncate(time.Microsecond)))
	s := open(t, cluster.Database(t), c.Now).Store("S")
	if err := s.Apply(t.Context(),
		[]kv.Write{kv.PutUntil("k", []byte("no counter"), c.Now().Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Hour)
	if _, err := s.Get(t.Context(), "k"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the key has not expired: %v", err)
	}
	if n, over, err := s.Increment(t.Context(), "k", 2, c.Now().Add(time.Hour)); n.N != 1 || over || err != nil {
		t.Errorf("counter %v, %t, %v, want it to start over", n, over, err)
	}
}

// A page ends early if its values exceed twice the largest size.
func TestList_LargeValuesEndPageEarly(t *testing.T) {
	url := cluster.Database(t)
	s := open(t, url, time.Now).Store("S")
	conn := connect(t, url)
	exec(t, conn, `ALTER TABLE store SET UNLOGGED`) // faster
	if _, err := conn.Exec(t.Context(),
		`INSERT INTO store SELECT 'S', key, convert_to(repeat('x', size), 'UTF8') FROM (VALUES ('a', $1::int), ('b', $1), ('c', 1), ('d', 1)) v (key, size)`,
		kv.MaxValue); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		query      kv.Query
		keys, next string
	}{
		{kv.Query{}, "abc", "c"},
		{kv.Query{Cursor: "c"}, "d", ""},
		{kv.Query{KeysOnly: true}, "abcd", ""},
	} {
		page, err := s.List(t.Context(), tt.query)
		if err != nil {
			t.Fatal(err)
		}
		var keys strings.Builder
		for _, e := range page.Entries {
			keys.WriteString(e.Key)
		}
		if keys.String() != tt.keys || page.Next != tt.next {
			t.Errorf("%+v lists %q, next %q, want %q, next %q", tt.query, keys.String(), page.Next, tt.keys, tt.next)
		}
	}
}

// A failing database is an Unavailable fault for every operation.
func TestFailure_IsUnavailable(t *testing.T) {
	url := cluster.Database(t)
	db := open(t, url, time.Now, stock())
	s := db.Store("S")
	exec(t, connect(t, url), `DROP TABLE store, state`)
	for name, do := range map[string]func() error{
		"get":       func() error { _, err := s.Get(t.Context(), "k"); return err },
		"list":      func() error { _, err := s.List(t.Context(), kv.Query{}); return err },
		"apply":     func() error { return s.Apply(t.Context(), []kv.Write{kv.Put("k", nil)}) },
		"increment": func() error { _, _, err := s.Increment(t.Context(), "k", 1, time.Now().Add(time.Hour)); return err },
		"command": func() error {
			_, err := db.Coordinator().Do(t.Context(), hot, kv.Envelope{ID: "one", Kind: "take", Body: []byte(`{"limit":1}`)})
			return err
		},
		"query": func() error {
			_, err := db.Coordinator().Do(t.Context(), hot, kv.Envelope{Kind: "count", Body: []byte(`{}`)})
			return err
		},
		"export": func() (failed error) {
			for _, err := range db.Export(t.Context()) {
				failed = err
			}
			return failed
		},
	} {
		if err := do(); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v, want an Unavailable fault", name, err)
		}
	}
}
