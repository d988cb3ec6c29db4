package postgreskv_test

import (
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
)

// A new database is tuned, and what its operator has chosen since is left as it is. Each
// step that was taken is counted, once.
func TestANewDatabaseIsTunedOnce(t *testing.T) {
	url := cluster.Database(t)
	conn := connect(t, url)
	looks := func(when, fill string) {
		t.Helper()
		var got string
		var taken int
		if err := conn.QueryRow(t.Context(), `SELECT (SELECT reloptions::text FROM pg_class WHERE oid = 'object'::regclass), (SELECT count(*) FROM migration)`).Scan(&got, &taken); err != nil || got != fill {
			t.Errorf("%s: %s, %v, want %s", when, got, err, fill)
		}
		if seen, err := open(t, url, time.Now).Schema(t.Context()); err != nil || seen != taken || seen < 1 {
			t.Errorf("%s: %d steps are seen of the %d taken, %v", when, seen, taken, err)
		}
	}
	open(t, url, time.Now)
	looks("new", "{fillfactor=70}")
	exec(t, conn, `ALTER TABLE object SET (fillfactor = 50)`)
	open(t, url, time.Now)
	looks("opened again", "{fillfactor=50}")
}
