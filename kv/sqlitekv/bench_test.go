package sqlitekv_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/kvtest"
)

func Benchmark(b *testing.B) {
	b.Run("grouped", func(b *testing.B) { kvtest.Bench(b, harness("")) })
	b.Run("naive", func(b *testing.B) { kvtest.Bench(b, naiveHarness()) })
}

// naive is the obvious implementation: one transaction and one disk sync per change. It
// is the baseline for group commit.
type naive struct {
	mu      sync.Mutex
	conn    *sqlite.Conn
	classes map[string]*kv.Class
	object  kv.Object
	kv.Store
}

func naiveHarness() kvtest.Harness {
	return kvtest.Harness{Now: time.Now, Open: func(t testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator) {
		path := filepath.Join(t.TempDir(), "kv.db")
		db := open(t, path, time.Now, classes...)
		conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		n := &naive{conn: conn, classes: map[string]*kv.Class{}, Store: db.Store("")}
		for _, c := range classes {
			n.classes[c.Name()] = c
		}
		if err := sqlitex.ExecuteTransient(conn, "PRAGMA synchronous = FULL", nil); err != nil {
			t.Fatal(err)
		}
		return n, n
	}}
}

func (n *naive) transact(fn func() error) (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	end, err := sqlitex.ImmediateTransaction(n.conn)
	if err != nil {
		return err
	}
	defer end(&err)
	return fn()
}

func (n *naive) Apply(_ context.Context, batch []kv.Write) error {
	return n.transact(func() error {
		for _, w := range batch {
			err := n.exec("INSERT OR REPLACE INTO store (ns, key, value) VALUES ('', ?, ?)", nil, w.Key, w.Value)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (n *naive) Do(_ context.Context, to kv.Object, cmd kv.Envelope) (reply kv.Reply, err error) {
	err = n.transact(func() (err error) {
		n.object = to
		reply, err = n.classes[to.Class].Dispatch(naiveTx{n}, time.Now(), cmd)
		return err
	})
	return reply, err
}

func (n *naive) exec(query string, row func(*sqlite.Stmt) error, args ...any) error {
	return sqlitex.Execute(n.conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: row})
}

type naiveTx struct{ n *naive }

func (t naiveTx) Get(key string) (v []byte, err error) {
	err = t.n.exec("SELECT value FROM state WHERE class = ? AND name = ? AND key = ?", func(s *sqlite.Stmt) error {
		v = make([]byte, s.ColumnLen(0))
		s.ColumnBytes(0, v)
		return nil
	}, t.n.object.Class, t.n.object.Name, key)
	return v, err
}

func (t naiveTx) Put(key string, value []byte) error {
	return t.n.exec("INSERT OR REPLACE INTO state (class, name, key, value) VALUES (?, ?, ?, ?)",
		nil, t.n.object.Class, t.n.object.Name, key, value)
}

func (t naiveTx) Delete(key string) error {
	return t.n.exec("DELETE FROM state WHERE class = ? AND name = ? AND key = ?", nil,
		t.n.object.Class, t.n.object.Name, key)
}

func (t naiveTx) List(prefix, after string, limit int) (found []kv.Entry, err error) {
	err = t.n.exec("SELECT key, value FROM state WHERE class = ? AND name = ? AND key > ? AND key >= ? ORDER BY key LIMIT ?",
		func(s *sqlite.Stmt) error {
			if key := s.ColumnText(0); strings.HasPrefix(key, prefix) {
				v := make([]byte, s.ColumnLen(1))
				s.ColumnBytes(1, v)
				found = append(found, kv.Entry{Key: key, Value: v})
			}
			return nil
		}, t.n.object.Class, t.n.object.Name, after, prefix, limit)
	return found, err
}
