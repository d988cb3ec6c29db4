// Package ownstore implements kv.Store and kv.Coordinator in two tables of an existing PostgreSQL
// database. It passes the tests of kv/kvtest. Package kv/postgreskv does the same with group
// commit, caching and failover.
package ownstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Schema creates the tables. Keys are compared byte by byte.
const Schema = `
CREATE TABLE IF NOT EXISTS pledges (
	key text COLLATE "C" PRIMARY KEY, value bytea NOT NULL, expires bigint NOT NULL);
CREATE TABLE IF NOT EXISTS pledge_objects (
	class text COLLATE "C", name text COLLATE "C", key text COLLATE "C", value bytea NOT NULL,
	PRIMARY KEY (class, name, key))`

// DB implements kv.Store, and kv.Coordinator for its classes.
type DB struct {
	Pool    *pgxpool.Pool
	Now     func() time.Time
	Classes map[string]*kv.Class // by name
}

// Get implements kv.Store.
func (d *DB) Get(ctx context.Context, key string) ([]byte, error) {
	if err := kv.CheckKey(key); err != nil {
		return nil, err
	}
	var value []byte
	err := d.Pool.QueryRow(ctx, `SELECT value FROM pledges WHERE key = $1 AND (expires = 0 OR expires > $2)`,
		key, d.Now().UnixMicro()).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "Not found")
	}
	return value, err
}

// List implements kv.Store. The cursor is the last key of the previous page.
func (d *DB) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	limit := q.Limit
	if limit < 1 || limit > kv.MaxPage {
		limit = kv.MaxPage
	}
	rows, err := d.Pool.Query(ctx, `SELECT key, CASE WHEN $5 THEN ''::bytea ELSE value END FROM pledges
		WHERE starts_with(key, $1) AND key > $2 AND (expires = 0 OR expires > $3) ORDER BY key LIMIT $4`,
		q.Prefix, q.Cursor, d.Now().UnixMicro(), limit+1, q.KeysOnly)
	if err != nil {
		return kv.Page{}, err
	}
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByPos[kv.Entry])
	page := kv.Page{Entries: entries}
	if len(entries) > limit {
		page = kv.Page{Entries: entries[:limit], Next: entries[limit-1].Key}
	}
	for i := range page.Entries {
		if q.KeysOnly {
			page.Entries[i].Value = nil
		}
	}
	return page, err
}

// Apply implements kv.Store. It applies all writes or none.
func (d *DB) Apply(ctx context.Context, batch []kv.Write) error {
	if err := kv.CheckBatch(batch, d.Now()); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		for _, w := range batch {
			var err error
			if w.Delete {
				_, err = tx.Exec(ctx, `DELETE FROM pledges WHERE key = $1`, w.Key)
			} else {
				var expires int64
				if !w.Expires.IsZero() {
					expires = w.Expires.UnixMicro()
				}
				_, err = tx.Exec(ctx, `INSERT INTO pledges VALUES ($1, $2, $3)
					ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires`,
					w.Key, nonNil(w.Value), expires)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// nonNil returns an empty value instead of a nil one, which would be stored as NULL.
func nonNil(value []byte) []byte { return append([]byte{}, value...) }

// Do implements kv.Coordinator. It runs the command in a transaction that holds an advisory lock on
// the object.
func (d *DB) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (reply kv.Reply, err error) {
	class := d.Classes[to.Class]
	if err := to.Check(); err != nil || class == nil {
		return kv.Reply{}, errors.Join(err, fmt.Errorf("ownstore: invalid object of class %q", to.Class))
	}
	err = pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		const lock = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`
		if _, err := tx.Exec(ctx, lock, to.Class+"/"+to.Name); err != nil {
			return err
		}
		reply, err = class.Dispatch(state{ctx, tx, to}, d.Now(), cmd)
		return err
	})
	if err != nil {
		return kv.Reply{}, err // the result is unknown
	}
	return reply, nil
}

// state implements kv.Tx on the rows of one object.
type state struct {
	ctx context.Context
	tx  pgx.Tx
	of  kv.Object
}

func (s state) Get(key string) (value []byte, err error) {
	err = s.tx.QueryRow(s.ctx, `SELECT value FROM pledge_objects WHERE class = $1 AND name = $2 AND key = $3`,
		s.of.Class, s.of.Name, key).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

func (s state) Put(key string, value []byte) error {
	_, err := s.tx.Exec(s.ctx, `INSERT INTO pledge_objects VALUES ($1, $2, $3, $4)
		ON CONFLICT (class, name, key) DO UPDATE SET value = excluded.value`, s.of.Class, s.of.Name, key, nonNil(value))
	return err
}

func (s state) Delete(key string) error {
	_, err := s.tx.Exec(s.ctx, `DELETE FROM pledge_objects WHERE class = $1 AND name = $2 AND key = $3`,
		s.of.Class, s.of.Name, key)
	return err
}

func (s state) List(prefix, after string, limit int) ([]kv.Entry, error) {
	rows, err := s.tx.Query(s.ctx, `SELECT key, value FROM pledge_objects
		WHERE class = $1 AND name = $2 AND starts_with(key, $3) AND key > $4 ORDER BY key LIMIT $5`,
		s.of.Class, s.of.Name, prefix, after, max(limit, 0))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[kv.Entry])
}
