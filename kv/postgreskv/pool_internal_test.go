package postgreskv

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

// The number of connections is a setting and not a parameter of the URL. Session
// parameters in the URL replace the defaults.
func TestPoolConfig(t *testing.T) {
	type limits struct {
		MaxConns, MinConns int32
		StatementTimeout   string
	}
	for name, tt := range map[string]struct {
		url         string
		connections int
		want        limits
	}{
		"default": {"postgres://u@h/db", 0, limits{16, 0, "20s"}},
		"setting": {"postgres://u@h/db", 3, limits{3, 0, "20s"}},
		"largest": {"postgres://u@h/db", 5000, limits{1000, 0, "20s"}},
		"pool parameters in URL": {
			"postgres://u@h/db?pool_max_conns=4&pool_min_conns=2&pool_min_idle_conns=1&default_query_exec_mode=exec",
			3, limits{3, 0, "20s"}},
		"session in URL": {"postgres://u@h/db?statement_timeout=5s", 3, limits{3, 0, "5s"}},
	} {
		c, err := poolConfig(tt.url, tt.connections)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := limits{c.MaxConns, c.MinConns + c.MinIdleConns, c.ConnConfig.RuntimeParams["statement_timeout"]}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if c.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
			t.Errorf("%s: statements run in mode %s", name, c.ConnConfig.DefaultQueryExecMode)
		}
	}
	if _, err := poolConfig("post gres://user:hush@", 0); err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("invalid URL: %v", err)
	}
}

// newTestDB returns an empty database with one connection.
func newTestDB(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), cluster.Database(t), Options{Now: time.Now, Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// backendPID returns the process ID of the backend of the next connection.
func backendPID(t *testing.T, db *DB) (pid uint32) {
	t.Helper()
	err := db.withConn(t.Context(), func(c *pgx.Conn) error {
		pid = c.PgConn().PID()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Connections in a transaction or with an interrupted statement do not return to the
// pool.
func TestWithConn_ClosesUnusableConnections(t *testing.T) {
	db := newTestDB(t)
	first := backendPID(t, db)
	if again := backendPID(t, db); again != first {
		t.Fatalf("process %d, then %d: an intact connection was not reused", first, again)
	}
	err := db.withConn(t.Context(), func(c *pgx.Conn) error {
		_, err := c.Exec(t.Context(), "BEGIN")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	second := backendPID(t, db)
	if second == first {
		t.Error("a connection in a transaction was reused")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = db.withConn(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, "SELECT pg_sleep($1)", 5)
		return err
	})
	if err == nil {
		t.Error("the statement was not interrupted")
	}
	if third := backendPID(t, db); third == second {
		t.Error("an interrupted connection was reused")
	}
}
