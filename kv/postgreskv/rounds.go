package postgreskv

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/kv"
)

// want is something that is needed from the database before work can go on: a key or a
// range of an object, or a key of a store.
type want struct {
	object kv.Object
	ns     string // of a store's key
	key    string
	span   *span // of an object's keys, instead of one
	limit  int   // how many of it

	version version // of the object; 0 where it is not there
	value   []byte  // nil where it is absent
	found   []kv.Entry
	err     error
	done    chan struct{}
}

// span is a range of keys, from its beginning.
type span struct{ prefix, after string }

// lastKey is behind every key.
var lastKey = strings.Repeat(string(utf8.MaxRune), kv.MaxKey)

// behind is the first key behind those that begin with a prefix, in the order of bytes,
// which is that of code points. A range without its end would be read as far as its limit.
func behind(prefix string) string {
	runes := []rune(prefix)
	for i := len(runes) - 1; i >= 0; i-- {
		if next := runes[i] + 1; next <= utf8.MaxRune {
			if !utf8.ValidRune(next) {
				next = 0xE000 // behind the surrogates
			}
			return string(append(runes[:i], next))
		}
	}
	return lastKey
}

// rounds lets those who work side by side read together: a round begins when all that
// still run wait for one.
type rounds struct {
	mu      sync.Mutex
	running int
	wants   []*want
	next    chan []*want // nil ends it
}

func newRounds(lanes int) *rounds { return &rounds{running: lanes, next: make(chan []*want, 1)} }

// ask waits for the round that brings w.
func (r *rounds) ask(w *want) {
	w.done = make(chan struct{})
	r.mu.Lock()
	r.wants = append(r.wants, w)
	r.rest()
	r.mu.Unlock()
	<-w.done
}

// leave says that a lane has come to its end.
func (r *rounds) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest()
}

// rest counts one that runs no more.
func (r *rounds) rest() {
	if r.running--; r.running == 0 {
		r.next <- r.wants
		r.wants = nil
	}
}

// serve reads round by round until every lane has come to its end, and returns the first
// failure of the database. After it, nothing more is read.
func (r *rounds) serve(read func([]*want) error) error {
	var failed error
	for wants := range r.next {
		if len(wants) == 0 {
			return failed
		}
		if failed == nil {
			failed = read(wants)
		}
		r.mu.Lock()
		r.running = len(wants)
		r.mu.Unlock()
		for _, w := range wants {
			w.err = failed
			close(w.done)
		}
	}
	return failed
}

// Each statement reads an object's version with what it reads of it, in one snapshot.
const (
	readSQL = `SELECT u.n, coalesce(o.version, 0), s.value FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS u (class, name, key, n)
		LEFT JOIN object o ON o.class = u.class AND o.name = u.name
		LEFT JOIN state s ON s.class = u.class AND s.name = u.name AND s.key = u.key`
	rangeSQL = `SELECT coalesce(o.version, 0), s.key, s.value FROM (SELECT max(version) AS version FROM object WHERE class = $1 AND name = $2) o
		LEFT JOIN LATERAL (SELECT key, value FROM state WHERE class = $1 AND name = $2 AND key >= $3 AND key > $4 AND key < $5 ORDER BY key LIMIT $6) s ON true`
	getSQL = `SELECT u.n, s.value FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (ns, key, n)
		JOIN store s ON s.ns = u.ns AND s.key = u.key WHERE s.expires IS NULL OR s.expires > $3`
)

// queue adds what is wanted to a batch.
func queue(all *statements, wants []*want, now time.Time) {
	var keys, gets columns
	for _, w := range wants {
		switch {
		case w.span != nil:
			all.queue(w.scanSpan, rangeSQL, w.object.Class, w.object.Name, w.span.prefix, w.span.after, behind(w.span.prefix), w.limit)
		case w.object.Class == "":
			gets.add(w, w.ns, w.key, "")
		default:
			keys.add(w, w.object.Class, w.object.Name, w.key)
		}
	}
	if len(keys.of) > 0 {
		all.queue(keys.scan, readSQL, keys.a, keys.b, keys.c)
	}
	if len(gets.of) > 0 {
		all.queue(gets.scan, getSQL, gets.a, gets.b, now.UnixMicro())
	}
}

// columns are the parameters of a statement for many wants.
type columns struct {
	of      []*want
	a, b, c []string
}

func (c *columns) add(w *want, first, second, third string) {
	c.of, c.a, c.b, c.c = append(c.of, w), append(c.a, first), append(c.b, second), append(c.c, third)
}

// scan reads rows that say whose they are, and end with a value.
func (c *columns) scan(r *rows) error {
	var n int
	var version version
	var value []byte
	into := []any{&n, &version, &value}
	if c.of[0].object.Class == "" { // a store's key has no version
		into = []any{&n, &value}
	}
	return r.each(into, func() error {
		c.of[n-1].version, c.of[n-1].value = version, value
		return nil
	})
}

func (w *want) scanSpan(r *rows) error {
	w.found = nil
	var key *string
	var value []byte
	return r.each([]any{&w.version, &key, &value}, func() error {
		if key != nil {
			w.found = append(w.found, kv.Entry{Key: *key, Value: value})
		}
		return nil
	})
}
