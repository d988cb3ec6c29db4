package postgreskv

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Export iterates over all rows as of one moment, while the database is in use. It
// stops at the first error, which it yields with an empty row.
func (db *DB) Export(ctx context.Context) iter.Seq2[kv.Row, error] {
	return func(yield func(kv.Row, error) bool) {
		snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		err := pgx.BeginTxFunc(ctx, db.pool, snapshot, func(tx pgx.Tx) error {
			if err := disableTimeouts(ctx, tx); err != nil {
				return err
			}
			if err := exportStores(ctx, tx, yield); err != nil {
				return err
			}
			return exportObjects(ctx, tx, yield)
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(kv.Row{}, db.unavailable(err))
		}
	}
}

// disableTimeouts lets a transaction take as long as a copy needs.
func disableTimeouts(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
	return err
}

// errEnough ends an iteration whose caller has stopped.
var errEnough = errors.New("the caller stopped the iteration")

func exportStores(ctx context.Context, tx pgx.Tx, yield func(kv.Row, error) bool) error {
	rows, err := tx.Query(ctx,
		"SELECT ns, key, value, expires FROM store WHERE expires IS DISTINCT FROM 0 ORDER BY ns, key")
	if err != nil {
		return err
	}
	var r kv.Row
	var until *int64
	_, err = pgx.ForEachRow(rows, []any{&r.Namespace, &r.Key, &r.Value, &until}, func() error {
		if r.Expires = (time.Time{}); until != nil {
			r.Expires = time.UnixMicro(*until).UTC()
		}
		return yieldRow(r, yield)
	})
	return err
}

func exportObjects(ctx context.Context, tx pgx.Tx, yield func(kv.Row, error) bool) error {
	rows, err := tx.Query(ctx, "SELECT class, name, key, value FROM state ORDER BY class, name, key")
	if err != nil {
		return err
	}
	var r kv.Row
	_, err = pgx.ForEachRow(rows, []any{&r.Object.Class, &r.Object.Name, &r.Key, &r.Value},
		func() error { return yieldRow(r, yield) })
	return err
}

func yieldRow(r kv.Row, yield func(kv.Row, error) bool) error {
	if r.Value = present(r.Value); !yield(r, nil) {
		return errEnough
	}
	return nil
}

// Import fills an empty database in one transaction. If the database is not empty,
// Import leaves it unchanged and returns a Conflict fault.
func (db *DB) Import(ctx context.Context, rows iter.Seq2[kv.Row, error]) error {
	return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if err := disableTimeouts(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "LOCK TABLE store, object, state IN EXCLUSIVE MODE"); err != nil {
			return err
		}
		var used bool
		if err := tx.QueryRow(ctx,
			"SELECT EXISTS (SELECT FROM store) OR EXISTS (SELECT FROM state)").Scan(&used); err != nil {
			return err
		}
		if used {
			return fault.New(fault.Conflict, "the database is not empty")
		}
		return load(ctx, tx.Conn(), rows)
	})
}

// Limits of rows and bytes per batch of an import.
const (
	loadTogether = 500
	loadBytes    = 4 << 20
)

const objectSQL = `INSERT INTO object (class, name, version) SELECT DISTINCT class, name, $1::bigint FROM state ON CONFLICT (class, name) DO UPDATE SET version = excluded.version`

func load(ctx context.Context, c *pgx.Conn, rows iter.Seq2[kv.Row, error]) error {
	t := &transaction{puts: map[storeKey]kv.Write{}, states: map[kv.Object]*state{}}
	n, size := 0, 0
	flush := func() error {
		var batch pgx.Batch
		t.queueState(&batch)
		t.queuePuts(&batch)
		clear(t.puts)
		clear(t.states)
		n, size = 0, 0
		return send(ctx, c, &batch)
	}
	for r, err := range rows {
		if err != nil {
			return err
		}
		t.load(r)
		if n, size = n+1, size+len(r.Value); n >= loadTogether || size >= loadBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	_, err := c.Exec(ctx, objectSQL, int64(newMove()))
	return err
}

// load adds a row to the next batch.
func (t *transaction) load(r kv.Row) {
	if r.Namespace != "" {
		t.put(r.Namespace, kv.Write{Key: r.Key, Value: r.Value, Expires: r.Expires})
		return
	}
	s := t.states[r.Object]
	if s == nil {
		s = newState(newBase(r.Object, nil, nil))
		t.states[r.Object] = s
	}
	s.dirty[r.Key] = r.Value
}
