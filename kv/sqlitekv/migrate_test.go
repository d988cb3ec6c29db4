package sqlitekv_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
)

// Files of every released version can be opened and keep their content.
func TestOpen_FilesOfEarlierReleases(t *testing.T) {
	old, err := filepath.Glob("testdata/schema*.sql")
	if err != nil || len(old) == 0 {
		t.Fatal(old, err)
	}
	for _, name := range old {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "kv.db")
		script(t, path, string(text))
		db := open(t, path, time.Now, tally())
		if n, err := kv.Send[int](ctx, db.Coordinator(), board, "id", bump{"id"}); n != 8 || err != nil {
			t.Errorf("%s: the board counts %d, %v, want 8", name, n, err)
		}
		page, err := db.Store("").List(ctx, kv.Query{})
		if err != nil || len(page.Entries) != 1 || page.Entries[0].Key != "k/lasting" {
			t.Errorf("%s: the store holds %q, %v", name, page.Entries, err)
		}
	}
}

var testSteps = []string{
	"CREATE TABLE seen (step INTEGER); INSERT INTO seen VALUES (1);",
	"ALTER TABLE seen ADD COLUMN why TEXT; INSERT INTO seen VALUES (2, 'two');",
	"INSERT INTO seen VALUES (3, 'three'); UPDATE absent SET x = 1;",
}

// stepsTaken returns a file's recorded schema version and the steps that ran on it.
func stepsTaken(t *testing.T, path string) (version int64, steps []int64) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	note := func(into *[]int64) *sqlitex.ExecOptions {
		return &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			*into = append(*into, s.ColumnInt64(0))
			return nil
		}}
	}
	var versions []int64
	if err := sqlitex.ExecuteTransient(c, "PRAGMA user_version", note(&versions)); err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(c, "SELECT step FROM seen ORDER BY step", note(&steps)); err != nil {
		t.Fatal(err)
	}
	return versions[0], steps
}

// A file gets the steps it has not had, each completely or not at all.
func TestMigrate_RunsMissingSteps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	for _, c := range []struct {
		steps      int
		fails      string
		version    int64
		stepsTaken []int64
	}{{1, "", 1, []int64{1}}, {3, "schema step 3: ", 2, []int64{1, 2}}, {2, "", 2, []int64{1, 2}},
		{1, "", 2, []int64{1, 2}}} {
		err := sqlitekv.Migrate(path, testSteps[:c.steps]...)
		if (err != nil) != (c.fails != "") || err != nil && !strings.HasPrefix(err.Error(), c.fails) {
			t.Fatalf("%d steps: %v, want %q", c.steps, err, c.fails)
		}
		version, steps := stepsTaken(t, path)
		if diff := cmp.Diff(c.stepsTaken, steps); version != c.version || diff != "" {
			t.Errorf("%d steps: version %d, want %d: %s", c.steps, version, c.version, diff)
		}
	}
}

// If several programs open a file at once, each step runs once.
func TestMigrate_Concurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	if err := sqlitekv.Migrate(path, testSteps[0]); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := sqlitekv.Migrate(path, testSteps[:2]...); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if version, steps := stepsTaken(t, path); version != 2 || len(steps) != 2 {
		t.Errorf("version %d after steps %d", version, steps)
	}
}
