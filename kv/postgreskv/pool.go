package postgreskv

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Limits of the number of connections.
const (
	defaultConns = 16
	maxConns     = 1000
)

// session has the default session parameters, which the URL can override.
var session = map[string]string{
	"application_name": "pledgeworks",
	// Timeouts for a statement, for a lock, and for a transaction whose server has stopped
	// in the middle of it, which releases its locks.
	"statement_timeout": "20s", "lock_timeout": "15s", "idle_in_transaction_session_timeout": "15s",
	// Every statement can use an index, but PostgreSQL would scan a table that is small when it
	// plans the statement. Statements are too short to be planned or compiled at each run.
	"enable_seqscan": "off", "plan_cache_mode": "force_generic_plan", "jit": "off",
}

// poolConfig returns the configuration of the pool for a database URL; 0 connections
// means defaultConns. The URL's pool and statement cache parameters have no effect: the
// number of connections is a setting, and every statement is prepared once per
// connection.
func poolConfig(url string, connections int) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("invalid database URL") // the error may contain a password
	}
	if connections <= 0 {
		connections = defaultConns
	}
	config.MaxConns = int32(min(connections, maxConns)) //nolint:gosec // at most maxConns
	config.MinConns, config.MinIdleConns = 0, 0
	config.MaxConnLifetime, config.MaxConnIdleTime = time.Hour, 30*time.Minute
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	config.ConnConfig.StatementCacheCapacity = 64 // more than there are statements
	for name, value := range session {
		if config.ConnConfig.RuntimeParams[name] == "" {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	return config, nil
}

// withConn calls use with a connection. If use fails and the connection has ended, the error wraps
// errBroken, so that a read is retried.
func (db *DB) withConn(ctx context.Context, use func(*pgx.Conn) error) error {
	c, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	err = use(c.Conn())
	if err != nil && c.Conn().IsClosed() {
		db.resetCache()
		return errors.Join(err, errBroken)
	}
	return err
}

// send runs the statements of a batch in order, in one round trip if they are already
// prepared. After the first failure, no further statement runs.
func send(ctx context.Context, c *pgx.Conn, batch *pgx.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	return c.SendBatch(ctx, batch).Close()
}

// scanEach returns a callback for a batch's query that scans row by row into the same
// destinations and calls do after each.
func scanEach(into []any, do func()) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, into, func() error {
			do()
			return nil
		})
		return err
	}
}
