package sqlitekv_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Expiry has microsecond precision: a key exists exactly until its expiry.
func TestGet_ExpiryPrecision(t *testing.T) {
	c := newClock()
	c.Advance(-c.Now().Sub(c.Now().Truncate(time.Microsecond)))
	s := open(t, filepath.Join(t.TempDir(), "kv.db"), c.Now).Store("S")
	if err := s.Apply(ctx, []kv.Write{kv.PutUntil("k", []byte("v"), c.Now().Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Hour - time.Nanosecond)
	if _, err := s.Get(ctx, "k"); err != nil {
		t.Errorf("the key expired too early: %v", err)
	}
	c.Advance(time.Nanosecond)
	if _, err := s.Get(ctx, "k"); !fault.Is(err, fault.NotFound) {
		t.Errorf("the key has not expired: %v", err)
	}
}

// An expiry is stored up to the end of the year 9999; later ones mean never.
func TestPutUntil_LatestExpiry(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now)
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	err := db.Store("S").Apply(ctx,
		[]kv.Write{kv.PutUntil("last", nil, last), kv.PutUntil("never", nil, last.Add(time.Second))})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]time.Time{}
	for r, err := range db.Export(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got[r.Key] = r.Expires
	}
	if diff := cmp.Diff(map[string]time.Time{"last": last, "never": {}}, got); diff != "" {
		t.Errorf("expiries (-want +got):\n%s", diff)
	}
}

// Export yields the namespaces, then the objects, and stops when the caller does.
func TestExport_NamespacesThenObjects(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now, tally())
	if err := db.Store("S").Apply(ctx, []kv.Write{kv.Put("a", nil), kv.Put("b", nil)}); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Send[int](ctx, db.Coordinator(), board, "id", bump{"id"}); err != nil {
		t.Fatal(err)
	}
	read := func(most int) (namespaces, objects int) {
		for r, err := range db.Export(ctx) {
			switch {
			case err != nil:
				t.Fatal(err)
			case r.Object == board:
				objects++
			default:
				namespaces++
			}
			if namespaces+objects == most {
				break
			}
		}
		return namespaces, objects
	}
	if namespaces, objects := read(1); namespaces != 1 || objects != 0 {
		t.Errorf("first row: %d of namespaces, %d of objects", namespaces, objects)
	}
	if namespaces, objects := read(0); namespaces != 2 || objects == 0 {
		t.Errorf("all rows: %d of namespaces, %d of objects", namespaces, objects)
	}
}

// A page ends early if its values exceed twice the largest size.
func TestList_LargeValuesEndPageEarly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path, time.Now).Store("S")
	script(t, path, fmt.Sprintf(
		`INSERT INTO store (ns, key, value) VALUES ('S', 'a', zeroblob(%[1]d)), ('S', 'b', zeroblob(%[1]d)), ('S', 'c', x'00'), ('S', 'd', x'00')`,
		kv.MaxValue))
	for _, tt := range []struct {
		query      kv.Query
		keys, next string
	}{
		{kv.Query{}, "abc", "c"},
		{kv.Query{Cursor: "c"}, "d", ""},
		{kv.Query{KeysOnly: true}, "abcd", ""},
	} {
		page, err := s.List(ctx, tt.query)
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

// A failing file is an Unavailable fault for every operation.
func TestFailure_IsUnavailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	db := open(t, path, time.Now, tally())
	s := db.Store("S")
	script(t, path, "DROP TABLE store; DROP TABLE state")
	for name, do := range map[string]func() error{
		"get":       func() error { _, err := s.Get(ctx, "k"); return err },
		"list":      func() error { _, err := s.List(ctx, kv.Query{}); return err },
		"apply":     func() error { return s.Apply(ctx, []kv.Write{kv.Put("k", nil)}) },
		"increment": func() error { _, _, err := s.Increment(ctx, "k", 1, time.Now().Add(time.Hour)); return err },
		"command": func() error {
			_, err := kv.Send[int](ctx, db.Coordinator(), board, "id", bump{"id"})
			return err
		},
		"query": func() error {
			_, err := kv.Ask[int](ctx, db.Coordinator(), board, total{})
			return err
		},
	} {
		if err := do(); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v, want an Unavailable fault", name, err)
		}
	}
}

// Twice as many readers as processors can read at once.
func TestGet_ConcurrentReaders(t *testing.T) {
	const most = 8
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(most / 2))
	within, leave := context.WithTimeout(ctx, 10*time.Second) // only expires if the test fails
	defer leave()
	var there atomic.Int32
	met := make(chan struct{})
	c := kv.NewClass("tally")
	kv.OnQuery(c, func(kv.Tx, time.Time, total) (int, error) {
		if there.Add(1) == most {
			close(met)
		}
		select {
		case <-met:
			return 0, nil
		case <-within.Done():
			return 0, within.Err()
		}
	})
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now, c)
	var all sync.WaitGroup
	for range most {
		all.Go(func() {
			if _, err := kv.Ask[int](within, db.Coordinator(), board, total{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// An idle writer does not poll.
func TestWriter_IdleDoesNotPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now)
		if err := db.Store("S").Apply(ctx, []kv.Write{kv.Put("k", nil)}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until all goroutines are blocked
	})
}
