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

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// mostTogether is how many units one transaction has at most.
const mostTogether = 96

// groups is how many transactions of this server write at a time: more than its cores can
// work on would each only be smaller.
func groups() int { return max(1, min(4, runtime.GOMAXPROCS(0)/2)) }

// unit is a change that one caller waits for. Those of a server that wait share a
// transaction.
type unit struct {
	lane lane
	// once says that it must not be carried out again where nobody knows what became of
	// its commit.
	once bool
	// run does the work, on the lane. What it returns is the caller's alone, unless the
	// database has failed.
	run func(s *scope) error

	err  error
	done chan struct{}
}

// lane is the row that units take turns at: an object's, or a counter's. The zero lane
// is nobody's.
type lane struct {
	object  kv.Object
	ns, key string
}

func (l lane) free() bool { return l == lane{} }

// scope is what a unit works on.
type scope struct {
	tx      *transaction
	state   *state   // of a lane that is an object's
	counter *counter // of a lane that is a counter's
}

// counter is a counter's row.
type counter struct {
	value   []byte
	expires *int64
}

// newGroups returns the line of those who write.
func newGroups(db *DB) *line[*unit] {
	busy := map[lane]bool{} // in a transaction of this server
	return &line[*unit]{
		most: groups(),
		pick: func(waiting []*unit) (batch, rest []*unit) { return pick(waiting, busy) },
		free: func(batch []*unit) {
			for _, u := range batch {
				delete(busy, u.lane)
			}
		},
		work: db.carryOut,
	}
}

// pick chooses what shares a transaction. A lane that several wait for has one of its own,
// because others wait for its lock too; all else goes together.
func pick(waiting []*unit, busy map[lane]bool) (batch, rest []*unit) {
	wanted := map[lane]int{}
	for _, u := range waiting {
		wanted[u.lane]++
	}
	crowded := func(l lane) bool { return !l.free() && wanted[l] > 1 }
	var chosen *lane // of a crowded one
	mine := map[lane]bool{}
	for _, u := range waiting {
		fits := len(batch) == 0 || chosen != nil && *chosen == u.lane || chosen == nil && !crowded(u.lane)
		if len(batch) == mostTogether || !fits || busy[u.lane] && !mine[u.lane] {
			rest = append(rest, u)
			continue
		}
		if len(batch) == 0 && crowded(u.lane) {
			chosen = &u.lane
		}
		if batch = append(batch, u); !u.lane.free() {
			busy[u.lane], mine[u.lane] = true, true
		}
	}
	return batch, rest
}

// write has a unit carried out and waits for it, also when its caller has gone: what has
// begun is finished.
func (db *DB) write(ctx context.Context, u *unit) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "the caller has gone")
	}
	u.done = make(chan struct{})
	db.groups.add(u)
	<-u.done
	return u.err
}

// carryOut brings a batch to its end, whatever that is.
func (db *DB) carryOut(batch []*unit) {
	left, err := db.attempts(batch)
	if err != nil && len(left) > 1 && !again(err) {
		for _, u := range left { // one of them is at fault: alone, the others are not
			if _, err := db.attempts([]*unit{u}); err != nil {
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

// attempts tries a batch until it is committed, as long as trying again may help, and
// returns what has no answer yet besides the error.
func (db *DB) attempts(batch []*unit) (left []*unit, err error) {
	left = batch
	err = db.persist(context.Background(), true, func() error {
		err := db.attempt(left)
		if errors.Is(err, errLost) {
			left = slices.DeleteFunc(slices.Clone(left), func(u *unit) bool {
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

func (db *DB) attempt(batch []*unit) error {
	ctx := context.Background()
	lent, err := db.pool.acquire(ctx)
	if err != nil {
		return err
	}
	defer db.pool.release(lent)
	t := &transaction{db: db, conn: lent.Value(), cache: db.cache.Load(), move: newMove(), puts: map[place]kv.Write{}}
	if err = t.run(ctx, batch); err == nil {
		return nil
	}
	if t.conn.IsClosed() {
		db.forget()
		if !errors.Is(err, errLost) {
			return errors.Join(err, errBroken)
		}
	}
	_, _ = t.conn.exec(ctx, "ROLLBACK") // the connection's end is one too
	return err
}

// place is a key of a store.
type place struct{ ns, key string }

// transaction is one attempt at a batch. Rows are locked in one order by everybody:
// objects, counters, and then what is written to stores, each by their names.
type transaction struct {
	db      *DB
	conn    *conn
	cache   *cache
	move    version // by which it moves the objects' versions
	rounds  *rounds
	lanes   []lane
	units   map[lane][]*unit
	states  map[kv.Object]*state
	version map[kv.Object]version
	counts  map[place]*counter

	mu   sync.Mutex
	puts map[place]kv.Write
}

func (t *transaction) run(ctx context.Context, batch []*unit) error {
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
		t.cache.note(o, s.version, t.version[o], s.known)
	}
	return nil
}

func (t *transaction) sort(batch []*unit) {
	t.units = map[lane][]*unit{}
	for _, u := range batch {
		u.err = nil
		if t.units[u.lane] == nil {
			t.lanes = append(t.lanes, u.lane)
		}
		t.units[u.lane] = append(t.units[u.lane], u)
	}
	slices.SortFunc(t.lanes, func(a, b lane) int {
		return cmp.Or(strings.Compare(a.object.Class, b.object.Class), strings.Compare(a.object.Name, b.object.Name), strings.Compare(a.ns, b.ns), strings.Compare(a.key, b.key))
	})
}

const (
	// touchSQL locks objects, makes those that are not there, and moves their versions.
	touchSQL = `INSERT INTO object AS o (class, name, version) SELECT class, name, $3::bigint FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (class, name, n) ORDER BY n
		ON CONFLICT (class, name) DO UPDATE SET version = o.version # excluded.version RETURNING class, name, version`
	// countSQL locks counters and makes those that are not there, as if they had expired.
	countSQL = `INSERT INTO store AS s (ns, key, value, expires) SELECT ns, key, ''::bytea, 0 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (ns, key, n) ORDER BY n
		ON CONFLICT (ns, key) DO UPDATE SET ns = excluded.ns RETURNING ns, key, value, expires`
)

// begin opens the transaction and takes every lane's lock, in one round trip.
func (t *transaction) begin(ctx context.Context) error {
	t.rounds = newRounds(len(t.lanes))
	t.states, t.version, t.counts = map[kv.Object]*state{}, map[kv.Object]version{}, map[place]*counter{}
	var classes, names, spaces, keys []string
	for _, l := range t.lanes {
		switch {
		case l.object.Class != "":
			classes, names = append(classes, l.object.Class), append(names, l.object.Name)
			t.states[l.object] = newState(newBase(l.object, t.rounds, t.cache))
		case !l.free():
			spaces, keys = append(spaces, l.ns), append(keys, l.key)
		}
	}
	var all statements
	all.queue(nil, "BEGIN")
	if len(classes) > 0 {
		all.queue(func(r *rows) error {
			var o kv.Object
			var v version
			return r.each([]any{&o.Class, &o.Name, &v}, func() error {
				t.version[o] = v
				return nil
			})
		}, touchSQL, classes, names, t.move)
	}
	if len(keys) > 0 {
		all.queue(func(r *rows) error {
			var p place
			var c counter
			return r.each([]any{&p.ns, &p.key, &c.value, &c.expires}, func() error {
				t.counts[p] = &counter{c.value, c.expires}
				return nil
			})
		}, countSQL, spaces, keys)
	}
	wants := t.foresee()
	queue(&all, wants, t.db.now())
	if err := t.conn.send(ctx, all); err != nil {
		return err
	}
	for o, s := range t.states {
		s.version, s.locked = t.version[o].moved(t.move), true
	}
	for _, w := range wants {
		t.states[w.object].learn(w)
	}
	return nil
}

// foresee guesses what the units of contended objects will read, so that it comes with
// the lock and others wait for it no longer than they must. It runs them on what is
// remembered, however old that is; what they would write is forgotten.
func (t *transaction) foresee() (wants []*want) {
	for o := range t.states {
		units := t.units[lane{object: o}]
		if len(units) == 1 && !t.cache.shared(o) {
			continue
		}
		b := newBase(o, nil, t.cache)
		b.guess = true
		for _, u := range units {
			_ = u.run(&scope{tx: t, state: newState(b)})
		}
		for key := range b.known {
			wants = append(wants, &want{object: o, key: key})
		}
		for sp, r := range b.spans {
			wants = append(wants, &want{object: o, span: &sp, limit: r.asked})
		}
	}
	return wants
}

// work runs every lane beside the others, the units of one after each other.
func (t *transaction) work(ctx context.Context) error {
	for _, l := range t.lanes {
		s := &scope{tx: t, state: t.states[l.object]}
		if s.state == nil && !l.free() {
			s.counter = t.counts[place{l.ns, l.key}]
		}
		go t.perform(s, t.units[l])
	}
	return t.rounds.serve(func(wants []*want) error {
		var all statements
		queue(&all, wants, t.db.now())
		return t.conn.send(ctx, all)
	})
}

func (t *transaction) perform(s *scope, units []*unit) {
	defer t.rounds.leave()
	for _, u := range units {
		if u.err = u.run(s); s.state != nil && s.state.failed != nil {
			return
		}
	}
}

// put keeps a store's writes for the end; the last of a key is the only one.
func (t *transaction) put(ns string, writes ...kv.Write) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range writes {
		t.puts[place{ns, w.Key}] = w
	}
}

const (
	keepSQL = `INSERT INTO state (class, name, key, value) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
		ON CONFLICT (class, name, key) DO UPDATE SET value = excluded.value`
	removeSQL = `DELETE FROM state s USING unnest($1::text[], $2::text[], $3::text[]) AS u (class, name, key) WHERE s.class = u.class AND s.name = u.name AND s.key = u.key`
	// A deleted key is one that has expired, so that writes and deletions lock their rows
	// in one order; the sweep removes it.
	putSQL = `INSERT INTO store (ns, key, value, expires) SELECT ns, key, value, expires FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[]) WITH ORDINALITY AS u (ns, key, value, expires, n) ORDER BY n
		ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, expires = excluded.expires`
)

// finish writes and commits, in one round trip.
func (t *transaction) finish(ctx context.Context) error {
	var all statements
	t.queueState(&all)
	t.queuePuts(&all)
	all.queue(nil, "COMMIT")
	err := t.conn.send(ctx, all)
	var answer *pgconn.PgError
	if err != nil && !errors.As(err, &answer) {
		return errors.Join(err, errLost)
	}
	return err
}

func (t *transaction) queueState(all *statements) {
	var kept, gone struct{ classes, names, keys []string }
	var values [][]byte
	for o, s := range t.states {
		for key, v := range s.dirty {
			if v != nil {
				kept.classes, kept.names, kept.keys = append(kept.classes, o.Class), append(kept.names, o.Name), append(kept.keys, key)
				values = append(values, v)
			} else {
				gone.classes, gone.names, gone.keys = append(gone.classes, o.Class), append(gone.names, o.Name), append(gone.keys, key)
			}
		}
	}
	if len(values) > 0 {
		all.queue(nil, keepSQL, kept.classes, kept.names, kept.keys, values)
	}
	if len(gone.keys) > 0 {
		all.queue(nil, removeSQL, gone.classes, gone.names, gone.keys)
	}
}

func (t *transaction) queuePuts(all *statements) {
	if len(t.puts) == 0 {
		return
	}
	places := make([]place, 0, len(t.puts))
	for p := range t.puts {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(strings.Compare(a.ns, b.ns), strings.Compare(a.key, b.key)) })
	var spaces, keys []string
	var values [][]byte
	var expiries []*int64
	for _, p := range places {
		w := t.puts[p]
		spaces, keys, values = append(spaces, p.ns), append(keys, p.key), append(values, present(w.Value))
		if w.Delete {
			expiries = append(expiries, new(int64))
		} else {
			expiries = append(expiries, expiry(w.Expires))
		}
	}
	all.queue(nil, putSQL, spaces, keys, values, expiries)
}
