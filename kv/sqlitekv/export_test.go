package sqlitekv

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/pledgeworks/pledgeworks/kv"
)

// LimitPages simulates a full disk at n pages; 0 removes the limit.
func (db *DB) LimitPages(n int) error {
	if n == 0 {
		n = 1 << 30
	}
	_, err := db.writer.conn.runPragma(fmt.Sprintf("max_page_count = %d", n))
	return err
}

// SetReadOnly makes every write fail, as on a read-only disk, while on is set.
func (db *DB) SetReadOnly(on bool) error {
	_, err := db.writer.conn.runPragma(fmt.Sprintf("query_only = %t", on))
	return err
}

// Synchronous returns the writer's synchronous pragma; 2 is FULL.
func (db *DB) Synchronous() (int64, error) { return db.writer.conn.runPragma("synchronous") }

// Rows counts the physical rows of a table.
func (db *DB) Rows(table string) (int64, error) {
	c := <-db.readers
	defer func() { db.readers <- c }()
	s, _, err := c.PrepareTransient("SELECT count(*) FROM " + table)
	if err != nil {
		return 0, err
	}
	defer s.Finalize()
	_, err = s.Step()
	return s.ColumnInt64(0), err
}

// Migrate runs schema steps on a file, as Open does.
func Migrate(path string, steps ...string) error {
	c, err := dial(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	return errors.Join(c.migrate(steps), c.Close())
}

// RunInTx runs fn on an object's state, as a command would.
func (db *DB) RunInTx(ctx context.Context, to kv.Object, fn func(kv.Tx) error) error {
	return db.writer.do(ctx, func(c *conn) error {
		tx := &tx{conn: c, object: to}
		if err := fn(tx); err != nil {
			return err
		}
		return tx.flush()
	})
}

// Reason returns the failure text shown to clients.
func (db *DB) Reason(err error) string { return db.reason(err) }
