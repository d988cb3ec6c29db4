package postgreskv

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// base is what was read of an object, all of it at one version.
type base struct {
	object  kv.Object
	rounds  *rounds
	cache   *cache
	version version // 0 where the object is not there, unread before anything is known
	locked  bool    // by this transaction, so that it stays as it is
	guess   bool    // nothing is read: what is remembered is good enough

	mu    sync.Mutex
	known map[string][]byte // single keys; nil is absent
	spans map[span]read
}

// unread is the version of an object of which nothing was read yet.
const unread = -1

// errMoved says that the object was changed between two reads.
var errMoved = errors.New("the object has changed meanwhile")

// read is the beginning of a range of keys: so many were asked for.
type read struct {
	asked int
	found []kv.Entry
}

func newBase(o kv.Object, r *rounds, c *cache) *base {
	return &base{object: o, rounds: r, cache: c, version: unread, known: map[string][]byte{}, spans: map[span]read{}}
}

// get reads a key, once.
func (b *base) get(key string) ([]byte, error) {
	if b.version == 0 {
		return nil, nil
	}
	b.mu.Lock()
	v, ok := b.known[key]
	b.mu.Unlock()
	switch {
	case ok:
	case b.guess:
		v, ok = b.cache.old(b.object, key), true
	case b.version != unread:
		v, ok = b.cache.get(b.object, b.version, key)
	}
	if !ok {
		w := &want{object: b.object, key: key}
		if err := b.ask(w); err != nil {
			return nil, err
		}
		v = w.value
	}
	b.mu.Lock()
	b.known[key] = v
	b.mu.Unlock()
	return v, nil
}

// spare is how much more of a range is read than was asked for: the commands behind ask
// for a little more each, because of what those before have written.
const spare = 8

// list reads the beginning of a range: at least so many, or all there is.
func (b *base) list(s span, limit int) ([]kv.Entry, error) {
	if b.version == 0 {
		return nil, nil
	}
	b.mu.Lock()
	r, ok := b.spans[s]
	b.mu.Unlock()
	if ok && (r.asked >= limit || len(r.found) < r.asked) {
		return r.found, nil
	}
	w := &want{object: b.object, span: &s, limit: limit + spare}
	if b.guess {
		b.learn(w)
		return nil, nil
	}
	if err := b.ask(w); err != nil {
		return nil, err
	}
	b.learn(w)
	return w.found, nil
}

// learn keeps what was read.
func (b *base) learn(w *want) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.span != nil {
		b.spans[*w.span] = read{w.limit, w.found}
	} else {
		b.known[w.key] = w.value
	}
}

// ask reads, and holds what was read against the version that the rest is of. Only one
// reads a base that is unread.
func (b *base) ask(w *want) error {
	b.rounds.ask(w)
	switch {
	case w.err != nil:
		return w.err
	case b.locked:
		return nil
	case b.version == unread:
		b.version = w.version
	case b.version != w.version:
		return errMoved
	}
	return nil
}

// state is an object's state within a transaction. It keeps a command's writes until the
// command has succeeded, and all of them until the transaction's end.
type state struct {
	*base
	dirty  map[string][]byte // written by commands before; nil marks a deleted key
	writes map[string][]byte // of the command that runs
	failed error             // of the database
}

func newState(b *base) *state { return &state{base: b, dirty: map[string][]byte{}} }

// dispatch runs one command. It keeps the panic of one behaviour from ending the program.
func dispatch(class *kv.Class, s *state, now time.Time, cmd kv.Envelope) (reply kv.Reply, err error) {
	s.writes = map[string][]byte{}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("postgreskv: command %q panicked: %v\n%s", cmd.Kind, p, debug.Stack())
		}
		if err == nil && s.failed == nil {
			maps.Copy(s.dirty, s.writes)
		}
		s.writes = nil
	}()
	return class.Dispatch(s, now, cmd)
}

func (s *state) Get(key string) ([]byte, error) {
	if v, ok := s.writes[key]; ok {
		return slices.Clone(v), nil
	}
	if v, ok := s.dirty[key]; ok {
		return slices.Clone(v), nil
	}
	v, err := s.get(key)
	return slices.Clone(v), s.note(err)
}

func (s *state) note(err error) error {
	if err != nil && s.failed == nil {
		s.failed = err
	}
	return err
}

func (s *state) Put(key string, value []byte) error {
	s.writes[key] = append([]byte{}, value...)
	return nil
}

func (s *state) Delete(key string) error {
	s.writes[key] = nil
	return nil
}

// most is as much of a list as anybody can mean.
const most = 1 << 30

// List merges what the database has with what was written since.
func (s *state) List(prefix, after string, limit int) ([]kv.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	found, mine := map[string][]byte{}, s.pending(prefix, after)
	there, err := s.list(span{prefix, after}, min(limit, most)+len(mine))
	if err != nil {
		return nil, s.note(err)
	}
	for _, e := range there {
		found[e.Key] = e.Value
	}
	maps.Copy(found, mine)
	var list []kv.Entry
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if found[key] != nil && len(list) < limit {
			list = append(list, kv.Entry{Key: key, Value: slices.Clone(found[key])})
		}
	}
	return list, nil
}

// pending are the writes in a range that the database does not have yet; nil marks a
// deleted key.
func (s *state) pending(prefix, after string) map[string][]byte {
	mine := map[string][]byte{}
	take := func(key string, v []byte) {
		if strings.HasPrefix(key, prefix) && key > after {
			mine[key] = v
		}
	}
	for key, v := range s.dirty {
		take(key, v)
	}
	for key, v := range s.writes {
		take(key, v)
	}
	return mine
}
