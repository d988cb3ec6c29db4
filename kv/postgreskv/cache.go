package postgreskv

import (
	"sync"

	"github.com/pledgeworks/pledgeworks/kv"
)

// The cache keeps at most so many bytes of all objects, and of one.
const (
	cacheBytes  = 64 << 20
	objectBytes = 4 << 20
	entryBytes  = 100 // what an entry costs beside its key and value
)

// cache remembers what objects' keys hold, for as long as nobody else has changed the
// object: each transaction that may have gives it another version. It is of one history of
// the database: what is read from the next one goes into another cache.
type cache struct {
	mu      sync.Mutex
	size    int
	objects map[kv.Object]*remembered
}

type remembered struct {
	version version
	size    int
	values  map[string][]byte // nil is absent
	moved   bool              // it was changed by another server since we last did
	notes   int               // how often it was noted
}

// get returns a key's value at a version, and whether it is known.
func (c *cache) get(o kv.Object, version version, key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.objects[o]
	if r == nil || r.version != version {
		return nil, false
	}
	v, known := r.values[key]
	return v, known
}

// old returns what a key held when it was last seen.
func (c *cache) old(o kv.Object, key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.objects[o]; r != nil {
		return r.values[key]
	}
	return nil
}

// shared reports whether another server has changed an object of late.
func (c *cache) shared(o kv.Object) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.objects[o]
	return r != nil && r.moved
}

// notes counts what was noted of an object.
func (c *cache) notes(o kv.Object) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.objects[o]; r != nil {
		return r.notes
	}
	return 0
}

// noteRead is note for who has read an object since so many notes. If there are more by
// now, what was read may be older than they are, and is not remembered in their place.
func (c *cache) noteRead(o kv.Object, notes int, version version, values map[string][]byte) {
	if c.notes(o) == notes {
		c.note(o, version, version, values)
	}
}

// note remembers what an object's keys hold now, at a version. What is remembered of the
// version before still holds.
func (c *cache) note(o kv.Object, before, version version, values map[string][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.objects[o]
	moved, notes := r != nil && r.version != before, 0
	if r != nil {
		notes = r.notes
	}
	if r == nil || moved || r.size > objectBytes {
		c.drop(o)
		r = &remembered{values: map[string][]byte{}}
		if c.size > cacheBytes {
			c.objects, c.size = nil, 0
		}
		if c.objects == nil {
			c.objects = map[kv.Object]*remembered{}
		}
		c.objects[o] = r
	}
	r.version, r.moved, r.notes = version, moved, notes+1
	for key, v := range values {
		old, known := r.values[key]
		grown := len(v) - len(old)
		if !known {
			grown += len(key) + entryBytes
		}
		r.values[key] = v
		r.size += grown
		c.size += grown
	}
}

// forget begins a cache anew. A connection has ended, or there is a new one: it may lead
// to another server, which has not seen all that the last one had. What is under way
// keeps the cache that it began with.
func (db *DB) forget() { db.cache.Store(&cache{}) }

func (c *cache) drop(o kv.Object) {
	if r := c.objects[o]; r != nil {
		c.size -= r.size
		delete(c.objects, o)
	}
}
