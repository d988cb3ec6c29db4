package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
)

type backupCommand struct {
	Dest string `arg:"" help:"Where the copy goes, an SQLite file; nothing is overwritten." type:"path"`
}

// Run needs to know where the database is and nothing else, so that a backup can be
// taken whatever state the rest of the configuration is in.
func (c backupCommand) Run(w *world) error {
	o, err := w.engine()
	if err != nil {
		return err
	}
	if o.DatabaseURL == "" {
		if _, err := os.Stat(filepath.Join(o.DataDir, app.StoreFile)); err != nil {
			return fmt.Errorf("there is no database to back up: %w", err)
		}
	}
	e, err := app.OpenEngine(w.ctx, o)
	if err != nil {
		return err
	}
	made := o.Now()
	if err = e.Backup(w.ctx, c.Dest); err == nil {
		err = e.NoteBackup(w.ctx, made)
	}
	if err := errors.Join(err, e.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.out, "Backed up to", c.Dest)
	return err
}

type restoreCommand struct {
	Backup string `arg:"" help:"The backup, of either engine." type:"path"`
}

// Run fills an empty database: after a loss, or to move from one engine to the other.
func (c restoreCommand) Run(w *world) error {
	o, err := w.engine()
	if err != nil {
		return err
	}
	if err := app.Restore(w.ctx, o, c.Backup); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "Restored from %s.\nCharging is stopped until you resume it: run pledged orders, and pledged terms and pledged reconcile for each campaign, then pledged resume.\nMails that wait in the backup are held, since they may have been sent: pledged mail resume sends them.\n", c.Backup)
	return err
}

// engine reads where the database is.
func (w *world) engine() (app.EngineOptions, error) {
	lookup, err := w.environment()
	if err != nil {
		return app.EngineOptions{}, err
	}
	lookup = config.SecretFiles(lookup, os.ReadFile)
	dir, _ := lookup("DATA_DIR")
	if dir == "" {
		dir = "pledgeworks-data"
	}
	url, _ := lookup("DATABASE_URL")
	if file, _ := lookup("DATABASE_URL_FILE"); file != "" && url == "" {
		return app.EngineOptions{}, fmt.Errorf("DATABASE_URL_FILE names %s, which cannot be read, or DATABASE_URL is set beside it", file)
	}
	return app.EngineOptions{DatabaseURL: url, Connections: 2, DataDir: dir, Now: time.Now, Log: slog.New(slog.DiscardHandler)}, nil
}
