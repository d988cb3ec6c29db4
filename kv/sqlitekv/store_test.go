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

// The file keeps microseconds: a key that ends at one of them is there until then, and no
// longer.
func TestAKeyLivesToTheMoment(t *testing.T) {
	c := newClock()
	c.Advance(-c.Now().Sub(c.Now().Truncate(time.Microsecond)))
	s := open(t, filepath.Join(t.TempDir(), "kv.db"), c.Now).Store("S")
	if err := s.Apply(ctx, []kv.Write{kv.PutUntil("k", []byte("v"), c.Now().Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Hour - time.Nanosecond)
	if _, err := s.Get(ctx, "k"); err != nil {
		t.Errorf("it has ended too early: %v", err)
	}
	c.Advance(time.Nanosecond)
	if _, err := s.Get(ctx, "k"); !fault.Is(err, fault.NotFound) {
		t.Errorf("it has not ended: %v", err)
	}
}

// An expiry is kept to the end of the year 9999; beyond it, it is never.
func TestTheLastExpiry(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now)
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	err := db.Store("S").Apply(ctx, []kv.Write{kv.PutUntil("last", nil, last), kv.PutUntil("never", nil, last.Add(time.Second))})
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
		t.Errorf("the expiries (-want +got):\n%s", diff)
	}
}

// An export goes through the namespaces and then the objects, and no further than it is read.
func TestAnExportHasObjectsToo(t *testing.T) {
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
		t.Errorf("the first row: %d of namespaces, %d of objects", namespaces, objects)
	}
	if namespaces, objects := read(0); namespaces != 2 || objects == 0 {
		t.Errorf("all: %d of namespaces, %d of objects", namespaces, objects)
	}
}

// A page ends early where its values are more than two of the largest.
func TestAPageOfLargeValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path, time.Now).Store("S")
	script(t, path, fmt.Sprintf(`INSERT INTO store (ns, key, value) VALUES ('S', 'a', zeroblob(%[1]d)), ('S', 'b', zeroblob(%[1]d)), ('S', 'c', x'00'), ('S', 'd', x'00')`, kv.MaxValue))
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
			t.Errorf("%+v lists %q and then %q, want %q and %q", tt.query, keys.String(), page.Next, tt.keys, tt.next)
		}
	}
}

// What the file cannot do is a fault of the storage, by whatever way one comes to it.
func TestAFailureIsOfTheStorage(t *testing.T) {
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
			t.Errorf("%s: %v, want a fault Unavailable", name, err)
		}
	}
}

// Of those who read, as many go on at once as twice the processors.
func TestReadersGoOnAtOnce(t *testing.T) {
	const most = 8
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(most / 2))
	within, leave := context.WithTimeout(ctx, 10*time.Second) // ends only a test that fails
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

// A writer with nothing to do rests: it does not look again and again.
func TestAnIdleWriterRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now)
		if err := db.Store("S").Apply(ctx, []kv.Write{kv.Put("k", nil)}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until all goroutines rest
	})
}
