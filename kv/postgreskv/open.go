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

	"github.com/pledgeworks/pledgeworks/kv"
)

// Options say how a DB works. Now is required.
type Options struct {
	// Now is the clock that expiry and commands go by.
	Now func() time.Time
	// Classes are the kinds of object that the coordinator serves.
	Classes []*kv.Class
	// Connections bounds the pool; 0 is 16.
	Connections int
	// MaySweep reports whether expired records may be deleted now; nil always allows it. With
	// a wrong clock, records would be deleted that have not expired.
	MaySweep func() bool
	// Log hears of failures of the database; nil discards them.
	Log *slog.Logger
}

// session is how connections are set, unless the URL says otherwise.
var session = map[string]string{
	"application_name": "pledgeworks",
	// The patience with a statement, a lock, and a transaction whose server has stopped in
	// the middle of it: its locks are free again afterwards.
	"statement_timeout": "20s", "lock_timeout": "15s", "idle_in_transaction_session_timeout": "15s",
	// Every statement has its index, however small a table was when it was planned, and is
	// too short to be planned or compiled each time it runs.
	"enable_seqscan": "off", "plan_cache_mode": "force_generic_plan", "jit": "off",
}

// DB is a pool of connections to one database. It is safe for concurrent use.
type DB struct {
	pool     *pool
	now      func() time.Time
	maySweep func() bool
	log      *slog.Logger
	classes  map[string]*kv.Class

	cache    atomic.Pointer[cache]
	groups   *line[*unit]
	readings *line[*reading]

	stop    context.CancelFunc
	sweeper sync.WaitGroup
}

// Open connects to the database of a URL, such as
// "postgres://user@host/db?sslmode=verify-full", and brings its tables up to this
// version; where several servers begin at once, one does and the others wait. It fails
// for a database that a newer version has written, and for one whose texts are not
// UTF-8.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	if o.Now == nil {
		return nil, errors.New("postgreskv: Options.Now is required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	config, err := parse(url)
	if err != nil {
		return nil, errors.New("postgreskv: the address of the database cannot be read") // it may hold a password
	}
	most := 16
	if o.Connections > 0 {
		most = min(o.Connections, 1000)
	}
	for name, value := range session {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	if o.MaySweep == nil {
		o.MaySweep = func() bool { return true }
	}
	db := &DB{now: o.Now, maySweep: o.MaySweep, log: o.Log, classes: map[string]*kv.Class{}}
	db.forget()
	if db.pool, err = newPool(config, most, db.forget); err != nil {
		return nil, fmt.Errorf("postgreskv: connecting: %w", err)
	}
	db.groups, db.readings = newGroups(db), newReadings(db)
	for _, c := range o.Classes {
		db.classes[c.Name()] = c
	}
	if err := db.migrate(ctx); err != nil {
		db.pool.conns.Close()
		return nil, fmt.Errorf("postgreskv: %w", err)
	}
	ctx, db.stop = context.WithCancel(context.WithoutCancel(ctx))
	db.sweeper.Go(func() { db.sweep(ctx) })
	return db, nil
}

// Close waits for what runs and closes the connections.
func (db *DB) Close() error {
	db.stop()
	db.sweeper.Wait()
	db.pool.conns.Close()
	return nil
}

const (
	sweepEvery = 30 * time.Second
	sweepStep  = 500 // rows, so that no transaction is long
)

// sweepSQL leaves to another server what that one is sweeping. The step is in its text so
// that its plan knows it.
var sweepSQL = `DELETE FROM store WHERE (ns, key) IN (SELECT ns, key FROM store WHERE expires <= $1 ORDER BY expires LIMIT ` +
	strconv.Itoa(sweepStep) + ` FOR UPDATE SKIP LOCKED)`

// sweep removes what has expired; nobody sees it from then on whether it is there or not.
func (db *DB) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		db.pool.trim()
		if err := db.Sweep(ctx); err != nil && ctx.Err() == nil {
			db.log.Warn("what has expired is not swept yet", "error", err.Error())
		}
	}
}

// Sweep removes what has expired by now, in small steps, unless Options.MaySweep forbids it.
func (db *DB) Sweep(ctx context.Context) error {
	for db.maySweep() {
		done, err := db.pool.exec(ctx, sweepSQL, db.now().UnixMicro())
		if err != nil || done < sweepStep {
			return err
		}
	}
	return nil
}
