package postgreskv

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// How long a failover may take, and how often it is tried again.
const (
	tryFor   = 15 * time.Second
	firstNap = 10 * time.Millisecond
	mostNap  = 500 * time.Millisecond
)

// again reports whether a transaction that failed may succeed when it is tried anew: it
// lost against another, or the database went away.
func again(err error) bool {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		switch answer.Code {
		case "40001", "40P01", "55P03", // serialisation, deadlock, lock not available
			"57P01", "57P02", "57P03", // shut down, crashed, not up yet
			"25006", "53300": // a standby before it is promoted, too many connections
			return true
		}
		return answer.Code[:2] == "08"
	}
	var connecting *pgconn.ConnectError
	return pgconn.SafeToRetry(err) || errors.As(err, &connecting) || errors.Is(err, errLost) || errors.Is(err, errBroken)
}

// errBroken says that the connection ended before a commit was sent: nothing has
// happened. errLost says that it ended while the commit was on its way: nobody knows.
var (
	errBroken = errors.New("the connection to the database ended")
	errLost   = errors.New("the connection to the database ended with the commit on its way")
)

// lend has a connection read. One that has ended meanwhile has done no harm.
func (db *DB) lend(ctx context.Context, read func(*conn) error) error {
	return db.pool.lend(ctx, func(c *conn) error {
		err := read(c)
		if err != nil && c.IsClosed() {
			db.forget()
			return errors.Join(err, errBroken)
		}
		return err
	})
}

// persist repeats what fails for the database's reasons.
func (db *DB) persist(ctx context.Context, repeat bool, attempt func() error) error {
	until, nap := time.Now().Add(tryFor), firstNap
	for {
		err := attempt()
		if err == nil || ctx.Err() != nil || !again(err) || !repeat && errors.Is(err, errLost) || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.Wrap(ctx.Err(), fault.Unavailable, "the caller has gone")
		case <-time.After(nap):
		}
		nap = min(2*nap, mostNap)
	}
}
