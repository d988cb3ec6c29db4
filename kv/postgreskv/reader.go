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

// read runs a reading and waits for it.
func (db *DB) read(ctx context.Context, run func(r *rounds) error) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "request canceled")
	}
	it := &reading{run: run, done: make(chan struct{})}
	db.readings.add(it)
	<-it.done
	return it.err
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
	return r.serve(func(wants []*want) error {
		var batch pgx.Batch
		queue(&batch, wants, db.now())
		return send(context.Background(), c, &batch)
	})
}

// ask runs a query on an object. Each read returns the object's version; if it differs
// from the earlier reads, the query starts over.
func (db *DB) ask(ctx context.Context, to kv.Object, class *kv.Class, cmd kv.Envelope) (reply kv.Reply, err error) {
	err = db.read(ctx, func(r *rounds) (err error) {
		known := db.cache.Load()
		for range maxRestarts {
			updates := known.updates(to)
			s := newState(newBase(to, r, known))
			reply, err = dispatch(class, s, db.now(), cmd)
			if errors.Is(s.failed, errMoved) {
				continue
			}
			if s.failed == nil && s.version > 0 {
				known.updateFromRead(to, updates, s.version, s.known)
			}
			return err
		}
		return fault.New(fault.Unavailable, "the object changes too often")
	})
	return reply, err
}

// get reads a key of a store; nil means absent.
func (db *DB) get(ctx context.Context, ns, key string) (value []byte, err error) {
	err = db.read(ctx, func(r *rounds) error {
		w := &want{ns: ns, key: key}
		r.ask(w)
		value = w.value
		return w.err
	})
	return value, err
}
