package postgreskv

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// checkSQL replaces the test record of CheckWrite. Nothing else uses this namespace.
const checkSQL = `INSERT INTO store (ns, key, value, expires) VALUES ('health', 'write', convert_to($1, 'UTF8'), NULL)
	ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value`

// CheckWrite writes a test record, without retries. If nothing can be written or ctx
// ends first, it returns an Unavailable fault with the reason.
func (db *DB) CheckWrite(ctx context.Context) error {
	err := db.withConn(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, checkSQL, db.now().UTC().Format(time.RFC3339Nano))
		return err
	})
	if err != nil {
		return db.unavailable(err)
	}
	return nil
}

// unavailable logs a database error and returns it as an Unavailable fault with the reason. It
// returns a fault unchanged.
func (db *DB) unavailable(err error) error {
	if f := fault.Of(err); f != nil {
		return err
	}
	why := reason(err)
	db.log.Error("storage failed", "reason", why, "error", err.Error())
	return fault.Wrap(err, fault.Unavailable, "%s", why)
}

// Reasons shown to clients. They contain no address and no user.
const (
	diskFull   = "the database's disk is full"
	readOnly   = "the database is read-only"
	lost       = "the connection to the database was lost"
	unreached  = "cannot connect to the database"
	overloaded = "the database is out of connections or memory"
	tooLong    = "the database took too long"
	unknown    = "unexpected database error"
)

// reasons maps error codes, complete or by class, to reasons.
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
	"28":    "the database rejected the login",
	"3D000": "the database does not exist",
	"42501": "the database user lacks a permission",
}

// reason returns why the database failed.
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
	case errors.As(err, &connecting):
		return unreached
	case errors.Is(err, context.DeadlineExceeded):
		return tooLong
	case errors.Is(err, errBroken), errors.Is(err, errLost):
		return lost
	}
	return unknown
}
