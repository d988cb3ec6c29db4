package postgreskv

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// mostTogether bounds how many commands share a transaction.
const mostTogether = 64

// queue is where the commands to one object wait in this server. One of them at a time
// carries out all that wait, in one transaction.
type queue struct {
	db    *DB
	to    kv.Object
	class *kv.Class

	mu      sync.Mutex
	busy    bool
	waiting []*task
	users   int // of the queue, guarded by DB.mu
}

type task struct {
	cmd   kv.Envelope
	turn  chan bool // gets true when the task is to lead, false when it was carried out
	reply kv.Reply
	err   error
}

// queue returns the object's queue, which lasts as long as somebody uses it.
func (db *DB) queue(to kv.Object, class *kv.Class) *queue {
	db.mu.Lock()
	defer db.mu.Unlock()
	q := db.queues[to]
	if q == nil {
		q = &queue{db: db, to: to, class: class}
		db.queues[to] = q
	}
	q.users++
	return q
}

func (q *queue) done() {
	q.db.mu.Lock()
	defer q.db.mu.Unlock()
	if q.users--; q.users == 0 {
		delete(q.db.queues, q.to)
	}
}

func (q *queue) do(ctx context.Context, cmd kv.Envelope) (kv.Reply, error) {
	defer q.done()
	t := &task{cmd: cmd, turn: make(chan bool, 1)}
	q.enter(t)
	if lead := <-t.turn; lead {
		batch := q.take()
		q.run(context.WithoutCancel(ctx), batch) // the others wait for it too
		for _, other := range batch {
			if other != t {
				other.turn <- false
			}
		}
		q.leave()
	}
	return t.reply, t.err
}

func (q *queue) enter(t *task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, t)
	if !q.busy {
		q.busy = true
		t.turn <- true
	}
}

func (q *queue) take() []*task {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), mostTogether)
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return batch
}

// leave passes the turn to the first of those who came meanwhile.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.busy = false
		return
	}
	q.waiting[0].turn <- true
}

// run carries out a batch under the object's lock. What fails for itself leaves nothing;
// where the transaction fails, nobody knows what became of any.
func (q *queue) run(ctx context.Context, batch []*task) {
	err := q.db.transact(ctx, true, func(tx pgx.Tx) error {
		if err := q.lock(ctx, tx); err != nil {
			return err
		}
		s := &state{ctx: ctx, tx: tx, object: q.to}
		for _, t := range batch {
			t.reply, t.err = dispatch(q.class, s, q.db.now(), t.cmd)
			switch {
			case s.failed != nil:
				return s.failed
			case t.err != nil:
				s.forget()
			default:
				s.accept()
			}
		}
		return s.flush()
	})
	if err == nil {
		return
	}
	if f := fault.Of(err); f == nil {
		err = q.db.unavailable(err)
	}
	for _, t := range batch {
		t.reply, t.err = kv.Reply{}, err
	}
}

// lock takes the object's row, which is made first where it is not there.
func (q *queue) lock(ctx context.Context, tx pgx.Tx) error {
	done, err := tx.Exec(ctx, lockSQL, q.to.Class, q.to.Name)
	if err != nil || done.RowsAffected() > 0 {
		return err
	}
	if _, err := tx.Exec(ctx, makeSQL, q.to.Class, q.to.Name); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, lockSQL, q.to.Class, q.to.Name)
	return err
}
