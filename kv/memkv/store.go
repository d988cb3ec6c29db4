package memkv

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// sweepStep is how many records each write examines for deletion: more than one, so
// that memory shrinks faster than it grows.
const sweepStep = 4

// Store is one namespace of a DB. It implements kv.Store and kv.Incrementer.
type Store struct {
	db        *DB
	namespace string

	mu        sync.RWMutex
	records   index[*record]
	sweepFrom string // key at which the next sweep starts
}

var (
	_ kv.Store       = (*Store)(nil)
	_ kv.Incrementer = (*Store)(nil)
)

// record holds a key's newest version and older ones that stale reads may still need.
type record struct {
	version
	past []version // oldest first
}

type version struct {
	value   []byte
	since   time.Time
	expires time.Time // zero: never
	deleted bool
}

func (v *version) live(now time.Time) bool {
	return v != nil && !v.deleted && (v.expires.IsZero() || now.Before(v.expires))
}

// at returns the version that was newest at t, or nil.
func (r *record) at(t time.Time) *version {
	if !r.since.After(t) {
		return &r.version
	}
	for i := len(r.past) - 1; i >= 0; i-- {
		if !r.past[i].since.After(t) {
			return &r.past[i]
		}
	}
	return nil
}

// visibleVersion returns the version of r that a read at now returns, or nil.
func (s *Store) visibleVersion(r *record, now time.Time, newest bool) *version {
	v := &r.version
	if s.db.stale > 0 && !newest {
		v = r.at(now.Add(-s.db.stale))
	}
	if !v.live(now) {
		return nil
	}
	return v
}

// Get implements kv.Store.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := s.begin(ctx, Op{Kind: OpGet, Key: key}); err != nil {
		return nil, err
	}
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	now, newest := s.db.now(), s.db.newest()
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.records.get(key)
	if !ok {
		return nil, notFound()
	}
	v := s.visibleVersion(r, now, newest)
	if v == nil {
		return nil, notFound()
	}
	return clone(v.value), nil
}

func notFound() error { return fault.New(fault.NotFound, "no such key") }

// List implements kv.Store. The cursor is the last key of the previous page.
func (s *Store) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	if err := s.begin(ctx, Op{Kind: OpList, Key: q.Prefix}); err != nil {
		return kv.Page{}, err
	}
	if q.Limit < 1 || q.Limit > kv.MaxPage {
		q.Limit = kv.MaxPage
	}
	now, newest := s.db.now(), s.db.newest()
	s.mu.RLock()
	defer s.mu.RUnlock()
	var page kv.Page
	s.records.walk(max(q.Prefix, q.Cursor), func(key string, r *record) bool {
		if !strings.HasPrefix(key, q.Prefix) {
			return false
		}
		v := s.visibleVersion(r, now, newest)
		if v == nil || q.Cursor != "" && key == q.Cursor {
			return true
		}
		if len(page.Entries) == q.Limit {
			page.Next = page.Entries[q.Limit-1].Key
			return false
		}
		e := kv.Entry{Key: key}
		if !q.KeysOnly {
			e.Value = clone(v.value)
		}
		page.Entries = append(page.Entries, e)
		return true
	})
	return page, nil
}

// Apply implements kv.Store. It fails partway only if Options.Fail returns an error.
func (s *Store) Apply(ctx context.Context, batch []kv.Write) error {
	if err := ctx.Err(); err != nil {
		return canceledError(err)
	}
	if err := kv.CheckBatch(batch, s.db.now()); err != nil {
		return err
	}
	for i, w := range batch {
		op := Op{Kind: OpPut, Namespace: s.namespace, Key: w.Key, Write: w, Index: i}
		if w.Delete {
			op.Kind = OpDelete
		}
		if err := s.db.fail(op); err != nil {
			return err
		}
		s.write(w)
		op.After = true
		if err := s.db.fail(op); err != nil {
			return err
		}
	}
	return nil
}

// Increment implements kv.Incrementer. The counter is never stale.
func (s *Store) Increment(ctx context.Context, key string, limit int, expires time.Time) (kv.Count, bool, error) {
	op := Op{Kind: OpIncrement, Key: key}
	if err := s.begin(ctx, op); err != nil {
		return kv.Count{}, false, err
	}
	c, over, err := s.increment(key, limit, expires)
	if err != nil {
		return kv.Count{}, false, err
	}
	op.Namespace, op.After = s.namespace, true
	if err := s.db.fail(op); err != nil {
		return kv.Count{}, false, err
	}
	return c, over, nil
}

func (s *Store) increment(key string, limit int, expires time.Time) (kv.Count, bool, error) {
	now := s.db.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	var old []byte
	if r, ok := s.records.get(key); ok && r.live(now) {
		old = r.value
	}
	c, over, err := kv.NextCount(old, now, limit, expires)
	if over || err != nil {
		return c, over, err
	}
	w, err := c.Record(key, now)
	if err != nil {
		return kv.Count{}, false, err
	}
	s.set(w, now)
	return c, false, nil
}

func (s *Store) begin(ctx context.Context, op Op) error {
	if err := ctx.Err(); err != nil {
		return canceledError(err)
	}
	op.Namespace = s.namespace
	return s.db.fail(op)
}

func canceledError(cause error) error {
	return fault.Wrap(cause, fault.Unavailable, "request canceled")
}
