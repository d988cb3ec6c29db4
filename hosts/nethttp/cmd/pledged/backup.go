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
	Dest string `arg:"" help:"Destination, an SQLite file that does not exist yet." type:"path"`
}

// Run needs only the location of the database, so that a backup can be made even if the rest of the
// configuration is broken.
func (c backupCommand) Run(w *environ) error {
	o, err := w.engine()
	if err != nil {
		return err
	}
	if o.DatabaseURL == "" {
		if _, err := os.Stat(filepath.Join(o.DataDir, app.StoreFile)); err != nil {
			return fmt.Errorf("no database to back up: %w", err)
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
	Backup string `arg:"" help:"Backup file that pledged backup wrote, from SQLite or PostgreSQL." type:"path"`
}

// Run fills an empty database: after a loss, or to change the engine.
func (c restoreCommand) Run(w *environ) error {
	o, err := w.engine()
	if err != nil {
		return err
	}
	if err := app.Restore(w.ctx, o, c.Backup); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out,
		"Restored from %s.\nCharging is stopped until you resume it: run pledged orders, run pledged terms and pledged reconcile for each campaign, then pledged resume.\nEmails queued in the backup are held, because they may already have been sent: pledged mail resume sends them.\n",
		c.Backup)
	return err
}

// engine returns the options of the storage engine from the environment.
func (w *environ) engine() (app.EngineOptions, error) {
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
		return app.EngineOptions{},
			fmt.Errorf("cannot use DATABASE_URL_FILE %s: the file is unreadable or DATABASE_URL is also set", file)
	}
	return app.EngineOptions{DatabaseURL: url, Connections: 2, DataDir: dir, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)}, nil
}
