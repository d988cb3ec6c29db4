package postgreskv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	lockSQL   = `SELECT 1 FROM object WHERE class = $1 AND name = $2 FOR UPDATE`
	makeSQL   = `INSERT INTO object (class, name) VALUES ($1, $2) ON CONFLICT (class, name) DO NOTHING`
	readSQL   = `SELECT value FROM state WHERE class = $1 AND name = $2 AND key = $3`
	rangeSQL  = `SELECT key, value FROM state WHERE class = $1 AND name = $2 AND key >= $3 AND key > $4 ORDER BY key LIMIT $5`
	keepSQL   = `INSERT INTO state (class, name, key, value) VALUES ($1, $2, $3, $4) ON CONFLICT (class, name, key) DO UPDATE SET value = excluded.value`
	removeSQL = `DELETE FROM state WHERE class = $1 AND name = $2 AND key = $3`
)

// Coordinator implements kv.Coordinator.
type Coordinator struct{ db *DB }

var _ kv.Coordinator = (*Coordinator)(nil)

// Coordinator returns the coordinator over db's objects.
func (db *DB) Coordinator() *Coordinator { return &Coordinator{db} }

// Do implements kv.Coordinator. An unknown class is a fault with code Invalid.
func (c *Coordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if err := to.Check(); err != nil {
		return kv.Reply{}, err
	}
	class := c.db.classes[to.Class]
	if class == nil {
		return kv.Reply{}, fault.New(fault.Invalid, "there is no class of objects %q", to.Class)
	}
	if err := ctx.Err(); err != nil {
		return kv.Reply{}, fault.Wrap(err, fault.Unavailable, "the caller has gone")
	}
	if !class.Query(cmd.Kind) {
		return c.db.queue(to, class).do(ctx, cmd)
	}
	var reply kv.Reply
	err := c.db.transact(ctx, true, func(tx pgx.Tx) (err error) {
		if _, err := tx.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
			return err
		}
		reply, err = dispatch(class, &state{ctx: ctx, tx: tx, object: to}, c.db.now(), cmd)
		return err
	})
	if err != nil {
		return kv.Reply{}, c.db.failed(err)
	}
	return reply, nil
}

// failed tells the database's failures from those of a behaviour.
func (db *DB) failed(err error) error {
	var own *broken
	if errors.As(err, &own) {
		return err
	}
	return db.unavailable(err)
}

// broken is an error of a command itself; another transaction would meet it too.
type broken struct{ error }

func (b *broken) Unwrap() error { return b.error }

// dispatch keeps the panic of one behaviour from ending the program.
func dispatch(class *kv.Class, s *state, now time.Time, cmd kv.Envelope) (reply kv.Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &broken{fmt.Errorf("postgreskv: command %q panicked: %v\n%s", cmd.Kind, p, debug.Stack())}
		}
	}()
	reply, err = class.Dispatch(s, now, cmd)
	if err != nil && s.failed == nil {
		err = &broken{err}
	}
	return reply, err
}

// state is an object's state within a transaction. It keeps a command's writes until
// the command has succeeded, and a batch's until its end; what it has read of the
// database it does not read twice.
type state struct {
	ctx    context.Context
	tx     pgx.Tx
	object kv.Object
	known  map[string][]byte // single keys that were read or written by commands before; nil is absent
	dirty  map[string]bool   // of those, what is to be written
	writes map[string][]byte // of the command that runs; nil marks a deleted key
	failed error             // of the database
}

func (s *state) note(err error) error {
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *state) Get(key string) ([]byte, error) {
	if v, ok := s.writes[key]; ok {
		return slices.Clone(v), nil
	}
	if v, ok := s.known[key]; ok {
		return slices.Clone(v), nil
	}
	var v []byte
	err := s.tx.QueryRow(s.ctx, readSQL, s.object.Class, s.object.Name, key).Scan(&v)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		v = nil
	case err != nil:
		return nil, s.note(err)
	default:
		v = present(v)
	}
	s.remember(key, v)
	return slices.Clone(v), nil
}

func (s *state) remember(key string, v []byte) {
	if s.known == nil {
		s.known = map[string][]byte{}
	}
	s.known[key] = v
}

func (s *state) Put(key string, value []byte) error {
	s.write(key, append([]byte{}, value...))
	return nil
}

func (s *state) Delete(key string) error {
	s.write(key, nil)
	return nil
}

func (s *state) write(key string, value []byte) {
	if s.writes == nil {
		s.writes = map[string][]byte{}
	}
	s.writes[key] = value
}

// List merges what the database has with what was written since.
func (s *state) List(prefix, after string, limit int) ([]kv.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	mine := s.pending(prefix, after)
	rows, err := s.tx.Query(s.ctx, rangeSQL, s.object.Class, s.object.Name, prefix, after, limit+len(mine))
	if err != nil {
		return nil, s.note(err)
	}
	defer rows.Close()
	found := map[string][]byte{}
	for rows.Next() {
		var e kv.Entry
		if err := rows.Scan(&e.Key, &e.Value); err != nil {
			return nil, s.note(err)
		}
		if !strings.HasPrefix(e.Key, prefix) {
			break
		}
		found[e.Key] = present(e.Value)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, s.note(err)
	}
	maps.Copy(found, mine)
	var list []kv.Entry
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if found[key] != nil && len(list) < limit {
			list = append(list, kv.Entry{Key: key, Value: slices.Clone(found[key])})
		}
	}
	return list, nil
}

// pending are the writes in a range that the database does not have yet; nil marks a
// deleted key.
func (s *state) pending(prefix, after string) map[string][]byte {
	mine := map[string][]byte{}
	take := func(key string, v []byte) {
		if strings.HasPrefix(key, prefix) && key > after {
			mine[key] = v
		}
	}
	for key := range s.dirty {
		take(key, s.known[key])
	}
	for key, v := range s.writes {
		take(key, v)
	}
	return mine
}

// accept keeps what a command that succeeded has written; forget drops it.
func (s *state) accept() {
	for key, v := range s.writes {
		s.remember(key, v)
		if s.dirty == nil {
			s.dirty = map[string]bool{}
		}
		s.dirty[key] = true
	}
	s.writes = nil
}

func (s *state) forget() { s.writes = nil }

// flush hands all that was written to the database, in one round trip.
func (s *state) flush() error {
	if len(s.dirty) == 0 {
		return nil
	}
	var all pgx.Batch
	for _, key := range slices.Sorted(maps.Keys(s.dirty)) {
		if v := s.known[key]; v != nil {
			all.Queue(keepSQL, s.object.Class, s.object.Name, key, v)
		} else {
			all.Queue(removeSQL, s.object.Class, s.object.Name, key)
		}
	}
	return s.tx.SendBatch(s.ctx, &all).Close()
}
