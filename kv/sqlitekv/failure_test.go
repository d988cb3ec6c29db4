package sqlitekv_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestReason_ByCode(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now)
	for code, want := range map[sqlite.ResultCode]string{
		sqlite.ResultFull:             "the database's disk is full",
		sqlite.ResultReadOnly:         "the database is read-only",
		sqlite.ResultReadOnlyDBMoved:  "the database is read-only",
		sqlite.ResultIOErr:            "the database's disk reports an error",
		sqlite.ResultIOErrFsync:       "the database's disk reports an error",
		sqlite.ResultCantOpen:         "the database's file cannot be opened",
		sqlite.ResultCorrupt:          "the database's file is damaged",
		sqlite.ResultNotADB:           "the database's file is damaged",
		sqlite.ResultBusy:             "another program locks the database",
		sqlite.ResultBusySnapshot:     "another program locks the database",
		sqlite.ResultConstraintUnique: "unexpected database error",
	} {
		if got := db.Reason(code.ToError()); got != want {
			t.Errorf("%v: %q, want %q", code, got, want)
		}
	}
}

// An I/O error on a working disk has no known cause. Full and read-only disks are
// tested with a real server in internal/crashtest.
func TestReason_IOErrorLeavesNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	db := open(t, filepath.Join(dir, "kv.db"), time.Now)
	if got := db.Reason(sqlite.ResultIOErrWrite.ToError()); got != "the database's disk reports an error" {
		t.Errorf("%q, want a disk error", got)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".check-*")); err != nil || left != nil {
		t.Errorf("leftover files: %q, %v", left, err)
	}
}

func TestCheckWrite(t *testing.T) {
	for want, fail := range map[string]func(db *sqlitekv.DB, on bool) error{
		"the database's disk is full": func(db *sqlitekv.DB,
			on bool) error {
			return db.LimitPages(map[bool]int{true: 1}[on])
		},
		"the database is read-only": (*sqlitekv.DB).SetReadOnly,
	} {
		t.Run(want, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kv.db")
			var log bytes.Buffer
			db, err := sqlitekv.Open(ctx, path, sqlitekv.Options{Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := fail(db, true); err != nil {
				t.Fatal(err)
			}
			fill(t, db)
			err = db.CheckWrite(ctx)
			if !fault.Is(err, fault.Unavailable) || fault.Of(err).Message != want {
				t.Errorf("%v, want %q", err, want)
			}
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log does not contain %q:\n%s", want, &log)
			}
			if err := fail(db, false); err != nil {
				t.Fatal(err)
			}
			if err := db.CheckWrite(ctx); err != nil {
				t.Errorf("after the cause was removed: %v", err)
			}
		})
	}
}

// fill writes small records until one fails.
func fill(t *testing.T, db *sqlitekv.DB) {
	t.Helper()
	for i := range 1000 {
		if db.Store("").Apply(ctx, []kv.Write{kv.Put(strconv.Itoa(i), nil)}) != nil {
			return
		}
	}
	t.Fatal("a thousand records were written")
}

func TestCheckWrite_KeepsOneRecord(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "kv.db"), time.Now)
	for range 3 {
		if err := db.CheckWrite(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := db.Rows("store"); n != 1 || err != nil {
		t.Errorf("%d records, %v, want 1", n, err)
	}
}
