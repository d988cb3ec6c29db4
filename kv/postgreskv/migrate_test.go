package postgreskv_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

// A new database is tuned once; later changes by the operator are kept. Each completed
// step is recorded once.
func TestOpen_TunesNewDatabaseOnce(t *testing.T) {
	url := cluster.Database(t)
	conn := connect(t, url)
	expectTuning := func(when, fill string) {
		t.Helper()
		var got string
		var taken int
		if err := conn.QueryRow(t.Context(),
			`SELECT (SELECT reloptions::text FROM pg_class WHERE oid = 'object'::regclass), (SELECT count(*) FROM migration)`).
			Scan(&got, &taken); err != nil || got != fill {
			t.Errorf("%s: %s, %v, want %s", when, got, err, fill)
		}
		if seen, err := open(t, url, time.Now).Schema(t.Context()); err != nil || seen != taken || seen < 1 {
			t.Errorf("%s: schema version %d after %d steps, %v", when, seen, taken, err)
		}
	}
	open(t, url, time.Now)
	expectTuning("new", "{fillfactor=70}")
	exec(t, conn, `ALTER TABLE object SET (fillfactor = 50)`)
	open(t, url, time.Now)
	expectTuning("reopened", "{fillfactor=50}")
}
