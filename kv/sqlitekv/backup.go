package sqlitekv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Backup writes a consistent copy of the file to destPath while the database is in use.
// The copy is verified before it gets that name. If destPath exists, Backup leaves it
// unchanged and returns a Conflict fault.
func (db *DB) Backup(ctx context.Context, destPath string) error {
	return publish(destPath, func(temp string) error {
		return db.read(ctx, func(c *conn) error { return asDiskError(c.copyTo(temp)) })
	})
}

// publish creates a file that only its owner can read in a temporary directory next to destPath,
// fills and verifies it, and then links it to destPath. If destPath exists, publish returns a
// Conflict fault.
func publish(destPath string, fill func(temp string) error) error {
	if _, err := os.Lstat(destPath); !errors.Is(err, fs.ErrNotExist) {
		return exists(destPath, err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(destPath), ".backup-")
	if err != nil {
		return fmt.Errorf("sqlitekv: %w", err)
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, "copy")
	if err := create(temp); err != nil {
		return fmt.Errorf("sqlitekv: %w", err)
	}
	if err := fill(temp); err != nil {
		return err
	}
	if err := verify(temp); err != nil {
		return fmt.Errorf("sqlitekv: checking the copy: %w", err)
	}
	if err := syncFile(temp); err != nil {
		return fmt.Errorf("sqlitekv: %w", err)
	}
	// Unlike a rename, a link never replaces an existing file.
	if err := os.Link(temp, destPath); err != nil {
		return exists(destPath, err)
	}
	return syncFile(filepath.Dir(destPath))
}

func exists(path string, err error) error {
	if err == nil || errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Conflict, "%s already exists", path)
	}
	return fmt.Errorf("sqlitekv: %w", err)
}

func (c *conn) copyTo(path string) error {
	q, _, err := c.PrepareTransient("VACUUM INTO ?")
	if err != nil {
		return err
	}
	defer func() { _ = q.Finalize() }()
	q.BindText(1, path)
	return finish(q)
}

// verify opens a copy and checks every page, row and index.
func verify(path string) error {
	c, err := dial(path, sqlite.OpenReadOnly)
	if err != nil {
		return err
	}
	return errors.Join(damaged(c.check("integrity_check(1)")), checkOwner(c), c.Close())
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
