package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// brokenStore passes calls through, except those with a replacement.
type brokenStore struct {
	kv.Store
	get   func(ctx context.Context, key string) ([]byte, error)
	list  func(ctx context.Context, q kv.Query) (kv.Page, error)
	apply func(ctx context.Context, batch []kv.Write) error
}

func (l *brokenStore) Get(ctx context.Context, key string) ([]byte, error) {
	if l.get != nil {
		return l.get(ctx, key)
	}
	return l.Store.Get(ctx, key)
}

func (l *brokenStore) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	if l.list != nil {
		return l.list(ctx, q)
	}
	return l.Store.List(ctx, q)
}

func (l *brokenStore) Apply(ctx context.Context, batch []kv.Write) error {
	if l.apply != nil {
		return l.apply(ctx, batch)
	}
	return l.Store.Apply(ctx, batch)
}

// brokenCounter is a store whose counters sometimes count two increments as one.
type brokenCounter struct {
	brokenStore
	now func() time.Time
	mu  sync.Mutex
	n   int
}

func (l *brokenCounter) Increment(ctx context.Context, key string, limit int,
	expires time.Time) (kv.Count, bool, error) {
	c, over, err := kv.Increment(ctx, &l.brokenStore, l.now(), key, limit, expires)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n++; l.n%50 == 0 && c.N > 1 { // now and then, two increments count as one
		c.N--
	}
	return c, over, err
}

// eachWrite returns an Apply that, instead of each write, makes those that see returns for it.
func eachWrite(s kv.Store, see func(w kv.Write) []kv.Write) func(context.Context, []kv.Write) error {
	return func(ctx context.Context, batch []kv.Write) error {
		var changed []kv.Write
		for _, w := range batch {
			changed = append(changed, see(w)...)
		}
		return s.Apply(ctx, changed)
	}
}

// eachPage returns a List whose pages see may change.
func eachPage(s kv.Store, see func(q kv.Query, p *kv.Page)) func(context.Context, kv.Query) (kv.Page, error) {
	return func(ctx context.Context, q kv.Query) (kv.Page, error) {
		p, err := s.List(ctx, q)
		see(q, &p)
		return p, err
	}
}

var brokenStores = map[string]func(w *fixture, s kv.Store) kv.Store{
	"a delete is lost": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: eachWrite(s, func(w kv.Write) []kv.Write {
			if w.Delete {
				return nil
			}
			return []kv.Write{w}
		})}
	},
	"expiry is ignored": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: func(ctx context.Context, batch []kv.Write) error {
			var changed []kv.Write
			for _, w := range batch {
				if !w.Expires.IsZero() && w.Expires.Year() < 9999 {
					w.Expires = w.Expires.AddDate(1, 0, 0)
				}
				changed = append(changed, w)
			}
			return s.Apply(ctx, changed)
		}}
	},
	"expiry outlives a plain put": func(w *fixture, s kv.Store) kv.Store {
		expires := map[string]time.Time{}
		return &brokenStore{Store: s, apply: eachWrite(s, func(w kv.Write) []kv.Write {
			if w.Expires.IsZero() {
				w.Expires = expires[w.Key]
			}
			expires[w.Key] = w.Expires
			return []kv.Write{w}
		})}
	},
	"expired keys are listed": func(w *fixture, s kv.Store) kv.Store {
		brief := map[string]bool{}
		return &brokenStore{Store: s, apply: eachWrite(s, func(w kv.Write) []kv.Write {
			if w.Key == "k/brief" {
				brief[w.Key] = true
			}
			return []kv.Write{w}
		}), list: eachPage(s, func(_ kv.Query, p *kv.Page) {
			if brief["k/brief"] && !slices.Contains(keysOf(p.Entries), "k/brief") {
				p.Entries = append([]kv.Entry{{Key: "k/brief"}}, p.Entries...)
			}
		})}
	},
	"a list is unordered": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, list: eachPage(s, func(_ kv.Query, p *kv.Page) { slices.Reverse(p.Entries) })}
	},
	"a list ignores case": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, list: eachPage(s, func(_ kv.Query, p *kv.Page) {
			slices.SortStableFunc(p.Entries, func(a, b kv.Entry) int {
				return strings.Compare(strings.ToLower(a.Key), strings.ToLower(b.Key))
			})
		})}
	},
	"a batch is applied backwards": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: func(ctx context.Context, batch []kv.Write) error {
			changed := slices.Clone(batch)
			slices.Reverse(changed)
			return s.Apply(ctx, changed)
		}}
	},
	"a bad batch is applied up to its bad write": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: func(ctx context.Context, batch []kv.Write) error {
			for _, w := range batch {
				if err := s.Apply(ctx, []kv.Write{w}); err != nil {
					return err
				}
			}
			return nil
		}}
	},
	"NUL is accepted": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: eachWrite(s, func(w kv.Write) []kv.Write {
			w.Key = strings.ReplaceAll(w.Key, "\x00", "0")
			return []kv.Write{w}
		})}
	},
	"a long value is cut": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: eachWrite(s, func(w kv.Write) []kv.Write {
			w.Value = w.Value[:min(len(w.Value), kv.MaxValue)]
			return []kv.Write{w}
		})}
	},
	"a value ends at its first NUL": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, get: func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Get(ctx, key)
			if i := bytes.IndexByte(v, 0); i >= 0 {
				v = v[:i]
			}
			return v, err
		}}
	},
	"an empty value is absent": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, get: func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Get(ctx, key)
			if err == nil && len(v) == 0 {
				return nil, fault.New(fault.NotFound, "empty")
			}
			return v, err
		}}
	},
	"an absent key is empty": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, get: func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Get(ctx, key)
			if fault.Is(err, fault.NotFound) {
				return nil, nil
			}
			return v, err
		}}
	},
	"values are shared with the caller": func(_ *fixture, s kv.Store) kv.Store {
		mine := map[string][]byte{}
		return &brokenStore{Store: s, get: func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Get(ctx, key)
			if kept := mine[key]; err == nil && len(kept) == len(v) && len(v) > 0 {
				return kept, nil
			}
			mine[key] = v
			return v, err
		}}
	},
	"reads are stale forever": func(_ *fixture, s kv.Store) kv.Store {
		var mu sync.Mutex
		first := map[string][]byte{}
		return &brokenStore{Store: s, get: func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Get(ctx, key)
			mu.Lock()
			defer mu.Unlock()
			if old, ok := first[key]; ok {
				return bytes.Clone(old), nil
			}
			if err == nil {
				first[key] = bytes.Clone(v)
			}
			return v, err
		}}
	},
	"a cursor skips": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, list: eachPage(s, func(_ kv.Query, p *kv.Page) {
			if p.Next != "" {
				p.Next += "~~~"
			}
		})}
	},
	"a cursor is an offset": func(_ *fixture, s kv.Store) kv.Store { return &brokenStore{Store: s, list: byOffset(s)} },
	"the last page has a next": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, list: eachPage(s, func(q kv.Query, p *kv.Page) { p.Next += "x" })}
	},
	"the limit is ignored": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, list: func(ctx context.Context, q kv.Query) (kv.Page, error) {
			q.Limit = kv.MaxPage
			return s.List(ctx, q)
		}}
	},
	"values are listed despite KeysOnly": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, list: func(ctx context.Context, q kv.Query) (kv.Page, error) {
			q.KeysOnly = false
			return s.List(ctx, q)
		}}
	},
	"_ in a prefix matches any letter": func(_ *fixture,
		s kv.Store) kv.Store {
		return &brokenStore{Store: s, list: byPattern(s)}
	},
	"a batch drops the writes after the 99th": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: func(ctx context.Context, batch []kv.Write) error {
			return s.Apply(ctx, batch[:min(len(batch), 99)])
		}}
	},
	"counts are lost": func(w *fixture, s kv.Store) kv.Store {
		return &brokenCounter{brokenStore: brokenStore{Store: s}, now: w.Now}
	},
	"keys are folded": func(_ *fixture, s kv.Store) kv.Store {
		return &brokenStore{Store: s, apply: eachWrite(s, func(w kv.Write) []kv.Write {
			w.Key = strings.ReplaceAll(w.Key, "e\u0301", "é")
			return []kv.Write{w}
		})}
	},
}

// byOffset returns a List that uses offsets as cursors, which shift under concurrent writes.
func byOffset(s kv.Store) func(context.Context, kv.Query) (kv.Page, error) {
	return func(ctx context.Context, q kv.Query) (kv.Page, error) {
		if q.Limit < 1 || q.Limit > kv.MaxPage {
			q.Limit = kv.MaxPage
		}
		skip := 0
		_, _ = fmt.Sscan(q.Cursor, &skip)
		var all []kv.Entry
		for e, err := range kv.All(ctx, s, q.Prefix) {
			if err != nil {
				return kv.Page{}, err
			}
			if q.KeysOnly {
				e.Value = nil
			}
			all = append(all, e)
		}
		all = all[min(skip, len(all)):]
		if len(all) <= q.Limit {
			return kv.Page{Entries: all}, nil
		}
		return kv.Page{Entries: all[:q.Limit], Next: fmt.Sprint(skip + q.Limit)}, nil
	}
}

// byPattern returns a List that treats the prefix "_" as an SQL LIKE pattern, so that it matches
// every key.
func byPattern(s kv.Store) func(context.Context, kv.Query) (kv.Page, error) {
	return func(ctx context.Context, q kv.Query) (kv.Page, error) {
		if q.Prefix != "_" {
			return s.List(ctx, q)
		}
		q.Prefix = ""
		return s.List(ctx, q)
	}
}

func TestRun_DetectsBrokenImplementations(t *testing.T) {
	expectFailure := func(name string, h Harness) {
		t.Run(name, func(t *testing.T) {
			got := failures(t, h)
			if got == nil {
				t.Fatal("the suite passed")
			}
			t.Logf("found by %s: %.300s", got[0], got[1])
		})
	}
	for name, broken := range brokenStores {
		expectFailure(name, wrappedHarness(func(w *fixture, s kv.Store, co kv.Coordinator) (kv.Store,
			kv.Coordinator) {
			return broken(w, s), co
		}))
	}
	for name, broken := range brokenCoordinators {
		expectFailure(name, wrappedHarness(func(w *fixture, s kv.Store, co kv.Coordinator) (kv.Store,
			kv.Coordinator) {
			return s, broken(w, co)
		}))
	}
	expectFailure("reopening loses everything", losesAllData())
	expectFailure("a lost answer means a lost effect", losesEffects())
}

// losesAllData returns a harness whose implementation is empty after a crash.
func losesAllData() Harness {
	h := wrappedHarness(func(_ *fixture, s kv.Store, co kv.Coordinator) (kv.Store, kv.Coordinator) { return s, co })
	h.Reopen = func(t testing.TB) (kv.Store, kv.Coordinator) { return h.Open(t, Classes()...) }
	return h
}

// losesEffects returns a harness whose implementation loses the effect of a command that crashed.
func losesEffects() Harness {
	w := &fixture{now: time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)}
	var db *memkv.DB
	crash := false
	return Harness{
		Open: func(_ testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator) {
			db = memkv.New(memkv.Options{Now: w.Now, Classes: classes, Fail: func(op memkv.Op) error {
				if crash && op.Kind == memkv.OpDo {
					crash = false
					return errors.New("crashed before the effect")
				}
				return nil
			}})
			return db.Store(""), db.Coordinator()
		},
		Crash:   func(testing.TB) { crash = true },
		Now:     w.Now,
		Advance: w.Advance,
	}
}
