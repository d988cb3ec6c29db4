package postgreskv_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
)

var hot = kv.Object{Class: "stock", Name: "hot"}

// shelf runs commands on the stock through one server.
type shelf struct {
	testing.TB
	db *postgreskv.DB
}

// takes sends a command that takes a unit, and checks the total taken.
func (s shelf) takes(id string, want int) {
	s.Helper()
	r, err := s.db.Coordinator().Do(s.Context(), hot,
		kv.Envelope{ID: id, Kind: "take", Body: json.RawMessage(`{"limit":100}`)})
	if err != nil || number(s, r) != want {
		s.Errorf("%s: %s taken, %v, want %d", id, r.Body, err, want)
	}
}

// finds runs the command with no unit left, which changes only the version, and checks the
// total taken.
func (s shelf) finds(id string, want int) {
	s.Helper()
	r, err := s.db.Coordinator().Do(s.Context(), hot,
		kv.Envelope{ID: id, Kind: "take", Body: json.RawMessage(`{"limit":0}`)})
	if err != nil || number(s, r) != want {
		s.Errorf("%s: %s taken, %v, want %d", id, r.Body, err, want)
	}
}

func (s shelf) counts(want int) {
	s.Helper()
	if n := counted(s, s.db, hot); n != want {
		s.Errorf("counted %d, want %d", n, want)
	}
}

// connect opens a connection of the test itself.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

func exec(t testing.TB, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// After a failover to a follower that lacks commits, a server continues from the
// follower's state, even if the new history is as long as the lost one.
func TestFailover_LosesCommits(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two databases")
	}
	cluster.Shared(t) // skips the test without PostgreSQL
	first, err := cluster.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Remove)
	url := first.Database(t)
	second, err := first.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Remove)
	url = first.WithStandby(url, second)
	a, b := shelf{t, open(t, url, time.Now, stock())}, shelf{t, open(t, url, time.Now, stock())}
	a.takes("kept", 1)
	if err := second.Lag(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	a.takes("lost", 2)
	a.takes("lost too", 3)

	first.Kill()
	if err := second.Promote(); err != nil {
		t.Fatal(err)
	}
	b.finds("nothing", 1)
	b.takes("new", 2)
	a.counts(2)
	a.takes("lost", 3) // repeats a lost command as a new one
	a.takes("new", 2)
	b.counts(3)
}

// The database is reset while the servers' connections stay open, as with a connection
// pooler. Only the versions show that cached values were lost.
func TestVersions_LostHistory(t *testing.T) {
	for name, loses := range map[string]int{"one commit": 1, "some": 3, "all": 4} {
		t.Run(name, func(t *testing.T) {
			url := cluster.Database(t)
			conn := connect(t, url)
			a, b := shelf{t, open(t, url, time.Now, stock())}, shelf{t, open(t, url, time.Now, stock())}
			copied := func() {
				exec(t, conn, "DROP TABLE IF EXISTS old_object, old_state", "CREATE TABLE old_object AS TABLE object",
					"CREATE TABLE old_state AS TABLE state")
			}
			ids := []string{"one", "two", "three", "four"}
			for i, id := range ids {
				if i == len(ids)-loses {
					copied()
				}
				a.takes(id, i+1)
			}
			exec(t, conn, "BEGIN", "TRUNCATE object, state", "INSERT INTO object TABLE old_object",
				"INSERT INTO state TABLE old_state", "COMMIT")

			n := len(ids) - loses
			for i := range loses {
				b.finds("nothing"+ids[i], n)
			}
			a.counts(n)
			a.takes("four", n+1)
			b.counts(n + 1)
		})
	}
}

// The cache is reset when a connection ends and when one is opened. The versions do not
// change in this test.
func TestCache_ResetByConnections(t *testing.T) {
	const change = `UPDATE state SET value = '41' WHERE key = 'n'`
	begin := func(t *testing.T) (shelf, *pgx.Conn) {
		url := cluster.Database(t)
		s, conn := shelf{t, open(t, url, time.Now, stock())}, connect(t, url)
		s.takes("one", 1)
		return s, conn
	}
	busy := func(s shelf, work func()) { // with a connection in use
		for _, err := range s.db.Export(s.Context()) {
			if err != nil {
				s.Fatal(err)
			}
			work()
			return
		}
	}
	t.Run("cached", func(t *testing.T) {
		s, conn := begin(t)
		exec(t, conn, change)
		s.counts(1)
	})
	t.Run("new connection", func(t *testing.T) {
		s, conn := begin(t)
		exec(t, conn, change)
		busy(s, func() { s.counts(41) })
		s.takes("two", 42)
	})
	// Terminates the connection that is used next. The other one is not new and stays open.
	last := `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pledgeworks' AND datname = current_database() ORDER BY state_change DESC LIMIT 1`
	for name, ask := range map[string]func(s shelf){
		"ended while reading": func(s shelf) { s.counts(41) },
		"ended while writing": func(s shelf) { s.takes("two", 42) },
	} {
		t.Run(name, func(t *testing.T) {
			s, conn := begin(t)
			busy(s, func() { s.counts(1) })
			s.counts(1)
			exec(t, conn, change)
			s.counts(1)
			exec(t, conn, last)
			ask(s)
		})
	}
}

// A database with the sequential versions of earlier releases works, also while a
// server of such a release is running.
func TestVersions_Sequential(t *testing.T) {
	url := cluster.Database(t)
	conn := connect(t, url)
	shelf{t, open(t, url, time.Now, stock())}.takes("one", 1)
	exec(t, conn, "UPDATE object SET version = 7")
	s := shelf{t, open(t, url, time.Now, stock())}
	s.takes("one", 1)
	s.counts(1)
	exec(t, conn, "BEGIN", "UPDATE object SET version = version + 1",
		"UPDATE state SET value = '2' WHERE key = 'n'", "COMMIT")
	s.counts(2)
	s.takes("two", 3)
	exec(t, conn, "BEGIN", "UPDATE object SET version = version + 1",
		"UPDATE state SET value = '4' WHERE key = 'n'", "COMMIT")
	s.takes("three", 5)
}

// The database is emptied and filled from a backup, twice, under a running server.
func TestVersions_AfterImport(t *testing.T) {
	url := cluster.Database(t)
	s, conn := shelf{t, open(t, url, time.Now, stock())}, connect(t, url)
	for _, n := range []int{5, 3} {
		exec(t, conn, "TRUNCATE object, state")
		err := s.db.Import(t.Context(), func(yield func(kv.Row, error) bool) {
			yield(kv.Row{Object: hot, Key: "n", Value: []byte(strconv.Itoa(n))}, nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		s.counts(n)
	}
}
