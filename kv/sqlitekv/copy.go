package sqlitekv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Export iterates over all rows as of one moment, while the database is in use. It
// stops at the first error, which it yields with an empty row.
func (db *DB) Export(ctx context.Context) iter.Seq2[kv.Row, error] {
	return func(yield func(kv.Row, error) bool) {
		err := db.read(ctx, func(c *conn) (err error) {
			defer sqlitex.Transaction(c.Conn)(&err)
			if more, err := c.exportStores(yield); err != nil || !more {
				return err
			}
			return c.exportObjects(yield)
		})
		if err != nil {
			yield(kv.Row{}, err)
		}
	}
}

func (c *conn) exportStores(yield func(kv.Row, error) bool) (more bool, err error) {
	return c.each("SELECT ns, key, value, expires FROM store ORDER BY ns, key", yield,
		func(s *sqlite.Stmt) (kv.Row, error) {
			r := kv.Row{Namespace: s.ColumnText(0), Key: s.ColumnText(1)}
			if !s.ColumnIsNull(3) {
				r.Expires = time.UnixMicro(s.ColumnInt64(3)).UTC()
			}
			var err error
			r.Value, err = io.ReadAll(s.ColumnReader(2))
			return r, err
		})
}

func (c *conn) exportObjects(yield func(kv.Row, error) bool) error {
	_, err := c.each("SELECT class, name, key, value FROM state ORDER BY class, name, key",
		yield, func(s *sqlite.Stmt) (kv.Row, error) {
			value, err := io.ReadAll(s.ColumnReader(3))
			return kv.Row{Object: kv.Object{Class: s.ColumnText(0), Name: s.ColumnText(1)},
				Key: s.ColumnText(2), Value: value}, err
		})
	return err
}

// each yields the rows of a query. more is false if the caller stopped.
func (c *conn) each(query string, yield func(kv.Row, error) bool,
	read func(*sqlite.Stmt) (kv.Row, error)) (more bool, err error) {
	s, err := c.stmt(query)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.Reset()) }()
	for {
		there, err := s.Step()
		if err != nil {
			return false, asDiskError(err)
		}
		if !there {
			return true, nil
		}
		r, err := read(s)
		if err != nil {
			return false, asDiskError(err)
		}
		if !yield(r, nil) {
			return false, nil
		}
	}
}

// Write creates a file at destPath from rows, completely or not at all. If destPath
// exists, Write leaves it unchanged and returns a Conflict fault.
func Write(ctx context.Context, destPath string, rows iter.Seq2[kv.Row, error]) error {
	return publish(destPath, func(temp string) (err error) {
		c, err := dial(temp, sqlite.OpenReadWrite)
		if err != nil {
			return fmt.Errorf("sqlitekv: %w", err)
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		if err := c.migrate(steps); err != nil {
			return fmt.Errorf("sqlitekv: %w", err)
		}
		return c.fill(ctx, rows)
	})
}

func (c *conn) fill(ctx context.Context, rows iter.Seq2[kv.Row, error]) (err error) {
	end, err := sqlitex.ImmediateTransaction(c.Conn)
	if err != nil {
		return err
	}
	defer end(&err)
	for r, err := range rows {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = c.insert(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) insert(r kv.Row) error {
	query := "INSERT INTO state (key, value, class, name) VALUES (?, ?, ?, ?)"
	if r.Namespace != "" {
		query = "INSERT INTO store (key, value, ns, expires) VALUES (?, ?, ?, ?)"
	}
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	s.BindText(1, r.Key)
	s.BindBytes(2, r.Value)
	if r.Namespace != "" {
		s.BindText(3, r.Namespace)
		bindExpiry(s, 4, r.Expires)
	} else {
		s.BindText(3, r.Object.Class)
		s.BindText(4, r.Object.Name)
	}
	return finish(s)
}
