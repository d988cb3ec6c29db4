package postgreskv

import (
	"context"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

func newTestPool(t *testing.T) *pool {
	t.Helper()
	config, err := parse(cluster.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPool(config, 2, func() {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.conns.Close)
	return p
}

// backendPID returns the process ID of the backend of the next connection.
func backendPID(t *testing.T, p *pool) (pid uint32) {
	t.Helper()
	err := p.withConn(t.Context(), func(c *conn) error {
		pid = c.PID()
		_, err := c.exec(t.Context(), "SELECT 1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// A connection that ended while idle is not used.
func TestPool_PingsIdleConnection(t *testing.T) {
	p := newTestPool(t)
	p.pingAfter = 0
	before := backendPID(t, p)
	other := newTestPool(t)
	if _, err := other.exec(t.Context(), "SELECT pg_terminate_backend($1, 5000)", int(before)); err != nil {
		t.Fatal(err)
	}
	if after := backendPID(t, p); after == before {
		t.Error("the ended connection was used again")
	}
}

// Connections that are idle for too long are closed; so are old ones, whether idle or
// in use.
func TestPool_ClosesOldConnections(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*pool)
		same   bool
	}{
		"young":       {func(*pool) {}, true},
		"long unused": {func(p *pool) { p.maxIdle = 0 }, false},
		"old":         {func(p *pool) { p.maxAge = 0 }, false},
	} {
		p := newTestPool(t)
		before := backendPID(t, p)
		tt.change(p)
		p.trim()
		if after := backendPID(t, p); (after == before) != tt.same {
			t.Errorf("%s: process %d, then %d", name, before, after)
		}
	}
	p := newTestPool(t)
	p.maxAge = 0
	if first, second := backendPID(t, p), backendPID(t, p); first == second {
		t.Error("an old connection returned to the pool")
	}
}

// Connections in a transaction or with an interrupted statement do not return to the
// pool.
func TestPool_ClosesUnusableConnections(t *testing.T) {
	p := newTestPool(t)
	var begun uint32
	err := p.withConn(t.Context(), func(c *conn) error {
		begun = c.PID()
		_, err := c.exec(t.Context(), "BEGIN")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	next := backendPID(t, p)
	if next == begun {
		t.Error("a connection in a transaction was reused")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.exec(ctx, "SELECT pg_sleep($1)", 5); err == nil {
		t.Error("the statement was not interrupted")
	}
	if after := backendPID(t, p); after == next {
		t.Error("an interrupted connection was reused")
	}
}
