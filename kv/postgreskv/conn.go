package postgreskv

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// conn is one connection. It prepares each statement once; there are only a few of them.
type conn struct {
	*pgconn.PgConn
	prepared map[string]string // statements to their names there
	stale    bool              // what is prepared there no longer holds
}

// Codes of a statement whose plan the database can no longer use, or that it has forgotten.
const (
	changedResult    = "0A000"
	unknownStatement = "26000"
)

// How values are written, as the protocol numbers it.
const (
	textFormat   int16 = 0
	binaryFormat int16 = 1
)

// inBinary asks for every column in the database's own form, which scan reads.
var inBinary = []int16{binaryFormat}

func (c *conn) prepare(ctx context.Context, sql string) (string, error) {
	if name, ok := c.prepared[sql]; ok {
		return name, nil
	}
	name := "pledgeworks" + strconv.Itoa(len(c.prepared))
	if _, err := c.Prepare(ctx, name, sql, nil); err != nil {
		return "", err
	}
	c.prepared[sql] = name
	return name, nil
}

// noted gives the connection up after an error by which its statements are of no use.
func (c *conn) noted(err error) error {
	c.stale = c.stale || isCode(err, changedResult, unknownStatement)
	return err
}

// query begins to read what a statement returns. The rows are closed by whoever asked.
func (c *conn) query(ctx context.Context, sql string, args ...any) (*rows, error) {
	name, err := c.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	values, formats, err := encode(args)
	if err != nil {
		return nil, err
	}
	return &rows{c.ExecPrepared(ctx, name, values, formats, inBinary), c}, nil
}

// exec returns how many rows a statement has changed.
func (c *conn) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	if len(args) == 0 { // said once, and not always what can be prepared
		results, err := c.Exec(ctx, sql).ReadAll()
		if err != nil || len(results) == 0 {
			return 0, err
		}
		return results[len(results)-1].CommandTag.RowsAffected(), nil
	}
	r, err := c.query(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	tag, err := r.reader.Close()
	return tag.RowsAffected(), c.noted(err)
}

// scan reads the one row that a statement returns.
func (c *conn) scan(ctx context.Context, sql string, into ...any) error {
	r, err := c.query(ctx, sql)
	if err != nil {
		return err
	}
	return r.each(into, func() error { return nil })
}

var errRolledBack = errors.New("the database has rolled the transaction back")

// transact runs what belongs together, whole or not at all.
func (c *conn) transact(ctx context.Context, begin string, do func() error) error {
	if _, err := c.exec(ctx, begin); err != nil {
		return err
	}
	if err := do(); err != nil {
		_, _ = c.exec(ctx, "ROLLBACK") // the connection's end is one too
		return err
	}
	results, err := c.Exec(ctx, "COMMIT").ReadAll()
	if err == nil && results[0].CommandTag.String() != "COMMIT" {
		err = errRolledBack
	}
	return err
}

// statements travel together.
type statements []statement

type statement struct {
	sql  string
	args []any
	read func(*rows) error // nil for one that returns nothing
}

func (all *statements) queue(read func(*rows) error, sql string, args ...any) {
	*all = append(*all, statement{sql, args, read})
}

// send carries statements out, in one round trip once its statements are known there. After
// a statement that failed none runs.
func (c *conn) send(ctx context.Context, all statements) error {
	if len(all) == 0 {
		return nil
	}
	var batch pgconn.Batch
	for _, s := range all {
		name, err := c.prepare(ctx, s.sql)
		if err != nil {
			return err
		}
		values, formats, err := encode(s.args)
		if err != nil {
			return err
		}
		batch.ExecPrepared(name, values, formats, inBinary)
	}
	results := c.ExecBatch(ctx, &batch)
	var failed error
	for i := 0; results.NextResult(); i++ {
		r := &rows{results.ResultReader(), c}
		if read := all[i].read; read != nil {
			failed = errors.Join(failed, read(r))
		}
	}
	return c.noted(errors.Join(failed, results.Close()))
}
