package sqlitekv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// conn is a connection with its statements.
type conn struct {
	*sqlite.Conn
	stmts map[string]*sqlite.Stmt
}

func dial(path string, mode sqlite.OpenFlags) (*conn, error) {
	c, err := sqlite.OpenConn(path, mode)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(busyTimeout)
	return &conn{Conn: c, stmts: map[string]*sqlite.Stmt{}}, nil
}

// stmt returns the statement, ready to be bound.
func (c *conn) stmt(query string) (*sqlite.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.Prepare(query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// exec runs a statement that has neither parameters nor rows of interest.
func (c *conn) exec(query string) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	return finish(s)
}

// finish runs s to its end and makes it ready for the next use.
func finish(s *sqlite.Stmt) error {
	for {
		row, err := s.Step()
		if err != nil {
			return err
		}
		if !row {
			return s.Reset()
		}
	}
}

func (c *conn) number(pragma string) (n int64, err error) {
	err = sqlitex.ExecuteTransient(c.Conn, "PRAGMA "+pragma, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}})
	return n, err
}

// cacheSQL lets the writer keep 16 MiB of pages: the campaign objects' keys by
// supporter are spread over their whole range, and with SQLite's 2 MiB each
// pledge of a large campaign reads pages anew. More would cost each commit a
// walk over the cache. checkpointSQL has pages that are written again and again
// copied back less often than every 1000 of them.
const (
	cacheSQL      = "PRAGMA cache_size = -16384"
	checkpointSQL = "PRAGMA wal_autocheckpoint = 8000"
)

// prepareFile checks that the file is ours and whole, and makes it so when it
// is empty.
func prepareFile(ctx context.Context, c *conn) error {
	if err := recognise(c); err != nil {
		return damaged(err)
	}
	if err := c.wal(ctx); err != nil {
		return damaged(err)
	}
	if err := c.exec("PRAGMA synchronous = FULL"); err != nil {
		return err
	}
	if err := errors.Join(c.exec(cacheSQL), c.exec(checkpointSQL)); err != nil {
		return err
	}
	if err := c.migrate(steps); err != nil {
		return damaged(err)
	}
	return damaged(c.check("quick_check(1)"))
}

// recognise refuses a file of another program or a newer version. It looks
// within one transaction: another process may be making the file meanwhile.
func recognise(c *conn) (err error) {
	defer sqlitex.Transaction(c.Conn)(&err)
	id, err := c.number("application_id")
	if err != nil {
		return err
	}
	version, err := c.number("user_version")
	if err != nil {
		return err
	}
	objects, err := c.number("schema_version") // 0 in an empty file
	if err != nil {
		return err
	}
	switch {
	case objects == 0 && id == 0 && version == 0:
		return nil
	case id != applicationID:
		return errors.New("the file is an SQLite database of another program")
	case version > int64(len(steps)):
		return fmt.Errorf("the file has schema version %d and this program knows %d: use a newer program", version, len(steps))
	}
	return nil
}

// wal turns the write-ahead log on. SQLite does not wait for others here, so
// that two programs which open a new file at once have to be patient.
func (c *conn) wal(ctx context.Context) error {
	deadline := time.NewTimer(busyTimeout)
	defer deadline.Stop()
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	for {
		err := c.exec("PRAGMA journal_mode = WAL")
		if err == nil || sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
			return err
		}
		select {
		case <-pause.C:
		case <-deadline.C:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// check runs one of SQLite's integrity checks.
func (c *conn) check(pragma string) error {
	var found string
	err := sqlitex.ExecuteTransient(c.Conn, "PRAGMA "+pragma, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if text := s.ColumnText(0); text != "ok" {
			found = text
		}
		return nil
	}})
	if err != nil {
		return err
	}
	if found != "" {
		return fmt.Errorf("the file is damaged, restore a backup: %s", found)
	}
	return nil
}

func damaged(err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultNotADB:
		return fmt.Errorf("the file is not an SQLite database, or its beginning is damaged: %w", err)
	case sqlite.ResultCorrupt:
		return fmt.Errorf("the file is damaged, restore a backup: %w", err)
	}
	return err
}
