package postgreskv_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// reasonNow returns why nothing can be written, or "".
func reasonNow(t *testing.T, db *postgreskv.DB) string {
	t.Helper()
	err := db.CheckWrite(t.Context())
	if err == nil {
		return ""
	}
	if !fault.Is(err, fault.Unavailable) {
		t.Fatalf("%v, want an Unavailable fault", err)
	}
	return fault.Of(err).Message
}

// waitForReason waits until writes fail for the reason. Connections that were open may
// first report that they ended.
func waitForReason(t *testing.T, db *postgreskv.DB, want string) {
	t.Helper()
	got := reasonNow(t, db)
	for until := time.Now().Add(20 * time.Second); got != want && time.Now().Before(until); got = reasonNow(t, db) {
		time.Sleep(10 * time.Millisecond)
	}
	if got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
}

func TestCheckWrite_ReadOnlyDatabase(t *testing.T) {
	c := newCluster(t)
	url := c.Database(t)
	db, primary := open(t, url, time.Now), open(t, url+"&target_session_attrs=read-write", time.Now)
	for range 2 {
		waitForReason(t, db, "")
	}
	setReadOnly := func(on bool) {
		if err := c.SetReadOnly(t.Context(), on); err != nil {
			t.Fatal(err)
		}
	}
	setReadOnly(true)
	waitForReason(t, db, "the database is read-only")
	exec(t, connect(t, url),
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pledgeworks'`)
	waitForReason(t, primary, "the database is read-only")
	setReadOnly(false)
	waitForReason(t, db, "")
	waitForReason(t, primary, "")
}

func TestCheckWrite_StoppedServer(t *testing.T) {
	c := newCluster(t)
	db := open(t, c.Database(t), time.Now)
	waitForReason(t, db, "")
	c.Kill()
	waitForReason(t, db, "cannot connect to the database")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitForReason(t, db, "")
}

func TestCheckWrite_EndsWithItsContext(t *testing.T) {
	url := cluster.Database(t)
	db := open(t, url, time.Now)
	waitForReason(t, db, "")
	conn := connect(t, url)
	exec(t, conn, `BEGIN`, `LOCK TABLE store`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := db.CheckWrite(ctx); !errors.Is(err, context.DeadlineExceeded) ||
		fault.Of(err).Message != "the database took too long" {
		t.Errorf("with the table locked: %v", err)
	}
	exec(t, conn, `ROLLBACK`)
	waitForReason(t, db, "")
}

// newCluster starts a server for one test.
func newCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	cluster.Shared(t) // skips the test without PostgreSQL
	c, err := cluster.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Remove)
	return c
}
