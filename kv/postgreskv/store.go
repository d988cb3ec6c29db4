package postgreskv

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	putSQL    = `INSERT INTO store (ns, key, value, expires) VALUES ($1, $2, $3, $4) ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, expires = excluded.expires`
	deleteSQL = `DELETE FROM store WHERE ns = $1 AND key = $2`
	getSQL    = `SELECT value FROM store WHERE ns = $1 AND key = $2 AND (expires IS NULL OR expires > $3)`
	listSQL   = `SELECT key, value FROM store WHERE ns = $1 AND key >= $2 AND key > $3 AND (expires IS NULL OR expires > $4) ORDER BY key LIMIT $5`
	keysSQL   = `SELECT key, ''::bytea FROM store WHERE ns = $1 AND key >= $2 AND key > $3 AND (expires IS NULL OR expires > $4) ORDER BY key LIMIT $5`
)

// maxPageBytes ends a page early, so that a thousand of the largest values do not have
// to fit into memory at once.
const maxPageBytes = 2 * kv.MaxValue

// Store is one namespace of a DB. It implements kv.Store and kv.Incrementer. An Apply
// takes effect whole or not at all.
type Store struct {
	db *DB
	ns string
}

var (
	_ kv.Store       = (*Store)(nil)
	_ kv.Incrementer = (*Store)(nil)
)

// Store returns the store of a namespace, such as "PLEDGES".
func (db *DB) Store(namespace string) *Store { return &Store{db, namespace} }

// Get implements kv.Store.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	var v []byte
	err := s.db.persist(ctx, true, func() error {
		return s.db.pool.QueryRow(ctx, getSQL, s.ns, key, s.db.now().UnixMicro()).Scan(&v)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "there is no such key")
	}
	if err != nil {
		return nil, s.db.unavailable(err)
	}
	return present(v), nil
}

// present is a value that is there: an empty one is not nil.
func present(v []byte) []byte {
	if v == nil {
		return []byte{}
	}
	return v
}

// List implements kv.Store. A cursor is the last key of the page before. A page of very
// large values may be shorter than the limit.
func (s *Store) List(ctx context.Context, q kv.Query) (page kv.Page, err error) {
	if q.Limit < 1 || q.Limit > kv.MaxPage {
		q.Limit = kv.MaxPage
	}
	err = s.db.persist(ctx, true, func() (err error) {
		page, err = s.list(ctx, q)
		return err
	})
	if err != nil {
		return kv.Page{}, s.db.unavailable(err)
	}
	return page, nil
}

func (s *Store) list(ctx context.Context, q kv.Query) (page kv.Page, err error) {
	query := listSQL
	if q.KeysOnly {
		query = keysSQL
	}
	rows, err := s.db.pool.Query(ctx, query, s.ns, q.Prefix, q.Cursor, s.db.now().UnixMicro(), q.Limit+1)
	if err != nil {
		return page, err
	}
	defer rows.Close()
	for size := 0; rows.Next(); {
		var e kv.Entry
		if err := rows.Scan(&e.Key, &e.Value); err != nil {
			return kv.Page{}, err
		}
		if !strings.HasPrefix(e.Key, q.Prefix) {
			break
		}
		if len(page.Entries) == q.Limit || size > maxPageBytes {
			page.Next = page.Entries[len(page.Entries)-1].Key
			break
		}
		size += len(e.Value)
		if e.Value = present(e.Value); q.KeysOnly {
			e.Value = nil
		}
		page.Entries = append(page.Entries, e)
	}
	rows.Close()
	return page, rows.Err()
}

// Apply implements kv.Store.
func (s *Store) Apply(ctx context.Context, batch []kv.Write) error {
	if err := kv.CheckBatch(batch, s.db.now()); err != nil || len(batch) == 0 {
		return err
	}
	// In one transaction the last write of a key is the only one; in the order of their
	// keys two batches never wait for each other in a circle.
	last := map[string]kv.Write{}
	for _, w := range batch {
		last[w.Key] = w
	}
	err := s.db.transact(ctx, false, func(tx pgx.Tx) error {
		var all pgx.Batch
		for _, key := range slices.Sorted(maps.Keys(last)) {
			s.queue(&all, last[key])
		}
		return tx.SendBatch(ctx, &all).Close()
	})
	if err != nil {
		return s.db.unavailable(err)
	}
	return nil
}

func (s *Store) queue(all *pgx.Batch, w kv.Write) {
	if w.Delete {
		all.Queue(deleteSQL, s.ns, w.Key)
		return
	}
	all.Queue(putSQL, s.ns, w.Key, present(w.Value), expiry(w.Expires))
}

// expiry is nil for never; what is beyond the year 9999 is never too.
func expiry(t time.Time) *int64 {
	if t.IsZero() || t.Year() > 9999 {
		return nil
	}
	n := t.UnixMicro()
	if t.After(time.UnixMicro(n)) {
		n++ // not a moment too early
	}
	return &n
}

// Increment implements kv.Incrementer.
func (s *Store) Increment(ctx context.Context, key string, limit int, expires time.Time) (count kv.Count, over bool, err error) {
	if err := kv.CheckKey(key); err != nil {
		return kv.Count{}, false, err
	}
	err = s.db.transact(ctx, false, func(tx pgx.Tx) (err error) {
		count, over, err = s.increment(ctx, tx, key, limit, expires)
		return err
	})
	if err != nil {
		return kv.Count{}, false, s.db.unavailable(err)
	}
	return count, over, nil
}

// increment takes the lock of the counter's row, which is made first where it is not
// there.
func (s *Store) increment(ctx context.Context, tx pgx.Tx, key string, limit int, expires time.Time) (kv.Count, bool, error) {
	now := s.db.now()
	if _, err := tx.Exec(ctx, `INSERT INTO store (ns, key, value, expires) VALUES ($1, $2, '', 0) ON CONFLICT (ns, key) DO NOTHING`, s.ns, key); err != nil {
		return kv.Count{}, false, err
	}
	var old []byte
	var until *int64
	if err := tx.QueryRow(ctx, `SELECT value, expires FROM store WHERE ns = $1 AND key = $2 FOR UPDATE`, s.ns, key).Scan(&old, &until); err != nil {
		return kv.Count{}, false, err
	}
	if until != nil && *until <= now.UnixMicro() {
		old = nil
	}
	count, over, err := kv.NextCount(old, now, limit, expires)
	if over || err != nil {
		return count, over, err
	}
	w, err := count.Record(key, now)
	if err != nil {
		return kv.Count{}, false, err
	}
	_, err = tx.Exec(ctx, putSQL, s.ns, w.Key, present(w.Value), expiry(w.Expires))
	return count, false, err
}
