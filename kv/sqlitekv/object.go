package sqlitekv

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	stateGetSQL    = "SELECT value FROM state WHERE class = ? AND name = ? AND key = ?"
	stateListSQL   = "SELECT key, value FROM state WHERE class = ? AND name = ? AND key >= ? ORDER BY key"
	statePutSQL    = "INSERT OR REPLACE INTO state (class, name, key, value) VALUES (?, ?, ?, ?)"
	stateDeleteSQL = "DELETE FROM state WHERE class = ? AND name = ? AND key = ?"
)

// Coordinator implements kv.Coordinator. Commands run one after another in the writer's
// transactions, queries run on read connections.
type Coordinator struct{ db *DB }

var _ kv.Coordinator = (*Coordinator)(nil)

// Coordinator returns the coordinator over db's objects.
func (db *DB) Coordinator() *Coordinator { return &Coordinator{db} }

// Do implements kv.Coordinator. An unknown class is an Invalid fault.
func (c *Coordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if err := to.Check(); err != nil {
		return kv.Reply{}, err
	}
	class := c.db.classes[to.Class]
	if class == nil {
		return kv.Reply{}, fault.New(fault.Invalid, "unknown object class %q", to.Class)
	}
	var reply kv.Reply
	if class.IsQuery(cmd.Kind) {
		err := c.db.read(ctx, func(cn *conn) (err error) {
			reply, err = ask(class, cn, to, c.db.now(), cmd)
			return err
		})
		return reply, err
	}
	err := c.db.writer.do(ctx, func(cn *conn) (err error) {
		tx := &tx{conn: cn, object: to}
		reply, err = dispatch(class, tx, c.db.now(), cmd)
		if err != nil {
			return err
		}
		return tx.flush()
	})
	if err != nil {
		return kv.Reply{}, err
	}
	return reply, nil
}

// ask runs a query on one snapshot.
func ask(class *kv.Class, c *conn, to kv.Object, now time.Time, cmd kv.Envelope) (kv.Reply, error) {
	if err := c.exec("BEGIN"); err != nil {
		return kv.Reply{}, asDiskError(err)
	}
	reply, err := dispatch(class, &tx{conn: c, object: to}, now, cmd)
	if end := c.exec("ROLLBACK"); err == nil {
		err = asDiskError(end)
	}
	return reply, err
}

// dispatch recovers from a panic of a handler, which would otherwise end the program
// and all other requests.
func dispatch(class *kv.Class, tx *tx, now time.Time, cmd kv.Envelope) (reply kv.Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sqlitekv: command %q panicked: %v\n%s", cmd.Kind, p, debug.Stack())
		}
	}()
	return class.Dispatch(tx, now, cmd)
}

// tx is an object's state in a transaction. It buffers writes until the command has
// succeeded, so a failed command leaves nothing to roll back.
type tx struct {
	conn   *conn
	object kv.Object
	writes map[string][]byte // nil marks a deleted key
}

func (t *tx) Get(key string) ([]byte, error) {
	if v, ok := t.writes[key]; ok {
		return slices.Clone(v), nil
	}
	q, err := t.conn.stmt(stateGetSQL)
	if err != nil {
		return nil, asDiskError(err)
	}
	q.BindText(1, t.object.Class)
	q.BindText(2, t.object.Name)
	q.BindText(3, key)
	row, err := q.Step()
	if err != nil {
		return nil, asDiskError(err)
	}
	var v []byte
	if row {
		v = blob(q, 0)
	}
	return v, asDiskError(q.Reset())
}

func (t *tx) Put(key string, value []byte) error {
	t.note(key, append([]byte{}, value...))
	return nil
}

func (t *tx) Delete(key string) error {
	t.note(key, nil)
	return nil
}

func (t *tx) note(key string, value []byte) {
	if t.writes == nil {
		t.writes = map[string][]byte{}
	}
	t.writes[key] = value
}

// List merges stored entries with the command's writes.
func (t *tx) List(prefix, after string, limit int) ([]kv.Entry, error) {
	q, err := t.conn.stmt(stateListSQL)
	if err != nil {
		return nil, asDiskError(err)
	}
	q.BindText(1, t.object.Class)
	q.BindText(2, t.object.Name)
	q.BindText(3, max(prefix, after))
	mine := t.pendingEntries(prefix, after)
	var found []kv.Entry
	for len(found) < limit {
		row, err := q.Step()
		if err != nil {
			return nil, asDiskError(err)
		}
		if !row {
			break
		}
		key := q.ColumnText(0)
		if !strings.HasPrefix(key, prefix) {
			break
		}
		for len(mine) > 0 && mine[0].Key < key {
			found, mine = add(found, mine[0]), mine[1:]
		}
		if _, mineToo := t.writes[key]; !mineToo && key > after {
			found = append(found, kv.Entry{Key: key, Value: blob(q, 1)})
		}
	}
	if err := q.Reset(); err != nil {
		return nil, asDiskError(err)
	}
	for _, e := range mine {
		found = add(found, e)
	}
	return found[:min(len(found), max(limit, 0))], nil
}

// pendingEntries returns the command's writes in the range, in byte order.
func (t *tx) pendingEntries(prefix, after string) []kv.Entry {
	var mine []kv.Entry
	for key, v := range t.writes {
		if strings.HasPrefix(key, prefix) && key > after {
			mine = append(mine, kv.Entry{Key: key, Value: v})
		}
	}
	slices.SortFunc(mine, func(a, b kv.Entry) int { return strings.Compare(a.Key, b.Key) })
	return mine
}

func add(found []kv.Entry, e kv.Entry) []kv.Entry {
	if e.Value == nil {
		return found
	}
	return append(found, kv.Entry{Key: e.Key, Value: slices.Clone(e.Value)})
}

// flush writes the buffered changes to the transaction, in key order.
func (t *tx) flush() error {
	for _, key := range slices.Sorted(maps.Keys(t.writes)) {
		if err := t.flushOne(key, t.writes[key]); err != nil {
			return asDiskError(err)
		}
	}
	return nil
}

func (t *tx) flushOne(key string, value []byte) error {
	query := statePutSQL
	if value == nil {
		query = stateDeleteSQL
	}
	q, err := t.conn.stmt(query)
	if err != nil {
		return err
	}
	q.BindText(1, t.object.Class)
	q.BindText(2, t.object.Name)
	q.BindText(3, key)
	if value != nil {
		q.BindBytes(4, value)
	}
	return finish(q)
}
