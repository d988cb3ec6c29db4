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

// base is the state that was read of an object, all at one version.
type base struct {
	object  kv.Object
	rounds  *rounds
	cache   *cache
	version version // 0 if the object does not exist, unread before the first read
	locked  bool    // by this transaction, so the version cannot change
	guess   bool    // read only from the cache, even if outdated

	mu    sync.Mutex
	known map[string][]byte // single keys; nil means absent
	spans map[span]read
}

// unread is the version before the first read.
const unread = -1

// errMoved means that the object changed between two reads.
var errMoved = errors.New("the object changed between two reads")

// read is the beginning of a range of keys, with the number requested.
type read struct {
	asked int
	found []kv.Entry
}

func newBase(o kv.Object, r *rounds, c *cache) *base {
	return &base{object: o, rounds: r, cache: c, version: unread, known: map[string][]byte{}, spans: map[span]read{}}
}

// get reads a key once.
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
		v, ok = b.cache.lastKnown(b.object, key), true
	case b.version != unread:
		v, ok = b.cache.get(b.object, b.version, key)
	}
	if !ok {
		w := &pendingRead{object: b.object, key: key}
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

// spare is how many more entries of a range are read than requested: later commands in
// the group request a few more each, because of earlier commands' writes.
const spare = 8

// list reads the beginning of a range: at least limit entries, or all.
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
	w := &pendingRead{object: b.object, span: &s, limit: limit + spare}
	if b.guess {
		b.recordRead(w)
		return nil, nil
	}
	if err := b.ask(w); err != nil {
		return nil, err
	}
	b.recordRead(w)
	return w.found, nil
}

// recordRead stores the result of a read.
func (b *base) recordRead(w *pendingRead) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.span != nil {
		b.spans[*w.span] = read{w.limit, w.found}
	} else {
		b.known[w.key] = w.value
	}
}

// ask reads w and checks that it has the version of the earlier reads. A base that is
// unread has only one reader.
func (b *base) ask(w *pendingRead) error {
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

// state is an object's state in a transaction. It buffers a command's writes until the
// command has succeeded, and all commands' writes until the transaction ends.
type state struct {
	*base
	dirty  map[string][]byte // written by earlier commands; nil marks a deleted key
	writes map[string][]byte // by the running command
	failed error             // database error
}

func newState(b *base) *state { return &state{base: b, dirty: map[string][]byte{}} }

// dispatch runs one command. It recovers from a panic of the handler.
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

// maxList caps the limit of a list.
const maxList = 1 << 30

// List merges stored entries with buffered writes.
func (s *state) List(prefix, after string, limit int) ([]kv.Entry, error) {
	if limit < 1 {
		return nil, nil
	}
	found, mine := map[string][]byte{}, s.pending(prefix, after)
	there, err := s.list(span{prefix, after}, min(limit, maxList)+len(mine))
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

// pending returns the buffered writes in a range; nil marks a deleted key.
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
