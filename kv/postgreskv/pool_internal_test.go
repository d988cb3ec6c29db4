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

// whose returns the database's process behind the connection that is lent next.
func whose(t *testing.T, p *pool) (pid uint32) {
	t.Helper()
	err := p.lend(t.Context(), func(c *conn) error {
		pid = c.PID()
		_, err := c.exec(t.Context(), "SELECT 1")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// A connection that has ended while it rested is lent to nobody.
func TestARestedConnectionIsAskedFirst(t *testing.T) {
	p := newTestPool(t)
	p.rests = 0
	before := whose(t, p)
	other := newTestPool(t)
	if _, err := other.exec(t.Context(), "SELECT pg_terminate_backend($1, 5000)", int(before)); err != nil {
		t.Fatal(err)
	}
	if after := whose(t, p); after == before {
		t.Error("what has ended is lent again")
	}
}

// What has rested long is closed, and so is what is old, whether it rests or comes back.
func TestOldConnectionsAreClosed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*pool)
		same   bool
	}{
		"young":       {func(*pool) {}, true},
		"long unused": {func(p *pool) { p.idles = 0 }, false},
		"old":         {func(p *pool) { p.lives = 0 }, false},
	} {
		p := newTestPool(t)
		before := whose(t, p)
		tt.change(p)
		p.trim()
		if after := whose(t, p); (after == before) != tt.same {
			t.Errorf("%s: process %d, then %d", name, before, after)
		}
	}
	p := newTestPool(t)
	p.lives = 0
	if first, second := whose(t, p), whose(t, p); first == second {
		t.Error("an old connection comes back")
	}
}

// A connection comes back only if the next can use it: none in a transaction, none whose
// use was broken off.
func TestWhatNobodyElseCanUseIsClosed(t *testing.T) {
	p := newTestPool(t)
	var begun uint32
	err := p.lend(t.Context(), func(c *conn) error {
		begun = c.PID()
		_, err := c.exec(t.Context(), "BEGIN")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	next := whose(t, p)
	if next == begun {
		t.Error("a transaction is lent to somebody else")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.exec(ctx, "SELECT pg_sleep($1)", 5); err == nil {
		t.Error("nothing was broken off")
	}
	if after := whose(t, p); after == next {
		t.Error("what was broken off is lent again")
	}
}
