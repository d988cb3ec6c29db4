package postgreskv_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func exported(t testing.TB, db *postgreskv.DB) (all []kv.Row) {
	t.Helper()
	for r, err := range db.Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// rowsOf returns an iterator over rows, as Import takes it.
func rowsOf(rows []kv.Row) func(func(kv.Row, error) bool) {
	return func(yield func(kv.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// An export contains all rows with their expiry. It can be imported into an empty
// database, and only into an empty one.
func TestImport_FillsEmptyDatabase(t *testing.T) {
	from, c := open(t, cluster.Database(t), newClock().Now, stock()), newClock()
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	err := from.Store("B").Apply(t.Context(), []kv.Write{
		kv.Put("empty", nil), kv.PutUntil("last", []byte{0, 255}, last),
		kv.PutUntil("never", []byte("v"), last.Add(time.Second)),
		kv.PutUntil("soon", []byte("v"), c.Now().Add(time.Hour).Truncate(time.Microsecond)),
		kv.Put("gone", nil), kv.Delete("gone"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := from.Store("A").Apply(t.Context(), []kv.Write{kv.Put("ü", []byte("v"))}); err != nil {
		t.Fatal(err)
	}
	kept := kv.Row{Object: hot, Key: "n", Value: []byte("1")}
	want := []kv.Row{
		{Namespace: "A", Key: "ü", Value: []byte("v")},
		{Namespace: "B", Key: "empty", Value: []byte{}},
		{Namespace: "B", Key: "last", Value: []byte{0, 255}, Expires: last},
		{Namespace: "B", Key: "never", Value: []byte("v")},
		{Namespace: "B", Key: "soon", Value: []byte("v"), Expires: c.Now().Add(time.Hour).Truncate(time.Microsecond)},
		kept,
	}
	shelf{t, from}.takes("one", 1)
	rows := exported(t, from)
	own := func(r kv.Row) bool { return r.Object == hot && r.Key != "n" } // a stored reply
	if diff := cmp.Diff(want, slices.DeleteFunc(slices.Clone(rows), own)); diff != "" {
		t.Errorf("exported rows (-want +got):\n%s", diff)
	}

	to := open(t, cluster.Database(t), newClock().Now, stock())
	if err := to.Import(t.Context(), rowsOf(rows)); err != nil {
		t.Fatal(err)
	}
	if err := to.Import(t.Context(), rowsOf([]kv.Row{{Namespace: "C", Key: "late"}})); !fault.Is(err, fault.Conflict) {
		t.Errorf("import into a database with rows: %v", err)
	}
	if diff := cmp.Diff(rows, exported(t, to)); diff != "" {
		t.Errorf("imported rows (-want +got):\n%s", diff)
	}
	shelf{t, to}.takes("one", 1)
	shelf{t, to}.takes("two", 2)
}

// Timeouts for statements and idle transactions do not apply to copies.
func TestImport_DisablesTimeouts(t *testing.T) {
	url := cluster.Database(t)
	db, conn := open(t, url, time.Now), connect(t, url)
	exec(t, conn,
		`ALTER TABLE object ADD patience text DEFAULT current_setting('statement_timeout') || ' ' || current_setting('idle_in_transaction_session_timeout')`)
	if err := db.Import(t.Context(), rowsOf([]kv.Row{{Object: hot, Key: "n", Value: []byte("1")}})); err != nil {
		t.Fatal(err)
	}
	var patience string
	if err := conn.QueryRow(t.Context(), `SELECT patience FROM object`).Scan(&patience); err != nil || patience != "0 0" {
		t.Errorf("timeouts of %s, %v, want none", patience, err)
	}
}

// An import is sent in batches, limited by rows and by bytes.
func TestImport_SendsBatches(t *testing.T) {
	url := cluster.Database(t)
	db, conn := open(t, url, time.Now), connect(t, url)
	exec(t, conn,
		`CREATE TABLE portion (n serial, rows int, bytes int)`,
		`CREATE FUNCTION portion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO portion (rows, bytes) SELECT count(*), sum(length(value)) FROM arrived; RETURN NULL; END $$`,
		`CREATE TRIGGER portion AFTER INSERT ON store REFERENCING NEW TABLE AS arrived FOR EACH STATEMENT EXECUTE FUNCTION portion()`)
	var rows []kv.Row
	add := func(n, size int) {
		for range n {
			rows = append(rows,
				kv.Row{Namespace: "S", Key: fmt.Sprintf("%05d", len(rows)), Value: bytes.Repeat([]byte{1}, size)})
		}
	}
	add(1000, 1)
	add(4, 2<<20)
	add(10, 1)
	if err := db.Import(t.Context(), rowsOf(rows)); err != nil {
		t.Fatal(err)
	}
	all, err := conn.Query(t.Context(), `SELECT rows, bytes FROM portion ORDER BY n`)
	if err != nil {
		t.Fatal(err)
	}
	type portion struct{ Rows, Bytes int }
	got, err := pgx.CollectRows(all, pgx.RowToStructByPos[portion])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]portion{{500, 500}, {500, 500}, {2, 4 << 20}, {2, 4 << 20}, {10, 10}}, got); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
}
