package postgreskv

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/pledgeworks/pledgeworks/kv"
)

// pendingRead is a read that a goroutine waits for: a key or a range of an object, or a key of a
// store.
type pendingRead struct {
	object kv.Object
	ns     string // of a store's key
	key    string
	span   *span // a range of an object's keys, instead of a key
	limit  int   // number of entries of the span

	version version // of the object; 0 if it does not exist
	value   []byte  // nil if absent
	found   []kv.Entry
	err     error
	done    chan struct{}
}

// span is a range of keys.
type span struct{ prefix, after string }

// lastKey is greater than every key.
var lastKey = strings.Repeat(string(utf8.MaxRune), kv.MaxKey)

// prefixEnd returns the first key after those with a prefix, in byte order, which
// equals code point order. Without an upper bound, the database would read up to the
// limit.
func prefixEnd(prefix string) string {
	runes := []rune(prefix)
	for i, rune := range slices.Backward(runes) {
		if next := rune + 1; next <= utf8.MaxRune {
			if !utf8.ValidRune(next) {
				next = 0xE000 // skip the surrogates
			}
			return string(append(runes[:i], next))
		}
	}
	return lastKey
}

// rounds batches the reads of concurrent work: a round starts when every running
// goroutine is waiting for a read.
type rounds struct {
	mu      sync.Mutex
	running int
	reads   []*pendingRead
	next    chan []*pendingRead // nil ends it
}

func newRounds(locks int) *rounds { return &rounds{running: locks, next: make(chan []*pendingRead, 1)} }

// ask waits for the round that reads w.
func (r *rounds) ask(w *pendingRead) {
	w.done = make(chan struct{})
	r.mu.Lock()
	r.reads = append(r.reads, w)
	r.stopOne()
	r.mu.Unlock()
	<-w.done
}

// finish is called when a goroutine's work is done.
func (r *rounds) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopOne()
}

// stopOne counts a goroutine as no longer running. After the last one, it hands the collected reads
// to serve, which starts the next round or, without reads, returns. The caller holds mu.
func (r *rounds) stopOne() {
	if r.running--; r.running == 0 {
		r.next <- r.reads
		r.reads = nil
	}
}

// serve reads round by round until all work is done, and returns the first database
// error. After an error, nothing more is read.
func (r *rounds) serve(read func([]*pendingRead) error) error {
	var failed error
	for reads := range r.next {
		if len(reads) == 0 {
			return failed
		}
		if failed == nil {
			failed = read(reads)
		}
		r.mu.Lock()
		r.running = len(reads)
		r.mu.Unlock()
		for _, w := range reads {
			w.err = failed
			close(w.done)
		}
	}
	return failed
}

// Each statement reads an object's version and keys in one snapshot.
const (
	readSQL = `SELECT u.n, coalesce(o.version, 0), s.value FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u (class, name, key, n)
		LEFT JOIN object o ON o.class = u.class AND o.name = u.name
		LEFT JOIN state s ON s.class = u.class AND s.name = u.name AND s.key = u.key`
	rangeSQL = `SELECT coalesce(o.version, 0), s.key, s.value FROM (SELECT max(version) AS version FROM object WHERE class = $1 AND name = $2) o
		LEFT JOIN LATERAL (SELECT key, value FROM state WHERE class = $1 AND name = $2 AND key >= $3 AND key > $4 AND key < $5 ORDER BY key LIMIT $6) s ON true`
	getSQL = `SELECT u.n, s.value FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (ns, key, n)
		JOIN store s ON s.ns = u.ns AND s.key = u.key WHERE s.expires IS NULL OR s.expires > $3`
)

// queue adds the statements of the reads to a batch.
func queue(batch *pgx.Batch, reads []*pendingRead, now time.Time) {
	var keys, gets columns
	for _, w := range reads {
		switch {
		case w.span != nil:
			batch.Queue(rangeSQL, w.object.Class, w.object.Name, w.span.prefix, w.span.after,
				prefixEnd(w.span.prefix), w.limit).Query(w.scanSpan())
		case w.object.Class == "":
			gets.add(w, w.ns, w.key, "")
		default:
			keys.add(w, w.object.Class, w.object.Name, w.key)
		}
	}
	if len(keys.of) > 0 {
		batch.Queue(readSQL, keys.a, keys.b, keys.c).Query(keys.scan())
	}
	if len(gets.of) > 0 {
		batch.Queue(getSQL, gets.a, gets.b, now.UnixMicro()).Query(gets.scan())
	}
}

// columns has the parameters of a statement for several reads.
type columns struct {
	of      []*pendingRead
	a, b, c []string
}

func (c *columns) add(w *pendingRead, first, second, third string) {
	c.of, c.a, c.b, c.c = append(c.of, w), append(c.a, first), append(c.b, second), append(c.c, third)
}

// scan returns a callback that decodes rows of an index, a version and a value.
func (c *columns) scan() func(pgx.Rows) error {
	var n int
	var version version
	var value []byte
	into := []any{&n, (*int64)(&version), &value}
	if c.of[0].object.Class == "" { // store keys have no version
		into = []any{&n, &value}
	}
	return scanEach(into, func() { c.of[n-1].version, c.of[n-1].value = version, value })
}

func (w *pendingRead) scanSpan() func(pgx.Rows) error {
	w.found = nil
	var key *string
	var value []byte
	return scanEach([]any{(*int64)(&w.version), &key, &value}, func() {
		if key != nil {
			w.found = append(w.found, kv.Entry{Key: *key, Value: value})
		}
	})
}
