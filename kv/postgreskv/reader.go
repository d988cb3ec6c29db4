package postgreskv

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	readers  = 1   // batches that read, at a time
	mostRead = 200 // readings in one of them
	mostMove = 100 // times that a question is asked anew because its object has changed
)

// reading is something that one caller wants to know. Those of a server that wait read
// together, without a transaction.
type reading struct {
	run  func(r *rounds) error
	err  error
	done chan struct{}
}

func newReadings(db *DB) *line[*reading] {
	return &line[*reading]{
		most: readers,
		pick: func(waiting []*reading) (batch, rest []*reading) {
			n := min(mostRead, len(waiting))
			return waiting[:n:n], waiting[n:]
		},
		free: func([]*reading) {},
		work: db.readTogether,
	}
}

// read waits for a reading.
func (db *DB) read(ctx context.Context, run func(r *rounds) error) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the caller has gone")
	}
	it := &reading{run: run, done: make(chan struct{})}
	db.readings.add(it)
	<-it.done
	return it.err
}

func (db *DB) readTogether(batch []*reading) {
	err := db.persist(context.Background(), true, func() error {
		return db.lend(context.Background(), func(c *conn) error { return db.serve(c, batch) })
	})
	for _, it := range batch {
		if err != nil {
			it.err = db.unavailable(err)
		}
		close(it.done)
	}
}

// serve carries a batch out on one connection, so that all of it is read from one server.
func (db *DB) serve(c *conn, batch []*reading) error {
	r := newRounds(len(batch))
	for _, it := range batch {
		go func() {
			defer r.leave()
			it.err = it.run(r)
		}()
	}
	return r.serve(func(wants []*want) error {
		var all statements
		queue(&all, wants, db.now())
		return c.send(context.Background(), all)
	})
}

// question asks an object. Every read tells the version that it is of: where one is of
// another than those before, the question is asked anew.
func (db *DB) question(ctx context.Context, to kv.Object, class *kv.Class, cmd kv.Envelope) (reply kv.Reply, err error) {
	err = db.read(ctx, func(r *rounds) (err error) {
		known := db.cache.Load()
		for range mostMove {
			notes := known.notes(to)
			s := newState(newBase(to, r, known))
			reply, err = dispatch(class, s, db.now(), cmd)
			if errors.Is(s.failed, errMoved) {
				continue
			}
			if s.failed == nil && s.version > 0 {
				known.noteRead(to, notes, s.version, s.known)
			}
			return err
		}
		return fault.New(fault.Unavailable, "the object changes all the time")
	})
	return reply, err
}

// get reads a key of a store; nil is absent.
func (db *DB) get(ctx context.Context, ns, key string) (value []byte, err error) {
	err = db.read(ctx, func(r *rounds) error {
		w := &want{ns: ns, key: key}
		r.ask(w)
		value = w.value
		return w.err
	})
	return value, err
}
