package memkv

import (
	"maps"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Options say what a DB is to be. Now is required.
type Options struct {
	// Now is the clock that expiry, staleness and commands go by.
	Now func() time.Time
	// Classes are the kinds of object that the coordinator serves.
	Classes []*kv.Class
	// Stale is how old the answers of Get and List are: a write is seen once it
	// is that old, and not before. Zero reads what was written last.
	Stale time.Duration
	// Newest, when set, is asked with every Get and List whether it sees what was
	// written last all the same, as one does that comes from where it was written.
	Newest func() bool
	// Fail, when set, is asked before and after every effect. An error before
	// it means that it does not happen, an error after it that only its answer
	// is lost; either ends the call with that error, and an Apply with the
	// writes before it in place. Fail is called without any lock and may use
	// the DB; calls may come from several goroutines.
	Fail func(op Op) error
}

// OpKind is what an Op does.
type OpKind string

// The kinds of Op.
const (
	OpGet       OpKind = "get"
	OpList      OpKind = "list"
	OpPut       OpKind = "put"    // one write of an Apply
	OpDelete    OpKind = "delete" // one write of an Apply
	OpIncrement OpKind = "increment"
	OpDo        OpKind = "do"    // a command
	OpQuery     OpKind = "query" // a command that only reads
)

// Op is one effect, as Options.Fail is told of it.
type Op struct {
	Kind  OpKind
	After bool // the effect has happened; reads are announced before only

	Namespace string   // of the Store
	Key       string   // the key, or the prefix of a list
	Write     kv.Write // with OpPut and OpDelete
	Index     int      // of the write in its batch, from 0

	Object  kv.Object   // with OpDo and OpQuery
	Command kv.Envelope // with OpDo and OpQuery
	Reply   kv.Reply    // with OpDo, after
}

// DB is a set of stores, one per namespace, and of objects.
type DB struct {
	now     func() time.Time
	stale   time.Duration
	newest  func() bool
	fail    func(Op) error
	classes map[string]*kv.Class

	mu      sync.Mutex
	stores  map[string]*Store
	objects map[kv.Object]*object
}

// New returns an empty DB. It panics when Options.Now is missing, which is a
// mistake of the program.
func New(o Options) *DB {
	if o.Now == nil {
		panic("memkv: Options.Now is required")
	}
	if o.Fail == nil {
		o.Fail = func(Op) error { return nil }
	}
	if o.Newest == nil {
		o.Newest = func() bool { return false }
	}
	db := &DB{
		now: o.Now, stale: o.Stale, newest: o.Newest, fail: o.Fail,
		classes: map[string]*kv.Class{},
		stores:  map[string]*Store{},
		objects: map[kv.Object]*object{},
	}
	for _, c := range o.Classes {
		db.classes[c.Name()] = c
	}
	return db
}

// Store returns the store of a namespace, such as "PLEDGES". Stores of
// different namespaces share nothing.
func (db *DB) Store(namespace string) *Store {
	db.mu.Lock()
	defer db.mu.Unlock()
	s := db.stores[namespace]
	if s == nil {
		s = &Store{db: db, namespace: namespace}
		db.stores[namespace] = s
	}
	return s
}

// Coordinator returns the coordinator over db's objects.
func (db *DB) Coordinator() *Coordinator { return &Coordinator{db} }

// Snapshot is everything a DB holds, in byte order of the keys.
type Snapshot struct {
	Stores  map[string][]kv.Entry    // by namespace
	Objects map[kv.Object][]kv.Entry // with the replies each remembers
	// Expires has the end of each value that has one, by namespace and key.
	Expires map[string]map[string]time.Time
}

// Snapshot returns a deep copy of everything db holds: the newest values,
// whatever Options.Stale is, of all keys that have not expired, and the whole
// state of every object. Each store and object is copied at one instant.
func (db *DB) Snapshot() Snapshot {
	db.mu.Lock()
	stores, objects := maps.Clone(db.stores), maps.Clone(db.objects)
	db.mu.Unlock()
	s := Snapshot{Stores: map[string][]kv.Entry{}, Objects: map[kv.Object][]kv.Entry{}, Expires: map[string]map[string]time.Time{}}
	for namespace, store := range stores {
		s.Stores[namespace], s.Expires[namespace] = store.entries()
	}
	for name, o := range objects {
		if all := o.entries(); len(all) > 0 {
			s.Objects[name] = all
		}
	}
	return s
}

// Restore brings db back to a snapshot: what has come since is gone. Nothing else may use
// db meanwhile.
func (db *DB) Restore(s Snapshot) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for namespace, store := range db.stores {
		store.restore(s.Stores[namespace], s.Expires[namespace])
	}
	clear(db.objects)
	for name, entries := range s.Objects {
		db.objects[name] = restored(entries)
	}
}

// RestoreObject brings one object back to a snapshot.
func (db *DB) RestoreObject(name kv.Object, s Snapshot) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.objects[name] = restored(s.Objects[name])
}

func restored(entries []kv.Entry) *object {
	o := &object{}
	for _, e := range entries {
		o.state.put(e.Key, own(e.Value))
	}
	return o
}

func entry(key string, value []byte) kv.Entry {
	return kv.Entry{Key: key, Value: own(value)}
}

// own copies value; the copy of an empty value is not nil.
func own(value []byte) []byte { return append([]byte{}, value...) }
