package postgreskv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Options configures a DB. Now is required.
type Options struct {
	// Now is the clock for expiry and commands.
	Now func() time.Time
	// Classes are the object classes that the coordinator serves.
	Classes []*kv.Class
	// Connections is the size of the connection pool; 0 means 16.
	Connections int
	// MaySweep reports whether expired records may be deleted now; nil always allows it.
	// With a wrong clock, records that have not expired would be deleted.
	MaySweep func() bool
	// Log receives database failures; nil discards them.
	Log *slog.Logger
}

// DB is a pool of connections to one database. It is safe for concurrent use.
type DB struct {
	pool     *pgxpool.Pool
	now      func() time.Time
	maySweep func() bool
	log      *slog.Logger
	classes  map[string]*kv.Class

	cache    atomic.Pointer[cache]
	groups   *batcher[*job]
	readings *batcher[*reading]

	stop    context.CancelFunc
	sweeper sync.WaitGroup
}

// Open connects to the database at a URL, such as
// "postgres://user@host/db?sslmode=verify-full", and migrates its schema. If several
// servers start at once, one migrates and the others wait. Open fails if the database
// has a newer schema or is not encoded in UTF-8.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	if o.Now == nil {
		return nil, errors.New("postgreskv: Options.Now is required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	config, err := poolConfig(url, o.Connections)
	if err != nil {
		return nil, fmt.Errorf("postgreskv: %w", err)
	}
	if o.MaySweep == nil {
		o.MaySweep = func() bool { return true }
	}
	db := &DB{now: o.Now, maySweep: o.MaySweep, log: o.Log, classes: map[string]*kv.Class{}}
	db.resetCache()
	config.AfterConnect = func(context.Context, *pgx.Conn) error {
		db.resetCache()
		return nil
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("postgreskv: connecting: %w", err)
	}
	db.groups, db.readings = newGroups(db), newReadings(db)
	for _, c := range o.Classes {
		db.classes[c.Name()] = c
	}
	if err := db.migrate(ctx); err != nil {
		db.pool.Close()
		return nil, fmt.Errorf("postgreskv: %w", err)
	}
	ctx, db.stop = context.WithCancel(context.WithoutCancel(ctx))
	db.sweeper.Go(func() { db.sweep(ctx) })
	return db, nil
}

// Close waits for running work and closes the connections.
func (db *DB) Close() error {
	db.stop()
	db.sweeper.Wait()
	db.pool.Close()
	return nil
}

const (
	sweepEvery = 30 * time.Second
	sweepStep  = 500 // rows per transaction, to keep transactions short
)

// sweepSQL skips rows that another server is sweeping. The limit is part of the text so
// that the planner knows it.
var sweepSQL = `DELETE FROM store WHERE (ns, key) IN (SELECT ns, key FROM store WHERE expires <= $1 ORDER BY expires LIMIT ` +
	strconv.Itoa(sweepStep) + ` FOR UPDATE SKIP LOCKED)`

// sweep periodically deletes expired rows, which are invisible to reads already.
func (db *DB) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := db.Sweep(ctx); err != nil && ctx.Err() == nil {
			db.log.Warn("could not delete expired records", "error", err.Error())
		}
	}
}

// Sweep deletes expired rows in small steps, unless Options.MaySweep forbids it.
func (db *DB) Sweep(ctx context.Context) error {
	for db.maySweep() {
		done, err := db.pool.Exec(ctx, sweepSQL, db.now().UnixMicro())
		if err != nil || done.RowsAffected() < sweepStep {
			return err
		}
	}
	return nil
}
