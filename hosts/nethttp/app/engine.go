package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/settlement"
)

// StoreFile is the name of the database in the data folder.
const StoreFile = "pledgeworks.db"

// Engine keeps what outlives the process: in the data folder's file, or in a PostgreSQL
// database that any number of servers share.
type Engine struct {
	store       func(namespace string) kv.Store
	coordinator kv.Coordinator
	rateLimit   kv.Store
	checkWrite  func(ctx context.Context) error
	backup      func(ctx context.Context, destPath string) error
	schema      func(ctx context.Context) (int, error)
	name        string
	close       func() error
}

// EngineOptions say which engine is opened.
type EngineOptions struct {
	DatabaseURL string // "" is the file in DataDir
	Connections int
	DataDir     string
	Now         func() time.Time
	// MaySweep reports whether expired records may be deleted; nil for never.
	MaySweep func() bool
	Log      *slog.Logger
}

// OpenEngine opens the engine that the options name. Close it.
func OpenEngine(ctx context.Context, o EngineOptions) (*Engine, error) {
	if o.MaySweep == nil {
		o.MaySweep = func() bool { return false }
	}
	if o.DatabaseURL != "" {
		return openPostgres(ctx, o)
	}
	db, err := sqlitekv.Open(ctx, filepath.Join(o.DataDir, StoreFile), sqlitekv.Options{Now: o.Now, MaySweep: o.MaySweep, Classes: compose.Classes(), Log: o.Log})
	if err != nil {
		return nil, err
	}
	return &Engine{
		store:       func(ns string) kv.Store { return db.Store(ns) },
		coordinator: db.Coordinator(),
		// The counters of one minute need no disk, and memory holds no more than
		// that minute's: what has expired is swept away.
		rateLimit:  memkv.New(memkv.Options{Now: o.Now}).Store("ratelimit"),
		checkWrite: db.CheckWrite, backup: db.Backup, schema: db.Schema, name: "SQLite", close: db.Close,
	}, nil
}

// Backup writes everything, as of one moment and while work goes on, into an SQLite file
// at destPath, whichever engine this is. A destPath that exists is left alone.
func (e *Engine) Backup(ctx context.Context, destPath string) error { return e.backup(ctx, destPath) }

// Schema names the engine and the version of its tables.
func (e *Engine) Schema(ctx context.Context) (string, error) {
	n, err := e.schema(ctx)
	return fmt.Sprintf("%s, schema version %d", e.name, n), err
}

// NoteBackup writes down that a backup was made at a time.
func (e *Engine) NoteBackup(ctx context.Context, at time.Time) error {
	return compose.NoteBackup(ctx, e.store("pledges"), at)
}

// Close waits for what runs.
func (e *Engine) Close() error { return e.close() }

// Restore fills an engine that is empty from a backup, and stops all charging in it, and the
// mails that wait in it: what was done after the backup has to be looked at first. An engine that holds anything is
// left alone, with code Conflict.
func Restore(ctx context.Context, o EngineOptions, backup string) error {
	if _, err := os.Stat(backup); err != nil {
		return fmt.Errorf("the backup: %w", err)
	}
	source, err := sqlitekv.Open(ctx, backup, sqlitekv.Options{Now: o.Now, Log: o.Log})
	if err != nil {
		return err
	}
	if err := errors.Join(fill(ctx, o, source.Export(ctx)), source.Close()); err != nil {
		return err
	}
	e, err := OpenEngine(ctx, o)
	if err != nil {
		return err
	}
	mails := notify.Switch{Store: e.store("pledges"), Now: o.Now}
	return errors.Join(settlement.Switch{Coordinator: e.coordinator}.Restored(ctx), mails.Restored(ctx), e.Close())
}

func fill(ctx context.Context, o EngineOptions, rows iter.Seq2[kv.Row, error]) error {
	if o.DatabaseURL == "" {
		if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
			return err
		}
		return sqlitekv.Write(ctx, filepath.Join(o.DataDir, StoreFile), rows)
	}
	return fillPostgres(ctx, o, rows)
}

// ManifestIn reads an order's manifest from a backup.
func ManifestIn(ctx context.Context, backup, orderID string, now func() time.Time) (order.Accepted, error) {
	if _, err := os.Stat(backup); err != nil {
		return order.Accepted{}, fmt.Errorf("the backup: %w", err)
	}
	db, err := sqlitekv.Open(ctx, backup, sqlitekv.Options{Now: now, Classes: compose.Classes(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return order.Accepted{}, err
	}
	m, err := order.Client{Coordinator: db.Coordinator()}.Accepted(ctx, orderID)
	return m, errors.Join(err, db.Close())
}
