package postgreskv

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// The total time of retries, which outlasts a failover, and the waits between them.
const (
	tryFor     = 15 * time.Second
	minBackoff = 10 * time.Millisecond
	maxBackoff = 500 * time.Millisecond
)

// retryable reports whether a failed transaction may succeed if it is retried: it lost
// a conflict, or the database was unavailable.
func retryable(err error) bool {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch answer.Code {
		case "40001", "40P01", "55P03", // serialization failure, deadlock, lock not available
			"57P01", "57P02", "57P03", // shut down, crashed, starting up
			"25006", "53300": // read-only standby before its promotion, too many connections
			return true
		}
		return answer.Code[:2] == "08"
	}
	var connecting *pgconn.ConnectError
	return pgconn.SafeToRetry(err) || errors.As(err, &connecting) || errors.Is(err, errLost) || errors.Is(err, errBroken)
}

// errBroken means that the connection ended before COMMIT was sent, so nothing was
// written. errLost means that it ended after that, so the result is unknown.
var (
	errBroken = errors.New("the connection to the database ended")
	errLost   = errors.New("the connection to the database ended during COMMIT")
)

// retry repeats attempt while it fails with a retryable error, for at most tryFor. An attempt with
// an unknown result (errLost) is repeated only if repeat is set.
func (db *DB) retry(ctx context.Context, repeat bool, attempt func() error) error {
	until, delay := time.Now().Add(tryFor), minBackoff
	for {
		err := attempt()
		if err == nil || ctx.Err() != nil || !retryable(err) || !repeat && errors.Is(err, errLost) ||
			time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.Wrap(ctx.Err(), fault.Unavailable, "request canceled")
		case <-time.After(delay):
		}
		delay = min(2*delay, maxBackoff)
	}
}
