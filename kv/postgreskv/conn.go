package postgreskv

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// conn is a connection that prepares each statement once.
type conn struct {
	*pgconn.PgConn
	prepared map[string]string // names of the prepared statements
	stale    bool              // the prepared statements are no longer usable
}

// Error codes of a statement whose plan is outdated, or that the database no longer
// knows.
const (
	changedResult    = "0A000"
	unknownStatement = "26000"
)

// Value formats of the wire protocol.
const (
	textFormat   int16 = 0
	binaryFormat int16 = 1
)

// inBinary requests every column in binary format, which scan decodes.
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

// checkStale marks the connection as stale if an error means that its prepared
// statements are unusable.
func (c *conn) checkStale(err error) error {
	c.stale = c.stale || isCode(err, changedResult, unknownStatement)
	return err
}

// query runs a statement. The caller must close the rows.
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

// exec runs a statement and returns the number of rows it changed.
func (c *conn) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	if len(args) == 0 { // used once, and may contain several statements, which cannot be prepared
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
	return tag.RowsAffected(), c.checkStale(err)
}

// scan reads the single row of a statement.
func (c *conn) scan(ctx context.Context, sql string, into ...any) error {
	r, err := c.query(ctx, sql)
	if err != nil {
		return err
	}
	return r.each(into, func() error { return nil })
}

var errRolledBack = errors.New("the database rolled the transaction back")

// transact runs do in a transaction.
func (c *conn) transact(ctx context.Context, begin string, do func() error) error {
	if _, err := c.exec(ctx, begin); err != nil {
		return err
	}
	if err := do(); err != nil {
		_, _ = c.exec(ctx, "ROLLBACK") // if it fails, the connection ends and the transaction with it
		return err
	}
	results, err := c.Exec(ctx, "COMMIT").ReadAll()
	if err == nil && results[0].CommandTag.String() != "COMMIT" {
		err = errRolledBack
	}
	return err
}

// statements are sent in one batch.
type statements []statement

type statement struct {
	sql  string
	args []any
	read func(*rows) error // nil if the statement returns no rows
}

func (all *statements) queue(read func(*rows) error, sql string, args ...any) {
	*all = append(*all, statement{sql, args, read})
}

// send runs the statements in order, in one round trip if they are already prepared.
// After the first failure, no further statement runs.
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
	return c.checkStale(errors.Join(failed, results.Close()))
}
