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
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// StoreFile is the name of the database file in the data directory.
const StoreFile = "pledgeworks.db"

// Engine is the storage engine: an SQLite file in the data directory, or a PostgreSQL database that
// several servers can share.
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

// EngineOptions select the engine.
type EngineOptions struct {
	DatabaseURL string // "" means the file in DataDir
	Connections int
	DataDir     string
	Now         func() time.Time
	// MaySweep reports whether expired records may be deleted; nil means never.
	MaySweep func() bool
	Log      *slog.Logger
}

// OpenEngine opens the engine. The caller must close it.
func OpenEngine(ctx context.Context, o EngineOptions) (*Engine, error) {
	if o.MaySweep == nil {
		o.MaySweep = func() bool { return false }
	}
	if o.DatabaseURL != "" {
		return openPostgres(ctx, o)
	}
	db, err := sqlitekv.Open(ctx, filepath.Join(o.DataDir, StoreFile),
		sqlitekv.Options{Now: o.Now, MaySweep: o.MaySweep, Classes: compose.Classes(), Log: o.Log})
	if err != nil {
		return nil, err
	}
	return &Engine{
		store:       func(ns string) kv.Store { return db.Store(ns) },
		coordinator: db.Coordinator(),
		// Rate limit counters expire within a minute, so they are kept in memory.
		rateLimit:  memkv.New(memkv.Options{Now: o.Now}).Store("ratelimit"),
		checkWrite: db.CheckWrite, backup: db.Backup, schema: db.Schema, name: "SQLite", close: db.Close,
	}, nil
}

// Backup writes a consistent snapshot of all data to a new SQLite file, for both engines, while the
// service runs. It fails if destPath exists.
func (e *Engine) Backup(ctx context.Context, destPath string) error { return e.backup(ctx, destPath) }

// Schema returns the engine and the schema version of its tables.
func (e *Engine) Schema(ctx context.Context) (string, error) {
	n, err := e.schema(ctx)
	return fmt.Sprintf("%s, schema version %d", e.name, n), err
}

// NoteBackup records the time of a backup.
func (e *Engine) NoteBackup(ctx context.Context, at time.Time) error {
	return compose.NoteBackup(ctx, e.store("pledges"), at)
}

// Close waits for running operations and closes the database.
func (e *Engine) Close() error { return e.close() }

// Restore fills an empty engine from a backup. It stops all charges and queued mails, because
// operators must first check what happened after the backup. It fails with code Conflict if the
// engine is not empty.
func Restore(ctx context.Context, o EngineOptions, backup string) error {
	if _, err := os.Stat(backup); err != nil {
		return fmt.Errorf("opening the backup: %w", err)
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
	return errors.Join(state.Switch{Coordinator: e.coordinator}.StopForRestore(ctx), mails.StopForRestore(ctx), e.Close())
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
		return order.Accepted{}, fmt.Errorf("opening the backup: %w", err)
	}
	db, err := sqlitekv.Open(ctx, backup,
		sqlitekv.Options{Now: now, Classes: compose.Classes(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return order.Accepted{}, err
	}
	m, err := order.Client{Coordinator: db.Coordinator()}.Accepted(ctx, orderID)
	return m, errors.Join(err, db.Close())
}
