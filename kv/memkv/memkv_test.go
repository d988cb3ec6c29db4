package memkv_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/kvtest"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
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

var errLost = errors.New("the answer is lost")

func harness(namespace string, stale time.Duration) kvtest.Harness {
	clock := newClock()
	lose := false
	return kvtest.Harness{
		Open: func(t testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator) {
			db := memkv.New(memkv.Options{Now: clock.Now, Classes: classes, Stale: stale, Fail: func(op memkv.Op) error {
				if lose && op.Kind == memkv.OpDo && op.After {
					lose = false
					return errLost
				}
				return nil
			}})
			if namespace != "" {
				fillNeighbour(t, db.Store(""))
			}
			return db.Store(namespace), db.Coordinator()
		},
		Crash:   func(testing.TB) { lose = true },
		Now:     clock.Now,
		Advance: clock.Advance,
		Stale:   stale > 0,
	}
}

// fillNeighbour writes the keys that the suite uses to another namespace.
func fillNeighbour(t testing.TB, s kv.Store) {
	t.Helper()
	for _, key := range []string{"k", "k/00001", "a", "nothing", "v"} {
		if err := s.Apply(t.Context(), []kv.Write{kv.Put(key, []byte("the neighbour's"))}); err != nil {
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
	t.Run("plain", func(t *testing.T) { kvtest.Run(t, harness("", 0)) })
	t.Run("stale", func(t *testing.T) { kvtest.Run(t, harness("", time.Minute)) })
	t.Run("namespace", func(t *testing.T) { kvtest.Run(t, harness("VOTES", 0)) })
}

func Benchmark(b *testing.B) { kvtest.Bench(b, harness("", 0)) }
