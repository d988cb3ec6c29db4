package sqlitekv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var ctx = context.Background()

// filled creates a file with two thousand keys and returns its path.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kv.db")
	db := open(t, path, time.Now)
	var batch []kv.Write
	for i := range 2000 {
		batch = append(batch, kv.Put(fmt.Sprintf("k/%05d", i), bytes.Repeat([]byte("value "), 20)))
	}
	if err := db.Store("").Apply(ctx, batch); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func script(t *testing.T, path, sql string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := sqlitex.ExecScript(c, sql); err != nil {
		t.Fatal(err)
	}
}

func TestOpen_RefusesBadFiles(t *testing.T) {
	overwrite := func(at, n int) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt(bytes.Repeat([]byte{0xa5}, n), int64(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name, want string
		spoil      func(t *testing.T, path string)
	}{
		{"damaged header", "not an SQLite database", overwrite(0, 50)},
		{"damaged root", "damaged", overwrite(4096, 100)},
		{"damaged page", "damaged", overwrite(4096*20, 4096)},
		{"cut short", "damaged", func(t *testing.T, path string) {
			if err := os.Truncate(path, 4096*30); err != nil {
				t.Fatal(err)
			}
		}},
		{"newer schema", "schema version 99",
			func(t *testing.T, path string) { script(t, path, "PRAGMA user_version = 99") }},
		{"another program's", "another program", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			script(t, path, "CREATE TABLE t (x)")
		}},
		{"text", "not an SQLite database", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("a letter to someone\n", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a folder", "kv.db", func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filled(t)
			c.spoil(t, path)
			before, _ := os.ReadFile(path)
			db, err := sqlitekv.Open(ctx, path, sqlitekv.Options{Now: time.Now})
			if err == nil {
				t.Fatalf("the file was opened: %v", db.Close())
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %q, want it to contain the path and %q", err, c.want)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the refused file was changed")
			}
		})
	}
}

func TestOpen_Requirements(t *testing.T) {
	if _, err := sqlitekv.Open(ctx, filepath.Join(t.TempDir(), "kv.db"), sqlitekv.Options{}); err == nil {
		t.Error("opened without a clock")
	}
	if _, err := sqlitekv.Open(ctx, filepath.Join(t.TempDir(), "absent", "kv.db"),
		sqlitekv.Options{Now: time.Now}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing directory: %v, want an error that names it", err)
	}
	odd := filepath.Join(t.TempDir(), "file:a?mode=memory&b#c.db")
	open(t, odd, time.Now)
	if info, err := os.Stat(odd); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a file with exactly that name, readable only by its owner", info, err)
	}
}

// openFiles returns this process's open files, if the system lists them.
func openFiles(t *testing.T) (names []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		if name, err := os.Readlink(fd); err == nil { // the directory listing's own descriptor is closed again
			names = append(names, name)
		}
	}
	return names
}

func TestBackup(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now, tally())
	dest := filepath.Join(t.TempDir(), "copy.db")
	var writing sync.WaitGroup
	stop := make(chan struct{})
	writing.Go(func() { // writes pairs; a consistent copy has both or neither
		for i := 0; ; i++ {
			key := fmt.Sprint(i)
			if err := db.Store("").Apply(ctx, []kv.Write{kv.Put("a/"+key, nil), kv.Put("b/"+key, nil)}); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	if _, err := kv.Send[int](ctx, db.Coordinator(), board, "id", bump{"id"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Backup(ctx, dest); err != nil {
		t.Fatal(err)
	}
	close(stop)
	writing.Wait()
	if err := db.Backup(ctx, dest); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second backup to the same path: %v, want a Conflict fault", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dest), ".backup-*")); left != nil {
		t.Errorf("leftover files: %q", left)
	}
	if info, err := os.Stat(dest); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a copy readable only by its owner", info, err)
	}
	for _, file := range openFiles(t) {
		if strings.HasPrefix(file, filepath.Dir(dest)) {
			t.Errorf("left open: %s", file)
		}
	}
	restored := open(t, dest, time.Now, tally())
	if n, err := kv.Ask[int](ctx, restored.Coordinator(), board, total{}); n != 1 || err != nil {
		t.Errorf("the copy counts %d, %v, want 1", n, err)
	}
	counts := map[string]int{}
	for _, prefix := range []string{"a/", "b/"} {
		for _, err := range kv.All(ctx, restored.Store(""), prefix) {
			if err != nil {
				t.Fatal(err)
			}
			counts[prefix]++
		}
	}
	if a, b := counts["a/"], counts["b/"]; a != b {
		t.Errorf("the copy has half a batch: %d and %d", a, b)
	}
}

// A copy that fails verification is not published.
func TestBackup_VerifiesCopy(t *testing.T) {
	path, dest := filepath.Join(t.TempDir(), "kv.db"), filepath.Join(t.TempDir(), "copy.db")
	db := open(t, path, time.Now)
	script(t, path, "PRAGMA user_version = 99")
	if err := db.Backup(ctx, dest); err == nil || !strings.Contains(err.Error(), "schema version 99") {
		t.Errorf("a copy of a newer schema: %v, want an error that names it", err)
	}
	if _, err := os.Lstat(dest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused copy is there: %v", err)
	}
}

// Open waits while another program locks a new file, until its context ends. It does
// not retry other errors.
func TestOpen_WaitsOnlyForLocks(t *testing.T) {
	left, leave := context.WithCancel(ctx)
	leave()
	for name, waits := range map[string]bool{
		"kv.db":                  true,
		strings.Repeat("k", 250): false, // no room for the journal's suffix
	} {
		path := filepath.Join(t.TempDir(), name)
		other, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if waits {
			err = sqlitex.ExecuteTransient(other, "BEGIN IMMEDIATE", nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		db, err := sqlitekv.Open(left, path, sqlitekv.Options{Now: time.Now})
		if err == nil {
			t.Fatalf("%s was opened: %v", name, db.Close())
		}
		if waited := errors.Is(err, context.Canceled); waited != waits {
			t.Errorf("%v; it waited: %t, want %t", err, waited, waits)
		}
	}
}

func TestWrite_DiskFailureIsUnavailable(t *testing.T) {
	for name, fail := range map[string]func(db *sqlitekv.DB, on bool) error{
		"full":      func(db *sqlitekv.DB, on bool) error { return db.LimitPages(map[bool]int{true: 5}[on]) },
		"read-only": (*sqlitekv.DB).SetReadOnly,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kv.db")
			db := open(t, path, time.Now, tally())
			if err := db.Store("").Apply(ctx, []kv.Write{kv.Put("before", nil)}); err != nil {
				t.Fatal(err)
			}
			if err := fail(db, true); err != nil {
				t.Fatal(err)
			}
			big := make([]byte, 100_000)
			err := db.Store("").Apply(ctx, []kv.Write{kv.Put("small", nil), kv.Put("big", big)})
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("Apply: %v, want an Unavailable fault", err)
			}
			long := bump{strings.Repeat("k", 400)}
			for i := range 300 { // until nothing more fits
				_, err = kv.Send[int](ctx, db.Coordinator(), board, fmt.Sprint(i), bump{fmt.Sprint(i, long.Key)})
				if err != nil {
					break
				}
			}
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("Do: %v, want an Unavailable fault", err)
			}
			seen, err := kv.Ask[int](ctx, db.Coordinator(), board, total{})
			if err != nil {
				t.Fatal(err)
			}
			if err := fail(db, false); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Store("").Get(ctx, "small"); !fault.Is(err, fault.NotFound) {
				t.Errorf("part of a failed batch was stored: %v", err)
			}
			n, err := kv.Send[int](ctx, db.Coordinator(), board, "after", bump{"after"})
			if err != nil || n != seen+1 {
				t.Errorf("after the disk recovered: %d, %v, want %d", n, err, seen+1)
			}
		})
	}
}

func TestClose_FinishesQueuedWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	db := open(t, path, time.Now)
	const n = 200
	results := make(chan error, n)
	for i := range n {
		go func() { results <- db.Store("").Apply(ctx, []kv.Write{kv.Put(fmt.Sprint(i), nil)}) }()
	}
	if err := <-results; err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	done := 1
	for range n - 1 {
		switch err := <-results; {
		case err == nil:
			done++
		case !fault.Is(err, fault.Unavailable):
			t.Error(err)
		}
	}
	if _, err := db.Store("").Get(ctx, "0"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("Get after Close: %v, want an Unavailable fault", err)
	}
	page, err := open(t, path, time.Now).Store("").List(ctx, kv.Query{})
	if err != nil || len(page.Entries) != done {
		t.Errorf("%d entries (%v), %d were acknowledged", len(page.Entries), err, done)
	}
}

type faint struct{}

func (faint) Kind() string { return "faint" }

func TestDo_PanicFailsOnlyItsCommand(t *testing.T) {
	c := tally()
	kv.On(c, func(tx kv.Tx, _ time.Time, _ faint) (int, error) {
		_ = kv.PutValue(tx, "n", 1000)
		var none []int
		return none[0], nil
	})
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now, c)
	if _, err := kv.Send[int](ctx, db.Coordinator(), board, "bad", faint{}); err == nil {
		t.Error("a command that panicked was answered")
	}
	if n, err := kv.Send[int](ctx, db.Coordinator(), board, "good", bump{"good"}); n != 1 || err != nil {
		t.Errorf("the next command answers %d, %v, want 1", n, err)
	}
}

func TestApply_CanceledCallerWithdrawsRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	db := open(t, path, time.Now)
	other, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := sqlitex.ExecuteTransient(other, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	left, leave := context.WithCancel(ctx)
	results := make(chan error)
	go func() { results <- db.Store("").Apply(left, []kv.Write{kv.Put("withdrawn", nil)}) }()
	leave() // before it is queued, or while it waits for the other program's lock
	if err := <-results; !errors.Is(err, context.Canceled) || !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want an Unavailable fault that wraps context.Canceled", err)
	}
	go func() { results <- db.Store("").Apply(ctx, []kv.Write{kv.Put("patient", nil)}) }()
	if err := sqlitex.ExecuteTransient(other, "ROLLBACK", nil); err != nil {
		t.Fatal(err)
	}
	if err := <-results; err != nil {
		t.Fatal(err)
	}
	page, err := db.Store("").List(ctx, kv.Query{})
	if err != nil || len(page.Entries) != 1 || page.Entries[0].Key != "patient" {
		t.Errorf("the store has %q (%v), want only the second caller's write", page.Entries, err)
	}
}

// A commit is acknowledged only when the log is on disk.
func TestOpen_CommitsSyncToDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	db := open(t, path, time.Now)
	if mode, err := db.Synchronous(); mode != 2 || err != nil {
		t.Errorf("synchronous is %d, %v, want 2, which is FULL", mode, err)
	}
	if _, err := os.Stat(path + "-wal"); err != nil {
		t.Errorf("there is no write-ahead log: %v", err)
	}
}
