package sqlitekv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Options configures a DB. Now is required.
type Options struct {
	// Now is the clock for expiry and commands.
	Now func() time.Time
	// Classes are the object classes that the coordinator serves.
	Classes []*kv.Class
	// MaySweep reports whether expired records may be deleted now; nil always allows it.
	// With a wrong clock, records that have not expired would be deleted.
	MaySweep func() bool
	// Log receives disk failures; nil discards them.
	Log *slog.Logger
}

// busyTimeout is how long to wait for another process's transaction.
const busyTimeout = 10 * time.Second

// DB is an open file. It is safe for concurrent use.
type DB struct {
	path     string
	now      func() time.Time
	maySweep func() bool
	log      *slog.Logger
	classes  map[string]*kv.Class
	writer   *writer
	readers  chan *conn // idle read connections

	closing sync.Once
	closed  chan struct{}
	failed  error // result of closing
}

// Open opens the file at path, or creates it readable only by its owner. A file that is damaged,
// belongs to another program or has a newer schema is left unchanged, and the error has the reason.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	if o.Now == nil {
		return nil, errors.New("sqlitekv: Options.Now is required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	path, err := filepath.Abs(path) // an absolute path has no special meaning to SQLite
	if err != nil {
		return nil, fmt.Errorf("sqlitekv: %w", err)
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("sqlitekv: %w", err)
	}
	if o.MaySweep == nil {
		o.MaySweep = func() bool { return true }
	}
	db := &DB{path: path, now: o.Now, maySweep: o.MaySweep, log: o.Log, classes: map[string]*kv.Class{},
		closed: make(chan struct{})}
	for _, c := range o.Classes {
		db.classes[c.Name()] = c
	}
	if err := db.connect(ctx); err != nil {
		return nil, fmt.Errorf("sqlitekv: opening %s: %w", path, err)
	}
	go db.writer.loop()
	return db, nil
}

// create creates an empty file that only its owner can read. SQLite creates its
// companion files with the same mode.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func (db *DB) connect(ctx context.Context) error {
	w, err := dial(db.path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	if err := prepareFile(ctx, w); err != nil {
		return errors.Join(err, w.Close())
	}
	// Readers connect after the schema exists, so they never see a half-initialized file.
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	db.readers = make(chan *conn, readers)
	for range readers {
		r, err := dial(db.path, sqlite.OpenReadOnly)
		if err != nil {
			return errors.Join(err, db.closeReaders(), w.Close())
		}
		db.readers <- r
	}
	db.writer = newWriter(db, w)
	return nil
}

func (db *DB) closeReaders() error {
	var errs []error
	for len(db.readers) > 0 {
		errs = append(errs, (<-db.readers).Close())
	}
	return errors.Join(errs...)
}

// Close finishes queued writes, answers them and closes the file. Later calls return an
// Unavailable fault.
func (db *DB) Close() error {
	db.closing.Do(func() {
		close(db.closed)
		db.writer.stop()
		var errs []error
		for range cap(db.readers) {
			r := <-db.readers // waits until the reader is idle
			errs = append(errs, r.Close())
		}
		db.failed = errors.Join(append(errs, db.writer.conn.Close())...)
	})
	return db.failed
}

// read runs fn on a read connection.
func (db *DB) read(ctx context.Context, fn func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return canceledError(err)
	}
	select {
	case <-db.closed:
		return errClosed()
	default:
	}
	select {
	case <-db.closed:
		return errClosed()
	case <-ctx.Done():
		return canceledError(ctx.Err())
	case c := <-db.readers:
		defer func() { db.readers <- c }()
		err := fn(c)
		if isDisk(err) {
			return db.unavailable(err)
		}
		return err
	}
}

func errClosed() error { return fault.New(fault.Unavailable, "the storage is closed") }

func canceledError(cause error) error {
	return fault.Wrap(cause, fault.Unavailable, "request canceled")
}
