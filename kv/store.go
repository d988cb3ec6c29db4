package kv

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The limits of a Store are those of the narrowest host, Workers KV. Every
// implementation enforces them with CheckBatch and CheckKey.
const (
	MaxKey      = 512              // bytes, UTF-8
	MaxValue    = 25 << 20         // bytes
	MinLifetime = 60 * time.Second // from now to Write.Expires
	MaxPage     = 1000             // entries
)

// Store holds plain keys and values. On some hosts a read may be stale by up to a minute: a deleted
// key may still be visible, and a written one not yet. So decisions about money or stock must not
// depend on a Store read; use a Coordinator for those.
type Store interface {
	// Get returns the value under key, or a NotFound fault if it is absent or expired. The
	// caller owns the slice.
	Get(ctx context.Context, key string) ([]byte, error)

	// List returns the entries whose keys begin with q.Prefix, in byte order, at most
	// q.Limit of them. Page.Next continues after the last entry and is "" on the last page.
	// Paging is stable under concurrent writes: a key that is present during the whole walk
	// is returned exactly once.
	List(ctx context.Context, q Query) (Page, error)

	// Apply carries out the writes in order. If it fails, a prefix of the batch has taken
	// effect, which may be none or all of it. An empty batch does nothing. A batch with a
	// write outside the limits is refused as a whole, with code Invalid, before anything is
	// written.
	Apply(ctx context.Context, batch []Write) error
}

// Query selects a page of a Store.
type Query struct {
	Prefix string
	Cursor string // Page.Next of the previous page; "" for the first page
	Limit  int    // 1 to MaxPage; anything else is MaxPage
	// KeysOnly omits the values, for callers that only count or page.
	KeysOnly bool
}

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value []byte
}

// Page is one page of a List.
type Page struct {
	Entries []Entry
	Next    string
}

// Write is one put or delete of a batch.
type Write struct {
	Key   string
	Value []byte
	// Expires is when the key expires; zero means never. It must be at least MinLifetime in
	// the future.
	Expires time.Time
	Delete  bool
}

// Put returns a write that does not expire.
func Put(key string, value []byte) Write { return Write{Key: key, Value: value} }

// PutUntil returns a write that expires.
func PutUntil(key string, value []byte, expires time.Time) Write {
	return Write{Key: key, Value: value, Expires: expires}
}

// Delete returns a write that removes the key. Deleting an absent key is not an error.
func Delete(key string) Write { return Write{Key: key, Delete: true} }

// CheckKey returns an Invalid fault unless key is 1 to MaxKey bytes of UTF-8 without
// NUL.
func CheckKey(key string) error {
	if key == "" || len(key) > MaxKey || !validText(key) {
		return fault.New(fault.Invalid, "a key must be 1 to %d bytes of UTF-8 without NUL", MaxKey)
	}
	return nil
}

// CheckBatch returns an Invalid fault if a write of the batch is outside the limits at
// the time now.
func CheckBatch(batch []Write, now time.Time) error {
	for _, w := range batch {
		if err := w.check(now); err != nil {
			return err
		}
	}
	return nil
}

func (w Write) check(now time.Time) error {
	if err := CheckKey(w.Key); err != nil {
		return err
	}
	if w.Delete {
		return nil
	}
	if len(w.Value) > MaxValue {
		return fault.New(fault.Invalid, "the value of %q has %d bytes, more than %d", w.Key, len(w.Value), MaxValue)
	}
	if !w.Expires.IsZero() && w.Expires.Before(now.Add(MinLifetime)) {
		return fault.New(fault.Invalid, "%q expires in less than %s", w.Key, MinLifetime)
	}
	return nil
}
