package postgreskv

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Each file is one schema step, in order of their names. Released files must never
// change.
//
//go:embed migrations/*.sql
var steps embed.FS

//go:embed tuning.sql
var tuning string

const (
	uniqueViolation = "23505"
	duplicateTable  = "42P07"
	duplicateObject = "42710" // the table's row type
)

// migrate runs the steps that the database has not had. Each step and the row that
// records it are one transaction, so if two servers start at once, one runs it and the
// other finds it done.
func (db *DB) migrate(ctx context.Context) (err error) {
	var encoding string
	if err := db.pool.QueryRow(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database encoding is %s: create a database with UTF8", encoding)
	}
	_, err = db.pool.Exec(ctx, `CREATE TABLE IF NOT EXISTS migration (step integer PRIMARY KEY)`)
	// another server created it at the same moment
	if err != nil && !isCode(err, uniqueViolation, duplicateTable, duplicateObject) {
		return err
	}
	names, err := fs.Glob(steps, "migrations/*.sql")
	if err != nil {
		return err
	}
	seen, err := db.Schema(ctx)
	if err != nil {
		return err
	}
	if seen > len(names) {
		return fmt.Errorf("the database has a newer schema (step %d, this program supports %d): upgrade the program",
			seen, len(names))
	}
	defer func() {
		if err == nil && seen < len(names) {
			db.tune(ctx)
		}
	}()
	for i := seen; i < len(names); i++ {
		text, err := steps.ReadFile(names[i])
		if err != nil {
			return err
		}
		if err := db.step(ctx, i+1, string(text)); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	return nil
}

// Schema returns the database's schema version.
func (db *DB) Schema(ctx context.Context) (seen int, err error) {
	err = db.pool.QueryRow(ctx, `SELECT coalesce(max(step), 0) FROM migration`).Scan(&seen)
	return seen, err
}

// tune sets optional storage parameters. Not all engines have them, and nothing depends
// on them.
func (db *DB) tune(ctx context.Context) {
	for statement := range strings.SplitSeq(tuning, ";") {
		if _, err := db.pool.Exec(ctx, statement); err != nil {
			db.log.Debug("storage parameter not supported", "statement", strings.TrimSpace(statement), "error", err.Error())
		}
	}
}

func (db *DB) step(ctx context.Context, n int, text string) error {
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO migration (step) VALUES ($1)`, n); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, text)
		return err
	})
	if isCode(err, uniqueViolation) {
		return nil // another server has run it and committed
	}
	return err
}

// isCode reports whether an error is from the database and has one of the codes.
func isCode(err error, codes ...string) bool {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return false
	}
	return slices.Contains(codes, answer.Code)
}
