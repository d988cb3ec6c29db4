package kv

import (
	"context"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Read decodes the JSON record under key; ok is false if it is absent.
func Read[T any](ctx context.Context, s Store, key string) (v T, ok bool, err error) {
	b, err := s.Get(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return v, false, nil
	}
	if err != nil {
		return v, false, err
	}
	v, err = Decode[T](key, b)
	return v, err == nil, err
}

// Record returns a write of v as JSON, for records that are written once or are always
// rebuilt from other records. A zero expires means never.
func Record(key string, v any, expires time.Time) (Write, error) {
	b, err := encode(key, v)
	return PutUntil(key, b, expires), err
}

// Rewrite is like [Record] for a record that may already exist: it preserves members of the stored
// record that this program does not know.
func Rewrite(ctx context.Context, s Store, key string, v any, expires time.Time) (Write, error) {
	w, _, err := Replace(ctx, s, key, v, expires)
	return w, err
}

// Replace is like [Rewrite] and also returns the stored record, nil if there is none.
func Replace(ctx context.Context, s Store, key string, v any, expires time.Time) (w Write, old []byte, err error) {
	b, err := rewritten(key, v, func() ([]byte, error) {
		var err error
		if old, err = s.Get(ctx, key); fault.Is(err, fault.NotFound) {
			return nil, nil
		}
		return old, err
	})
	return PutUntil(key, b, expires), old, err
}

// Save stores v as JSON under key without expiry. Members of the stored record that
// this program does not know are preserved.
func Save(ctx context.Context, s Store, key string, v any) error {
	w, err := Rewrite(ctx, s, key, v, time.Time{})
	if err != nil {
		return err
	}
	return s.Apply(ctx, []Write{w})
}

// All iterates over the entries under prefix, page by page. It stops at the first
// error, which it yields with an empty entry.
func All(ctx context.Context, s Store, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		q := Query{Prefix: prefix}
		for {
			page, err := s.List(ctx, q)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range page.Entries {
				if !yield(e, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			q.Cursor = page.Next
		}
	}
}

// Incrementer is implemented by Stores that can count without losing concurrent
// updates.
type Incrementer interface {
	// Increment adds one to the counter under key and returns the new count. An absent or
	// expired counter starts at zero and expires at expires; an existing one keeps its
	// expiry, which is returned. If the counter has reached limit, nothing is written and
	// over is true.
	Increment(ctx context.Context, key string, limit int, expires time.Time) (c Count, over bool, err error)
}

// Count is the state of a counter.
type Count struct {
	N     int       `json:"count"`
	Reset time.Time `json:"resetAt"`
}

// Increment increments a counter in a store as [Incrementer] describes. If s is not an Incrementer,
// two concurrent calls may count as one.
func Increment(ctx context.Context, s Store, now time.Time, key string, limit int,
	expires time.Time) (Count, bool, error) {
	if inc, ok := s.(Incrementer); ok {
		return inc.Increment(ctx, key, limit, expires)
	}
	old, err := s.Get(ctx, key)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return Count{}, false, err
	}
	c, over, err := NextCount(old, now, limit, expires)
	if over || err != nil {
		return c, over, err
	}
	w, err := c.Record(key, now)
	if err != nil {
		return Count{}, false, err
	}
	return c, false, s.Apply(ctx, []Write{w})
}

// maxAhead is the largest clock difference between two servers.
const maxAhead = 30 * time.Minute

// NextCount returns a counter's next state, for implementations of Incrementer. old is the
// counter's stored value, nil if it is absent or expired. If over is true, nothing must be written.
//
// A window that ends long after expires was written by a server with a wrong clock. It
// is ignored, because it would limit clients until its end.
func NextCount(old []byte, now time.Time, limit int, expires time.Time) (c Count, over bool, err error) {
	if old != nil {
		if c, err = Decode[Count]("counter", old); err != nil {
			return Count{}, false, err
		}
	}
	if old == nil || !now.Before(c.Reset) || c.Reset.After(expires.Add(maxAhead)) {
		c = Count{Reset: expires}
	}
	if c.N >= limit {
		return c, true, nil
	}
	c.N++
	return c, false, nil
}

// Record returns the write that stores c. If Reset is near, the key outlives it, so
// that a store whose clock is slightly ahead accepts the write; NextCount starts a new
// window at Reset in any case.
func (c Count) Record(key string, now time.Time) (Write, error) {
	if err := CheckKey(key); err != nil {
		return Write{}, err
	}
	return Record(key, c, later(c.Reset, now.Add(2*MinLifetime)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func validText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
