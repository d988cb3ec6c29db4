package postgreskv

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	listSQL = `SELECT key, value FROM store WHERE ns = $1 AND key >= $2 AND key > $3 AND key < $4 AND (expires IS NULL OR expires > $5) ORDER BY key LIMIT $6`
	keysSQL = `SELECT key, ''::bytea FROM store WHERE ns = $1 AND key >= $2 AND key > $3 AND key < $4 AND (expires IS NULL OR expires > $5) ORDER BY key LIMIT $6`
)

// maxPageBytes ends a page early, so that a page of the largest values fits into
// memory.
const maxPageBytes = 2 * kv.MaxValue

// Store is one namespace of a DB. It implements kv.Store and kv.Incrementer. An Apply
// takes effect completely or not at all.
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
	v, err := s.db.get(ctx, s.ns, key)
	if err == nil && v == nil {
		err = fault.New(fault.NotFound, "no such key")
	}
	return v, err
}

// present turns a nil value into an empty one.
func present(v []byte) []byte {
	if v == nil {
		return []byte{}
	}
	return v
}

// List implements kv.Store. The cursor is the last key of the previous page. A page of
// very large values may be shorter than the limit.
func (s *Store) List(ctx context.Context, q kv.Query) (page kv.Page, err error) {
	if q.Limit < 1 || q.Limit > kv.MaxPage {
		q.Limit = kv.MaxPage
	}
	err = s.db.retry(ctx, true, func() error {
		return s.db.withConn(ctx, func(c *pgx.Conn) (err error) {
			page, err = s.list(ctx, c, q)
			return err
		})
	})
	if err != nil {
		return kv.Page{}, s.db.unavailable(err)
	}
	return page, nil
}

func (s *Store) list(ctx context.Context, c *pgx.Conn, q kv.Query) (page kv.Page, err error) {
	query := listSQL
	if q.KeysOnly {
		query = keysSQL
	}
	rows, err := c.Query(ctx, query, s.ns, q.Prefix, q.Cursor, prefixEnd(q.Prefix), s.db.now().UnixMicro(), q.Limit+1)
	if err != nil {
		return page, err
	}
	defer rows.Close()
	for size := 0; rows.Next(); {
		var e kv.Entry
		if err := rows.Scan(&e.Key, &e.Value); err != nil {
			return kv.Page{}, err
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
	rows.Close() // reads the remaining rows, and any error
	return page, rows.Err()
}

// Apply implements kv.Store.
func (s *Store) Apply(ctx context.Context, batch []kv.Write) error {
	if err := kv.CheckBatch(batch, s.db.now()); err != nil || len(batch) == 0 {
		return err
	}
	return s.db.write(ctx, &job{once: true, run: func(t *scope) error {
		t.tx.put(s.ns, batch...)
		return nil
	}})
}

// expiry returns microseconds since 1970, rounded up, or nil for never. Times after the
// year 9999 mean never.
func expiry(t time.Time) *int64 {
	if t.IsZero() || t.Year() > 9999 {
		return nil
	}
	n := t.UnixMicro()
	if t.After(time.UnixMicro(n)) {
		n++ // never too early
	}
	return &n
}

// Increment implements kv.Incrementer.
func (s *Store) Increment(ctx context.Context, key string, limit int,
	expires time.Time) (count kv.Count, over bool, err error) {
	if err := kv.CheckKey(key); err != nil {
		return kv.Count{}, false, err
	}
	err = s.db.write(ctx, &job{lockKey: lockKey{ns: s.ns, key: key}, once: true, run: func(t *scope) (err error) {
		count, over, err = s.increment(t, key, limit, expires)
		return err
	}})
	if err != nil {
		return kv.Count{}, false, err
	}
	return count, over, nil
}

func (s *Store) increment(t *scope, key string, limit int, expires time.Time) (kv.Count, bool, error) {
	now, old := s.db.now(), t.counter.value
	if until := t.counter.expires; until != nil && *until <= now.UnixMicro() {
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
	t.counter.value, t.counter.expires = w.Value, expiry(w.Expires)
	t.tx.put(s.ns, w)
	return count, false, nil
}
