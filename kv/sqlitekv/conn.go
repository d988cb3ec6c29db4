package sqlitekv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// conn is a connection with its prepared statements.
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

// stmt returns the prepared statement, ready to bind.
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

// exec runs a statement without parameters and ignores its rows.
func (c *conn) exec(query string) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	return finish(s)
}

// finish steps s to its end and resets it.
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

func (c *conn) runPragma(pragma string) (n int64, err error) {
	err = sqlitex.ExecuteTransient(c.Conn, "PRAGMA "+pragma, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}})
	return n, err
}

// cacheSQL gives the writer 16 MiB of page cache: a campaign object's keys are spread
// by supporter hash, and with SQLite's default of 2 MiB each pledge of a large campaign
// rereads pages. A larger cache would slow down each commit, which walks it.
// checkpointSQL makes checkpoints rarer than SQLite's default of every 1000 pages,
// because the same pages are written repeatedly.
const (
	cacheSQL      = "PRAGMA cache_size = -16384"
	checkpointSQL = "PRAGMA wal_autocheckpoint = 8000"
)

// prepareFile checks that the file is an intact database of this program, and
// initializes it if it is empty.
func prepareFile(ctx context.Context, c *conn) error {
	if err := checkOwner(c); err != nil {
		return damaged(err)
	}
	if err := c.enableWAL(ctx); err != nil {
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

// checkOwner refuses a file of another program or a newer version. It reads in one
// transaction, because another process may be creating the file.
func checkOwner(c *conn) (err error) {
	defer sqlitex.Transaction(c.Conn)(&err)
	id, err := c.runPragma("application_id")
	if err != nil {
		return err
	}
	version, err := c.runPragma("user_version")
	if err != nil {
		return err
	}
	objects, err := c.runPragma("schema_version") // 0 in an empty file
	if err != nil {
		return err
	}
	switch {
	case objects == 0 && id == 0 && version == 0:
		return nil
	case id != applicationID:
		return errors.New("the file is an SQLite database of another program")
	case version > int64(len(steps)):
		return fmt.Errorf("the file has schema version %d, but this program supports up to %d: upgrade the program",
			version, len(steps))
	}
	return nil
}

// enableWAL turns on the write-ahead log. SQLite's busy timeout does not apply here, so enableWAL
// retries while another program opens the same new file.
func (c *conn) enableWAL(ctx context.Context) error {
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
		return fmt.Errorf("the file is not an SQLite database, or its header is damaged: %w", err)
	case sqlite.ResultCorrupt:
		return fmt.Errorf("the file is damaged, restore a backup: %w", err)
	}
	return err
}
