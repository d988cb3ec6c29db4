package postgreskv

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	readers      = 1   // concurrent batches of reads
	maxReadBatch = 200 // readings per batch
	maxRestarts  = 100 // restarts of a query because its object changed
)

// reading is a read that one caller waits for. Waiting readings of a server are
// batched, without a transaction.
type reading struct {
	run  func(r *rounds) error
	err  error
	done chan struct{}
}

func newReadings(db *DB) *batcher[*reading] {
	return &batcher[*reading]{
		maxRunning: readers,
		pick: func(waiting []*reading) (batch, rest []*reading) {
			n := min(maxReadBatch, len(waiting))
			return waiting[:n:n], waiting[n:]
		},
		release: func([]*reading) {},
		work:    db.readTogether,
	}
}

// await runs a reading and returns its result. If ctx ends first, await returns an error
// immediately, and the result of the reading is discarded.
func await[T any](ctx context.Context, db *DB, run func(r *rounds) (T, error)) (T, error) {
	var none, result T
	if err := ctx.Err(); err != nil {
		return none, fault.Wrap(err, fault.Unavailable, "request canceled")
	}
	it := &reading{done: make(chan struct{})}
	it.run = func(r *rounds) (err error) {
		result, err = run(r)
		return err
	}
	db.readings.add(it)
	select {
	case <-it.done:
		return result, it.err
	case <-ctx.Done(): // the result may still be written, so it must not be read
		return none, fault.Wrap(ctx.Err(), fault.Unavailable, "request canceled")
	}
}

func (db *DB) readTogether(batch []*reading) {
	err := db.retry(context.Background(), true, func() error {
		return db.withConn(context.Background(), func(c *pgx.Conn) error { return db.serve(c, batch) })
	})
	for _, it := range batch {
		if err != nil {
			it.err = db.unavailable(err)
		}
		close(it.done)
	}
}

// serve runs a batch on one connection, so that everything is read from the same
// server.
func (db *DB) serve(c *pgx.Conn, batch []*reading) error {
	r := newRounds(len(batch))
	for _, it := range batch {
		go func() {
			defer r.finish()
			it.err = it.run(r)
		}()
	}
	return r.serve(func(reads []*pendingRead) error {
		var batch pgx.Batch
		queue(&batch, reads, db.now())
		return send(context.Background(), c, &batch)
	})
}

// ask runs a query on an object. Each read returns the object's version; if it differs
// from the earlier reads, the query starts over.
func (db *DB) ask(ctx context.Context, to kv.Object, class *kv.Class, cmd kv.Envelope) (kv.Reply, error) {
	return await(ctx, db, func(r *rounds) (kv.Reply, error) {
		known := db.cache.Load()
		for range maxRestarts {
			updates := known.updates(to)
			s := newState(newBase(to, r, known))
			reply, err := dispatch(class, s, db.now(), cmd)
			if errors.Is(s.failed, errMoved) {
				continue
			}
			if s.failed == nil && s.version > 0 {
				known.updateFromRead(to, updates, s.version, s.known)
			}
			return reply, err
		}
		return kv.Reply{}, fault.New(fault.Unavailable, "the object changed during every attempt to read it: try again")
	})
}

// get reads a key of a store; nil means absent.
func (db *DB) get(ctx context.Context, ns, key string) ([]byte, error) {
	return await(ctx, db, func(r *rounds) ([]byte, error) {
		w := &pendingRead{ns: ns, key: key}
		r.ask(w)
		return w.value, w.err
	})
}
