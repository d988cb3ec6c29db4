package memkv

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Options configures a DB. Now is required.
type Options struct {
	// Now is the clock for expiry, staleness and commands.
	Now func() time.Time
	// Classes are the object classes that the coordinator serves.
	Classes []*kv.Class
	// Stale is how long a write stays invisible to Get and List. Zero always returns the
	// last write.
	Stale time.Duration
	// Newest, if set, is called for every Get and List. If it returns true, that read is not stale.
	Newest func() bool
	// Fail, if set, is called before every operation, and also after every one that is not a read.
	// An error returned before the operation prevents it; an error returned after it loses only the
	// answer. Either way the call fails with that error, and the earlier writes of an Apply remain.
	// Fail is called without locks held, may use the DB, and must be safe for concurrent use.
	Fail func(op Op) error
}

// OpKind is the kind of an Op.
type OpKind string

// Kinds of Op.
const (
	OpGet       OpKind = "get"
	OpList      OpKind = "list"
	OpPut       OpKind = "put"    // one write of an Apply
	OpDelete    OpKind = "delete" // one write of an Apply
	OpIncrement OpKind = "increment"
	OpDo        OpKind = "do"    // a command
	OpQuery     OpKind = "query" // a command that only reads
)

// Op is one operation, as passed to Options.Fail.
type Op struct {
	Kind  OpKind
	After bool // the operation has taken effect; reads have no such call

	Namespace string   // of the Store
	Key       string   // the key, or the prefix of a list
	Write     kv.Write // with OpPut and OpDelete
	Index     int      // of the write in its batch, from 0

	Object  kv.Object   // with OpDo and OpQuery
	Command kv.Envelope // with OpDo and OpQuery
	Reply   kv.Reply    // with OpDo, after
}

// DB is a database in memory: one store per namespace, and the objects.
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

// New returns an empty DB. It panics if Options.Now is nil.
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

// Snapshot is the content of a DB, in byte order of the keys.
type Snapshot struct {
	Stores  map[string][]kv.Entry    // by namespace
	Objects map[kv.Object][]kv.Entry // including stored replies
	// Expires has the expiry of each value that has one, by namespace and key.
	Expires map[string]map[string]time.Time
}

// Snapshot returns a deep copy of db: the newest value of every key that has not
// expired, regardless of Options.Stale, and the whole state of every object. Each store
// and each object is copied at one instant; the whole is not. The stores of the namespaces
// in without are left out.
func (db *DB) Snapshot(without ...string) Snapshot {
	db.mu.Lock()
	stores, objects := maps.Clone(db.stores), maps.Clone(db.objects)
	db.mu.Unlock()
	s := Snapshot{Stores: map[string][]kv.Entry{}, Objects: map[kv.Object][]kv.Entry{},
		Expires: map[string]map[string]time.Time{}}
	for namespace, store := range stores {
		if slices.Contains(without, namespace) {
			continue
		}
		s.Stores[namespace], s.Expires[namespace] = store.entries()
	}
	for name, o := range objects {
		if all := o.entries(); len(all) > 0 {
			s.Objects[name] = all
		}
	}
	return s
}

// Restore resets db to a snapshot and drops later writes. It must not be called
// concurrently with anything else.
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

// RestoreObject resets one object to a snapshot.
func (db *DB) RestoreObject(name kv.Object, s Snapshot) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.objects[name] = restored(s.Objects[name])
}

func restored(entries []kv.Entry) *object {
	o := &object{}
	for _, e := range entries {
		o.state.put(e.Key, clone(e.Value))
	}
	return o
}

func entry(key string, value []byte) kv.Entry {
	return kv.Entry{Key: key, Value: clone(value)}
}

// clone copies value; the copy of an empty value is not nil.
func clone(value []byte) []byte { return append([]byte{}, value...) }
