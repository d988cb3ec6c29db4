package kv

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The bounds of a Store are those of the narrowest host (Workers KV), and are
// enforced by every implementation through Write.Check and CheckKey.
const (
	MaxKey      = 512              // bytes, UTF-8
	MaxValue    = 25 << 20         // bytes
	MinLifetime = 60 * time.Second // from now to Write.Expires
	MaxPage     = 1000             // entries
)

// Store is plain keys and values. A read may be stale, by up to a minute on
// some hosts and in both directions (a deleted key still seen, a written one
// not yet), so nothing that decides about money or stock may rest on a Store
// read alone: that is what a Coordinator is for.
type Store interface {
	// Get returns the value under key, or a fault with code NotFound when it is
	// absent or expired. The caller owns the slice.
	Get(ctx context.Context, key string) ([]byte, error)

	// List returns the entries whose keys begin with q.Prefix, in byte order of
	// the keys, at most q.Limit (MaxPage when it is zero or above). Page.Next
	// continues after the last entry and is "" on the last page. Paging is
	// stable while others write: a key that is present during the whole walk
	// is returned exactly once.
	List(ctx context.Context, q Query) (Page, error)

	// Apply carries out the writes in their order. When it fails, the writes
	// that took effect are a prefix of the batch: a host may apply none, some
	// or all of them. An empty batch does nothing. A batch that breaks a bound
	// is refused whole, with code Invalid, before anything is written.
	Apply(ctx context.Context, batch []Write) error
}

// Query selects a page of a Store.
type Query struct {
	Prefix string
	Cursor string // Page.Next of the page before; "" begins
	Limit  int    // 1 to MaxPage; anything else is MaxPage
	// KeysOnly leaves the values out, where the caller only counts or pages.
	KeysOnly bool
}

// Entry is a key with its value.
type Entry struct {
	Key   string
	Value []byte
}

// Page is one answer to a Query.
type Page struct {
	Entries []Entry
	Next    string
}

// Write is one put or delete of a batch.
type Write struct {
	Key   string
	Value []byte
	// Expires is when the key ceases to exist; zero means never. It is at least
	// MinLifetime away when it is written.
	Expires time.Time
	Delete  bool
}

// Put returns a write that lasts until it is replaced.
func Put(key string, value []byte) Write { return Write{Key: key, Value: value} }

// PutUntil returns a write that expires.
func PutUntil(key string, value []byte, expires time.Time) Write {
	return Write{Key: key, Value: value, Expires: expires}
}

// Delete returns a write that removes the key; removing an absent key is no error.
func Delete(key string) Write { return Write{Key: key, Delete: true} }

// CheckKey reports whether key is within the contract: not empty, at most
// MaxKey bytes, valid UTF-8 without NUL.
func CheckKey(key string) error {
	if key == "" || len(key) > MaxKey || !validText(key) {
		return fault.New(fault.Invalid, "a key has 1 to %d bytes of UTF-8 without NUL", MaxKey)
	}
	return nil
}

// CheckBatch reports whether every write of the batch is within the contract
// at the time now.
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
