package sqlitekv_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/kvtest"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
)

// clock is a manually advanced clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2031, 5, 4, 3, 2, 1, 987654321, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t testing.TB, path string, now func() time.Time, classes ...*kv.Class) *sqlitekv.DB {
	t.Helper()
	db, err := sqlitekv.Open(context.Background(), path, sqlitekv.Options{Now: now, Classes: classes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func harness(namespace string) kvtest.Harness {
	clock := newClock()
	var path string
	var serves []*kv.Class
	var db *sqlitekv.DB
	return kvtest.Harness{
		Open: func(t testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator) {
			path, serves = filepath.Join(t.TempDir(), "kv.db"), classes
			db = open(t, path, clock.Now, serves...)
			if namespace != "" {
				fillNeighbour(t, db.Store(""))
			}
			return db.Store(namespace), db.Coordinator()
		},
		// The previous one stays open, like that of a hung process.
		Reopen: func(t testing.TB) (kv.Store, kv.Coordinator) {
			db = open(t, path, clock.Now, serves...)
			return db.Store(namespace), db.Coordinator()
		},
		Now:     clock.Now,
		Advance: clock.Advance,
	}
}

// fillNeighbour writes the keys that the suite uses to another namespace.
func fillNeighbour(t testing.TB, s kv.Store) {
	t.Helper()
	for _, key := range []string{"k", "k/00001", "a", "nothing", "v"} {
		if err := s.Apply(context.Background(), []kv.Write{kv.Put(key, []byte("the neighbour's"))}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		page, err := s.List(context.Background(), kv.Query{})
		if len(page.Entries) != 5 || err != nil {
			t.Errorf("the neighbour has %d keys left of 5: %v", len(page.Entries), err)
		}
	})
}

func TestConformance(t *testing.T) {
	t.Run("plain", func(t *testing.T) { kvtest.Run(t, harness("")) })
	t.Run("namespace", func(t *testing.T) { kvtest.Run(t, harness("VOTES")) })
}
