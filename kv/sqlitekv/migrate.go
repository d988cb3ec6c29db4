package sqlitekv

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"zombiezen.com/go/sqlite/sqlitex"
)

const applicationID = 0x506c6477 // "Pldw", in the file header

// Each file is one schema step, in order of their names. Released files must never
// change. A database's schema version is the number of steps applied to it.
//
//go:embed migrations/*.sql
var migrations embed.FS

var steps = load()

func load() (texts []string) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		panic(err) // cannot happen: the pattern is constant
	}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			panic(err) // cannot happen: the file is embedded
		}
		texts = append(texts, string(text))
	}
	return texts
}

// migrate runs the steps that the file has not had. Each step and its new version are
// one transaction, which reads the version first because another process may be opening
// the file too.
func (c *conn) migrate(steps []string) error {
	for {
		done, err := c.step(steps)
		if err != nil || done {
			return err
		}
	}
}

func (c *conn) step(steps []string) (done bool, err error) {
	end, err := sqlitex.ImmediateTransaction(c.Conn)
	if err != nil {
		return false, err
	}
	defer end(&err)
	seen, err := c.runPragma("user_version")
	if err != nil || int(seen) >= len(steps) {
		return true, err
	}
	script := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;\n%s", applicationID, seen+1, steps[seen])
	if err := sqlitex.ExecScript(c.Conn, script); err != nil {
		return false, fmt.Errorf("schema step %d: %w", seen+1, err)
	}
	return false, nil
}

// Schema returns the file's schema version.
func (db *DB) Schema(ctx context.Context) (n int, err error) {
	err = db.read(ctx, func(c *conn) error {
		version, err := c.runPragma("user_version")
		n = int(version)
		return err
	})
	return n, err
}
