package simulation

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// Storage is the servers' database.
type Storage interface {
	Store(namespace string) kv.Store
	Coordinator() kv.Coordinator
}

// Opener opens one server's connection to the storage of a history, with that
// server's clock. It is called for each server and for the checker; the caller's
// code closes what it opens.
type Opener func(now func() time.Time, classes []*kv.Class) (Storage, error)

// Namespaces of the store. No faults occur in rateLimit, which contains request counters.
const (
	pledges   = "PLEDGES"
	votes     = "VOTES"
	rateLimit = "RATELIMIT"
)

// memory is memkv, which reports its effects itself.
type memory struct{ *memkv.DB }

func (m memory) Store(namespace string) kv.Store { return m.DB.Store(namespace) }
func (m memory) Coordinator() kv.Coordinator     { return m.DB.Coordinator() }

// open opens the history's storage for its servers and its checker.
func (w *history) open(classes []*kv.Class, stale time.Duration, real Opener) (err error) {
	if real == nil {
		db := memory{memkv.New(memkv.Options{Now: w.clock, Classes: classes, Fail: w.effect,
			Stale: stale, Newest: w.readsPrimary})}
		w.truth = db
		for _, s := range w.servers {
			s.db = db
		}
		return nil
	}
	if w.truth, err = real(w.lastRead.now, classes); err != nil {
		return err
	}
	for _, s := range w.servers {
		observed := &observedStorage{w: w, server: s, classes: map[string]*kv.Class{}}
		for _, c := range classes {
			observed.classes[c.Name()] = c
		}
		if observed.real, err = real(observed.clock.now, classes); err != nil {
			return err
		}
		s.db = observed
	}
	return nil
}

// readsPrimary reports whether reads come from the primary, where all writes go.
func (w *history) readsPrimary() bool {
	return w.scenario.near && w.current != nil && w.current.server == w.servers[0]
}

// sharedClock is a clock that a database can read at any time.
type sharedClock struct{ at atomic.Pointer[time.Time] }

func (c *sharedClock) now() time.Time {
	if at := c.at.Load(); at != nil {
		return *at
	}
	return begin
}

func (c *sharedClock) set(now time.Time) { c.at.Store(&now) }

// observedStorage reports the effects on a real storage before and after they
// happen. A batch of writes takes effect at once.
type observedStorage struct {
	w       *history
	server  *server
	real    Storage
	classes map[string]*kv.Class
	clock   sharedClock // the server's clock
}

// notify reports an effect that is about to happen.
func (d *observedStorage) notify(op memkv.Op) error {
	err := d.w.effect(op)
	d.clock.set(d.server.now())
	return err
}

func (d *observedStorage) Store(namespace string) kv.Store {
	if namespace == rateLimit {
		return d.real.Store(namespace)
	}
	return observedStore{d, d.real.Store(namespace), namespace}
}

func (d *observedStorage) Coordinator() kv.Coordinator {
	return observedCoordinator{d, d.real.Coordinator()}
}

type observedStore struct {
	*observedStorage
	real      kv.Store
	namespace string
}

func (s observedStore) Get(ctx context.Context, key string) ([]byte, error) {
	if err := s.notify(memkv.Op{Kind: memkv.OpGet, Namespace: s.namespace, Key: key}); err != nil {
		return nil, err
	}
	return s.real.Get(ctx, key)
}

func (s observedStore) List(ctx context.Context, q kv.Query) (kv.Page, error) {
	if err := s.notify(memkv.Op{Kind: memkv.OpList, Namespace: s.namespace, Key: q.Prefix}); err != nil {
		return kv.Page{}, err
	}
	return s.real.List(ctx, q)
}

func (s observedStore) Apply(ctx context.Context, batch []kv.Write) error {
	ops := make([]memkv.Op, len(batch))
	for i, w := range batch {
		ops[i] = memkv.Op{Kind: memkv.OpPut, Namespace: s.namespace, Key: w.Key, Write: w, Index: i}
		if w.Delete {
			ops[i].Kind = memkv.OpDelete
		}
		if err := s.notify(ops[i]); err != nil {
			return err
		}
	}
	if err := s.real.Apply(ctx, batch); err != nil {
		return err
	}
	for _, op := range ops {
		op.After = true
		if err := s.w.effect(op); err != nil {
			return err
		}
	}
	return nil
}

type observedCoordinator struct {
	*observedStorage
	real kv.Coordinator
}

func (c observedCoordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	op := memkv.Op{Kind: memkv.OpDo, Object: to, Command: cmd}
	if c.classes[to.Class].IsQuery(cmd.Kind) {
		op.Kind = memkv.OpQuery
	}
	if err := c.notify(op); err != nil {
		return kv.Reply{}, err
	}
	reply, err := c.real.Do(ctx, to, cmd)
	if err != nil || op.Kind == memkv.OpQuery {
		return reply, err
	}
	op.After, op.Reply = true, reply
	return reply, c.w.effect(op)
}

// record returns the current value of a key, or nil.
func (w *history) record(namespace, key string) []byte {
	if m, ok := w.truth.(memory); ok { // its Store's reads may be stale
		for _, e := range m.Snapshot().Stores[namespace] {
			if e.Key == key {
				return e.Value
			}
		}
		return nil
	}
	return quietly(w, func() ([]byte, error) { return w.truth.Store(namespace).Get(w.ctx, key) })
}

// records returns the current contents of a store.
func (w *history) records(namespace string) (all []kv.Entry) {
	if m, ok := w.truth.(memory); ok {
		return m.Snapshot().Stores[namespace]
	}
	for q := (kv.Query{}); ; {
		page := quietly(w, func() (kv.Page, error) { return w.truth.Store(namespace).List(w.ctx, q) })
		all = append(all, page.Entries...)
		if q.Cursor = page.Next; q.Cursor == "" {
			return all
		}
	}
}
