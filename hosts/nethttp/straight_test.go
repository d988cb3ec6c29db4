package nethttp_test

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// straight is a naive implementation of the storage contract on PostgreSQL, for comparison: each
// command, write and read is a separate database operation.
type straight struct {
	pool    *pgxpool.Pool
	classes map[string]*kv.Class
}

const straightSchema = `
CREATE TABLE IF NOT EXISTS keys (ns text COLLATE "C", key text COLLATE "C", value bytea, expires timestamptz, PRIMARY KEY (ns, key));
CREATE TABLE IF NOT EXISTS objects (class text, name text, PRIMARY KEY (class, name));
CREATE TABLE IF NOT EXISTS states (class text, name text, key text COLLATE "C", value bytea, PRIMARY KEY (class, name, key));`

type straightStore struct {
	*straight
	ns string
}

func (s straightStore) Get(ctx context.Context, key string) ([]byte, error) {
	var v []byte
	err := s.pool.QueryRow(ctx,
		"SELECT value FROM keys WHERE ns = $1 AND key = $2 AND (expires IS NULL OR expires > now())", s.ns, key).Scan(&v)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "no such key")
	}
	return v, err
}

func (s straightStore) List(ctx context.Context, q kv.Query) (page kv.Page, err error) {
	rows, err := s.pool.Query(ctx,
		"SELECT key, value FROM keys WHERE ns = $1 AND key > $2 AND starts_with(key, $3) ORDER BY key LIMIT 1000",
		s.ns, q.Cursor, q.Prefix)
	if err != nil {
		return page, err
	}
	page.Entries, err = pgx.CollectRows(rows, pgx.RowToStructByPos[kv.Entry])
	return page, err
}

func (s straightStore) Apply(ctx context.Context, batch []kv.Write) error {
	for _, w := range batch {
		var until *time.Time
		if !w.Expires.IsZero() {
			until = &w.Expires
		}
		var err error
		if w.Delete {
			_, err = s.pool.Exec(ctx, "DELETE FROM keys WHERE ns = $1 AND key = $2", s.ns, w.Key)
		} else {
			_, err = s.pool.Exec(ctx,
				"INSERT INTO keys VALUES ($1, $2, $3, $4) ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, expires = excluded.expires",
				s.ns, w.Key, w.Value, until)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Do implements kv.Coordinator.
func (s *straight) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (reply kv.Reply, err error) {
	class := s.classes[to.Class]
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) (err error) {
		if !class.IsQuery(cmd.Kind) {
			if _, err := tx.Exec(ctx, "INSERT INTO objects VALUES ($1, $2) ON CONFLICT DO NOTHING",
				to.Class, to.Name); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "SELECT 1 FROM objects WHERE class = $1 AND name = $2 FOR UPDATE",
				to.Class, to.Name); err != nil {
				return err
			}
		}
		reply, err = class.Dispatch(straightTx{ctx, tx, to}, time.Now(), cmd)
		return err
	})
	return reply, err
}

type straightTx struct {
	ctx context.Context
	tx  pgx.Tx
	to  kv.Object
}

func (t straightTx) Get(key string) ([]byte, error) {
	var v []byte
	err := t.tx.QueryRow(t.ctx, "SELECT value FROM states WHERE class = $1 AND name = $2 AND key = $3",
		t.to.Class, t.to.Name, key).Scan(&v)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return v, err
}

func (t straightTx) Put(key string, value []byte) error {
	_, err := t.tx.Exec(t.ctx,
		"INSERT INTO states VALUES ($1, $2, $3, $4) ON CONFLICT (class, name, key) DO UPDATE SET value = excluded.value",
		t.to.Class, t.to.Name, key, value)
	return err
}

func (t straightTx) Delete(key string) error {
	_, err := t.tx.Exec(t.ctx, "DELETE FROM states WHERE class = $1 AND name = $2 AND key = $3",
		t.to.Class, t.to.Name, key)
	return err
}

func (t straightTx) List(prefix, after string, limit int) ([]kv.Entry, error) {
	rows, err := t.tx.Query(t.ctx,
		"SELECT key, value FROM states WHERE class = $1 AND name = $2 AND key >= $3 AND key > $4 AND key < $5 ORDER BY key LIMIT $6",
		t.to.Class, t.to.Name, prefix, after, prefix+"\U0010ffff", limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[kv.Entry])
}
