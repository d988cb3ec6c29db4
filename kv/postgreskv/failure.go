package postgreskv

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// checkSQL replaces the test record. No other store uses its namespace.
const checkSQL = `INSERT INTO store (ns, key, value, expires) VALUES ('health', 'write', convert_to($1, 'UTF8'), NULL)
	ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value`

// CheckWrite writes a test record. It tries once, and fails with code Unavailable and the
// reason if nothing can be written, or if ctx ends first.
func (db *DB) CheckWrite(ctx context.Context) error {
	err := db.lend(ctx, func(c *conn) error {
		_, err := c.exec(ctx, checkSQL, db.now().UTC().Format(time.RFC3339Nano))
		return err
	})
	if err != nil {
		return db.unavailable(err)
	}
	return nil
}

// unavailable logs a failure of the database and returns it as a fault with the reason.
func (db *DB) unavailable(err error) error {
	if f := fault.Of(err); f != nil {
		return err
	}
	why := reason(err)
	db.log.Error("storage failed", "reason", why, "error", err.Error())
	return fault.Wrap(err, fault.Unavailable, "%s", why)
}

// The reasons that a client may see: they name no address and no user.
const (
	diskFull   = "the database's disk is full"
	readOnly   = "the database is read-only"
	lost       = "the connection to the database was lost"
	unreached  = "no connection to the database can be made"
	overloaded = "the database has no room for more connections or work"
	tooLong    = "the database took too long"
	unknown    = "the storage does not answer"
)

// reasons are by the database's codes, whole or by their class.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
var reasons = map[string]string{
	"53100": diskFull,
	"53":    overloaded,
	"25006": readOnly,
	"08":    lost,
	"57P01": "the database is shutting down or starting",
	"57P02": "the database is shutting down or starting",
	"57P03": "the database is shutting down or starting",
	"57014": tooLong, // statement_timeout
	"55P03": tooLong, // lock_timeout
	"28":    "the database refuses the login",
	"3D000": "the database does not exist",
	"42501": "the database's user may not do this",
}

// reason says why the database failed.
func reason(err error) string {
	var answer *pgconn.PgError
	var connecting *pgconn.ConnectError
	switch {
	case errors.As(err, &answer) && reasons[answer.Code] != "":
		return reasons[answer.Code]
	case errors.As(err, &answer) && len(answer.Code) == 5 && reasons[answer.Code[:2]] != "":
		return reasons[answer.Code[:2]]
	case errors.As(err, &answer):
		return unknown
	case errors.Is(err, pgconn.ErrReadOnlyConnection):
		return readOnly
	case errors.As(err, &connecting), errors.Is(err, errDead):
		return unreached
	case errors.Is(err, context.DeadlineExceeded):
		return tooLong
	case errors.Is(err, errBroken), errors.Is(err, errLost):
		return lost
	}
	return unknown
}
