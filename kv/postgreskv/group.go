package postgreskv

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// maxBatch is the largest number of jobs in one transaction.
const maxBatch = 96

// groups returns how many write transactions this server runs at a time: half the number of its
// cores, from 1 to 4. More transactions than the cores can handle would only make each of them
// smaller.
func groups() int { return max(1, min(4, runtime.GOMAXPROCS(0)/2)) }

// job is a change that one caller waits for. Waiting jobs of a server share a
// transaction.
type job struct {
	lockKey lockKey
	// once is set if the job must not be retried after a commit with an unknown result.
	once bool
	// run does the work, with the lock held. Its error is returned to its caller only,
	// unless the database has failed.
	run func(s *scope) error

	err  error
	done chan struct{}
}

// lockKey is the row that a job must lock: an object's or a counter's. The zero value
// locks nothing.
type lockKey struct {
	object  kv.Object
	ns, key string
}

func (l lockKey) isZero() bool { return l == lockKey{} }

// scope is the state that a job works on.
type scope struct {
	tx      *transaction
	state   *state   // if the lock is an object's
	counter *counter // if the lock is a counter's
}

// counter is a counter's row.
type counter struct {
	value   []byte
	expires *int64
}

// newGroups returns the batcher for writes.
func newGroups(db *DB) *batcher[*job] {
	busy := map[lockKey]bool{} // locked by a transaction of this server
	return &batcher[*job]{
		maxRunning: groups(),
		pick:       func(waiting []*job) (batch, rest []*job) { return pick(waiting, busy) },
		release: func(batch []*job) {
			for _, u := range batch {
				delete(busy, u.lockKey)
			}
		},
		work: db.carryOut,
	}
}

// pick chooses the jobs that share a transaction. If several jobs wait for the same lock, they get
// a separate transaction, because other servers may wait for that lock too. All other jobs share
// one.
func pick(waiting []*job, busy map[lockKey]bool) (batch, rest []*job) {
	wanted := map[lockKey]int{}
	for _, u := range waiting {
		wanted[u.lockKey]++
	}
	contended := func(l lockKey) bool { return !l.isZero() && wanted[l] > 1 }
	var chosen *lockKey // a contended lock
	mine := map[lockKey]bool{}
	for _, u := range waiting {
		fits := len(batch) == 0 || chosen != nil && *chosen == u.lockKey || chosen == nil && !contended(u.lockKey)
		if len(batch) == maxBatch || !fits || busy[u.lockKey] && !mine[u.lockKey] {
			rest = append(rest, u)
			continue
		}
		if len(batch) == 0 && contended(u.lockKey) {
			chosen = &u.lockKey
		}
		if batch = append(batch, u); !u.lockKey.isZero() {
			busy[u.lockKey], mine[u.lockKey] = true, true
		}
	}
	return batch, rest
}

// write adds a job and waits until it is done, even if ctx ends: a started job is
// always finished.
func (db *DB) write(ctx context.Context, u *job) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "request canceled")
	}
	u.done = make(chan struct{})
	db.groups.add(u)
	<-u.done
	return u.err
}

// carryOut runs a batch and completes its jobs. If the database rejects the batch, it runs each job
// separately.
func (db *DB) carryOut(batch []*job) {
	left, err := db.retryBatch(batch)
	if err != nil && len(left) > 1 && !retryable(err) {
		for _, u := range left { // one job is at fault; the others succeed separately
			if _, err := db.retryBatch([]*job{u}); err != nil {
				u.err = db.unavailable(err)
			}
		}
		err = nil
	}
	for _, u := range left {
		if err != nil {
			u.err = db.unavailable(err)
		}
	}
	for _, u := range batch {
		close(u.done)
	}
}

// retryBatch runs a batch until it is committed, as long as a retry may help. It returns the jobs
// that have no result yet, and the error.
func (db *DB) retryBatch(batch []*job) (left []*job, err error) {
	left = batch
	err = db.retry(context.Background(), true, func() error {
		err := db.attempt(left)
		if errors.Is(err, errLost) {
			left = slices.DeleteFunc(slices.Clone(left), func(u *job) bool {
				if u.once {
					u.err = db.unavailable(err)
				}
				return u.once
			})
			if len(left) == 0 {
				return nil
			}
		}
		return err
	})
	return left, err
}

func (db *DB) attempt(batch []*job) error {
	ctx := context.Background()
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	t := &transaction{db: db, conn: conn.Conn(), cache: db.cache.Load(), move: newMove(), puts: map[storeKey]kv.Write{}}
	if err = t.run(ctx, batch); err == nil {
		return nil
	}
	if t.conn.IsClosed() {
		db.resetCache()
		if !errors.Is(err, errLost) {
			return errors.Join(err, errBroken)
		}
	}
	_, _ = t.conn.Exec(ctx, "ROLLBACK") // if it fails, the connection ends and the transaction with it
	return err
}

// storeKey is a key of a store.
type storeKey struct{ ns, key string }

// transaction is one attempt at a batch. To avoid deadlocks, all servers lock rows in
// one order: objects, counters, then store keys, each sorted by name.
type transaction struct {
	db      *DB
	conn    *pgx.Conn
	cache   *cache
	move    version // changes the objects' versions
	rounds  *rounds
	locks   []lockKey
	jobs    map[lockKey][]*job
	states  map[kv.Object]*state
	version map[kv.Object]version
	counts  map[storeKey]*counter

	mu   sync.Mutex
	puts map[storeKey]kv.Write
}

func (t *transaction) run(ctx context.Context, batch []*job) error {
	t.sort(batch)
	if err := t.begin(ctx); err != nil {
		return err
	}
	if err := t.work(ctx); err != nil {
		return err
	}
	if err := t.finish(ctx); err != nil {
		return err
	}
	for o, s := range t.states {
		maps.Copy(s.known, s.dirty)
		t.cache.update(o, s.version, t.version[o], s.known)
	}
	return nil
}

func (t *transaction) sort(batch []*job) {
	t.jobs = map[lockKey][]*job{}
	for _, u := range batch {
		u.err = nil
		if t.jobs[u.lockKey] == nil {
			t.locks = append(t.locks, u.lockKey)
		}
		t.jobs[u.lockKey] = append(t.jobs[u.lockKey], u)
	}
	slices.SortFunc(t.locks, func(a, b lockKey) int {
		return cmp.Or(strings.Compare(a.object.Class, b.object.Class), strings.Compare(a.object.Name, b.object.Name),
			strings.Compare(a.ns, b.ns), strings.Compare(a.key, b.key))
	})
}

const (
	// touchSQL locks objects, creates missing ones, and changes their versions.
	touchSQL = `INSERT INTO object AS o (class, name, version) SELECT class, name, $3::bigint FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (class, name, n) ORDER BY n
		ON CONFLICT (class, name) DO UPDATE SET version = o.version # excluded.version RETURNING class, name, version`
	// countSQL locks counters and creates missing ones as expired rows.
	countSQL = `INSERT INTO store AS s (ns, key, value, expires) SELECT ns, key, ''::bytea, 0 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (ns, key, n) ORDER BY n
		ON CONFLICT (ns, key) DO UPDATE SET ns = excluded.ns RETURNING ns, key, value, expires`
)

// begin opens the transaction and takes all locks in one round trip.
func (t *transaction) begin(ctx context.Context) error {
	t.rounds = newRounds(len(t.locks))
	t.states, t.version, t.counts = map[kv.Object]*state{}, map[kv.Object]version{}, map[storeKey]*counter{}
	var classes, names, spaces, keys []string
	for _, l := range t.locks {
		switch {
		case l.object.Class != "":
			classes, names = append(classes, l.object.Class), append(names, l.object.Name)
			t.states[l.object] = newState(newBase(l.object, t.rounds, t.cache))
		case !l.isZero():
			spaces, keys = append(spaces, l.ns), append(keys, l.key)
		}
	}
	var batch pgx.Batch
	batch.Queue("BEGIN")
	if len(classes) > 0 {
		var o kv.Object
		var v version
		batch.Queue(touchSQL, classes, names,
			int64(t.move)).Query(scanEach([]any{&o.Class, &o.Name, (*int64)(&v)}, func() { t.version[o] = v }))
	}
	if len(keys) > 0 {
		var p storeKey
		var c counter
		batch.Queue(countSQL, spaces, keys).
			Query(scanEach([]any{&p.ns, &p.key, &c.value, &c.expires}, func() { t.counts[p] = &counter{c.value, c.expires} }))
	}
	reads := t.prefetch()
	queue(&batch, reads, t.db.now())
	if err := send(ctx, t.conn, &batch); err != nil {
		return err
	}
	for o, s := range t.states {
		s.version, s.locked = t.version[o].moved(t.move), true
	}
	for _, w := range reads {
		t.states[w.object].recordRead(w)
	}
	return nil
}

// prefetch predicts what the jobs of contended objects will read, so that it can be read in the
// same round trip as the lock, for which other servers may wait. It runs the jobs on cached values,
// even outdated ones, and discards their writes.
func (t *transaction) prefetch() (reads []*pendingRead) {
	for o := range t.states {
		jobs := t.jobs[lockKey{object: o}]
		if len(jobs) == 1 && !t.cache.shared(o) {
			continue
		}
		b := newBase(o, nil, t.cache)
		b.guess = true
		for _, u := range jobs {
			_ = u.run(&scope{tx: t, state: newState(b)})
		}
		for key := range b.known {
			reads = append(reads, &pendingRead{object: o, key: key})
		}
		for sp, r := range b.spans {
			reads = append(reads, &pendingRead{object: o, span: &sp, limit: r.asked})
		}
	}
	return reads
}

// work runs the jobs of different locks concurrently, and those of one lock in order.
func (t *transaction) work(ctx context.Context) error {
	for _, l := range t.locks {
		s := &scope{tx: t, state: t.states[l.object]}
		if s.state == nil && !l.isZero() {
			s.counter = t.counts[storeKey{l.ns, l.key}]
		}
		go t.perform(s, t.jobs[l])
	}
	return t.rounds.serve(func(reads []*pendingRead) error {
		var batch pgx.Batch
		queue(&batch, reads, t.db.now())
		return send(ctx, t.conn, &batch)
	})
}

func (t *transaction) perform(s *scope, jobs []*job) {
	defer t.rounds.finish()
	for _, u := range jobs {
		if u.err = u.run(s); s.state != nil && s.state.failed != nil {
			return
		}
	}
}

// put buffers a store's writes until finish. Only the last write of a key is kept.
func (t *transaction) put(ns string, writes ...kv.Write) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range writes {
		t.puts[storeKey{ns, w.Key}] = w
	}
}

const (
	keepSQL = `INSERT INTO state (class, name, key, value) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
		ON CONFLICT (class, name, key) DO UPDATE SET value = excluded.value`
	removeSQL = `DELETE FROM state s USING unnest($1::text[], $2::text[], $3::text[]) AS u (class, name, key) WHERE s.class = u.class AND s.name = u.name AND s.key = u.key`
	// A deletion stores an expired row, so that writes and deletions lock rows in the same
	// order; the sweep removes it.
	putSQL = `INSERT INTO store (ns, key, value, expires) SELECT ns, key, value, expires FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[]) WITH ORDINALITY AS u (ns, key, value, expires, n) ORDER BY n
		ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, expires = excluded.expires`
)

// finish writes and commits in one round trip.
func (t *transaction) finish(ctx context.Context) error {
	var batch pgx.Batch
	t.queueState(&batch)
	t.queuePuts(&batch)
	batch.Queue("COMMIT")
	err := send(ctx, t.conn, &batch)
	var answer *pgconn.PgError
	if err != nil && !errors.As(err, &answer) {
		return errors.Join(err, errLost)
	}
	return err
}

func (t *transaction) queueState(batch *pgx.Batch) {
	var kept, gone struct{ classes, names, keys []string }
	var values [][]byte
	for o, s := range t.states {
		for key, v := range s.dirty {
			if v != nil {
				kept.classes, kept.names, kept.keys = append(kept.classes, o.Class), append(kept.names, o.Name),
					append(kept.keys, key)
				values = append(values, v)
			} else {
				gone.classes, gone.names, gone.keys = append(gone.classes, o.Class), append(gone.names, o.Name),
					append(gone.keys, key)
			}
		}
	}
	if len(values) > 0 {
		batch.Queue(keepSQL, kept.classes, kept.names, kept.keys, values)
	}
	if len(gone.keys) > 0 {
		batch.Queue(removeSQL, gone.classes, gone.names, gone.keys)
	}
}

func (t *transaction) queuePuts(batch *pgx.Batch) {
	if len(t.puts) == 0 {
		return
	}
	storeKeys := make([]storeKey, 0, len(t.puts))
	for p := range t.puts {
		storeKeys = append(storeKeys, p)
	}
	slices.SortFunc(storeKeys,
		func(a, b storeKey) int { return cmp.Or(strings.Compare(a.ns, b.ns), strings.Compare(a.key, b.key)) })
	var spaces, keys []string
	var values [][]byte
	var expiries []*int64
	for _, p := range storeKeys {
		w := t.puts[p]
		spaces, keys, values = append(spaces, p.ns), append(keys, p.key), append(values, present(w.Value))
		if w.Delete {
			expiries = append(expiries, new(int64))
		} else {
			expiries = append(expiries, expiry(w.Expires))
		}
	}
	batch.Queue(putSQL, spaces, keys, values, expiries)
}
