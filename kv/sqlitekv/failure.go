package sqlitekv

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"zombiezen.com/go/sqlite"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The namespace and key of the record that CheckWrite replaces. Nothing else uses the namespace.
const (
	checkNamespace = "health"
	checkKey       = "write"
)

// CheckWrite writes a test record and waits until it is durable. If nothing can be
// written, it returns an Unavailable fault with the reason.
func (db *DB) CheckWrite(ctx context.Context) error {
	at, err := db.now().UTC().MarshalText()
	if err != nil {
		return err
	}
	return db.Store(checkNamespace).Apply(ctx, []kv.Write{kv.Put(checkKey, at)})
}

// unavailable logs an SQLite error and returns it as an Unavailable fault with the reason.
func (db *DB) unavailable(err error) error {
	reason := db.reason(err)
	db.log.Error("storage failed", "reason", reason, "file", db.path, "code", sqlite.ErrCode(err).String(), "error", err)
	return fault.Wrap(err, fault.Unavailable, "%s", reason)
}

// Reasons shown to clients. They contain no paths.
const (
	diskFull   = "the database's disk is full"
	readOnly   = "the database is read-only"
	diskBroken = "the database's disk reports an error"
	unknown    = "unexpected database error"
)

// reason returns why SQLite failed.
func (db *DB) reason(err error) string {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull:
		return diskFull
	case sqlite.ResultReadOnly:
		return readOnly
	case sqlite.ResultIOErr:
		return diskReason(filepath.Dir(db.path))
	case sqlite.ResultCantOpen:
		return "the database's file cannot be opened"
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return "the database's file is damaged"
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return "another program locks the database"
	}
	return unknown
}

// diskReason finds the cause behind SQLite's generic I/O error by writing a file next
// to the database. It does not open the database's own files, because closing one of
// them would release SQLite's locks.
func diskReason(dir string) string {
	err := writeTemp(dir)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return diskFull
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission):
		return readOnly
	}
	return diskBroken
}

func writeTemp(dir string) error {
	f, err := os.CreateTemp(dir, ".check-")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
