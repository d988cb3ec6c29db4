package sqlitekv

import (
	"context"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	getSQL    = "SELECT value, expires FROM store WHERE ns = ? AND key = ?"
	listSQL   = "SELECT key, expires, value FROM store WHERE ns = ? AND key >= ? ORDER BY key"
	putSQL    = "INSERT OR REPLACE INTO store (ns, key, value, expires) VALUES (?, ?, ?, ?)"
	deleteSQL = "DELETE FROM store WHERE ns = ? AND key = ?"
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

// Store returns the store of a namespace, such as "PLEDGES". Stores of
// different namespaces share nothing but the file.
func (db *DB) Store(namespace string) *Store { return &Store{db, namespace} }

// Get implements kv.Store.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	var v []byte
	err := s.db.read(ctx, func(c *conn) (err error) {
		v, err = s.get(c, key)
		return err
	})
	if err == nil && v == nil {
		err = fault.New(fault.NotFound, "no such key")
	}
	return v, err
}

// get returns nil if the key is absent or expired.
func (s *Store) get(c *conn, key string) (v []byte, err error) {
	q, err := c.stmt(getSQL)
	if err != nil {
		return nil, asDiskError(err)
	}
	q.BindText(1, s.ns)
	q.BindText(2, key)
	row, err := q.Step()
	if err != nil {
		return nil, asDiskError(err)
	}
	if row && isLive(q, 1, s.db.now().UnixMicro()) {
		v = blob(q, 0)
	}
	return v, asDiskError(q.Reset())
}

func isLive(q *sqlite.Stmt, column int, now int64) bool {
	return q.ColumnIsNull(column) || now < q.ColumnInt64(column)
}

// blob copies a column; the copy of an empty value is not nil.
func blob(q *sqlite.Stmt, column int) []byte {
	v := make([]byte, q.ColumnLen(column))
	q.ColumnBytes(column, v)
	return v
}

// List implements kv.Store. The cursor is the last key of the previous page. A page of
// very large values may be shorter than the limit.
func (s *Store) List(ctx context.Context, q kv.Query) (page kv.Page, err error) {
	if q.Limit < 1 || q.Limit > kv.MaxPage {
		q.Limit = kv.MaxPage
	}
	err = s.db.read(ctx, func(c *conn) error {
		page, err = s.list(c, q)
		return err
	})
	return page, err
}

func (s *Store) list(c *conn, q kv.Query) (page kv.Page, err error) {
	st, err := c.stmt(listSQL)
	if err != nil {
		return page, asDiskError(err)
	}
	st.BindText(1, s.ns)
	st.BindText(2, max(q.Prefix, q.Cursor))
	now, size := s.db.now().UnixMicro(), 0
	for {
		row, err := st.Step()
		if err != nil {
			return page, asDiskError(err)
		}
		if !row {
			break
		}
		e := kv.Entry{Key: st.ColumnText(0)}
		if !strings.HasPrefix(e.Key, q.Prefix) {
			break
		}
		if e.Key == q.Cursor || !isLive(st, 1, now) {
			continue
		}
		if len(page.Entries) == q.Limit || size > maxPageBytes {
			page.Next = page.Entries[len(page.Entries)-1].Key
			break
		}
		if !q.KeysOnly {
			e.Value = blob(st, 2)
			size += len(e.Value)
		}
		page.Entries = append(page.Entries, e)
	}
	return page, asDiskError(st.Reset())
}

// Apply implements kv.Store.
func (s *Store) Apply(ctx context.Context, batch []kv.Write) error {
	if err := kv.CheckBatch(batch, s.db.now()); err != nil || len(batch) == 0 {
		return err
	}
	return s.db.writer.do(ctx, func(c *conn) error {
		for _, w := range batch {
			if err := s.write(c, w); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) write(c *conn, w kv.Write) error {
	query := putSQL
	if w.Delete {
		query = deleteSQL
	}
	q, err := c.stmt(query)
	if err != nil {
		return asDiskError(err)
	}
	q.BindText(1, s.ns)
	q.BindText(2, w.Key)
	if !w.Delete {
		q.BindBytes(3, w.Value)
		bindExpiry(q, 4, w.Expires)
	}
	return asDiskError(finish(q))
}

// bindExpiry stores an expiry that exceeds SQLite's integer range as never.
func bindExpiry(q *sqlite.Stmt, param int, t time.Time) {
	if t.IsZero() || t.Year() > 9999 {
		q.BindNull(param)
		return
	}
	q.BindInt64(param, micros(t))
}

// Increment implements kv.Incrementer.
func (s *Store) Increment(ctx context.Context, key string, limit int,
	expires time.Time) (count kv.Count, over bool, err error) {
	if err := kv.CheckKey(key); err != nil {
		return kv.Count{}, false, err
	}
	err = s.db.writer.do(ctx, func(c *conn) error {
		old, err := s.get(c, key)
		if err != nil {
			return err
		}
		now := s.db.now()
		count, over, err = kv.NextCount(old, now, limit, expires)
		if over || err != nil {
			return err
		}
		w, err := count.Record(key, now)
		if err != nil {
			return err
		}
		return s.write(c, w)
	})
	if err != nil {
		return kv.Count{}, false, err
	}
	return count, over, nil
}
