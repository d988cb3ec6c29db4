package postgreskv

import (
	"sync"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Size limits of the cache, in total and per object.
const (
	cacheBytes  = 64 << 20
	objectBytes = 4 << 20
	entryBytes  = 100 // overhead of an entry besides its key and value
)

// cache stores the values of objects' keys at a version. Every transaction that may
// have changed an object gives it a new version, so an entry is valid as long as the
// version matches. A cache belongs to one history of the database: after a lost
// connection, resetCache starts a new one.
type cache struct {
	mu      sync.Mutex
	size    int
	objects map[kv.Object]*cachedObject
}

type cachedObject struct {
	version version
	size    int
	values  map[string][]byte // nil means absent
	moved   bool              // the last update found a change by another server
	updates int               // how often it was updated
}

// get returns a key's value at a version, and whether it is cached.
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

// lastKnown returns the last known value of a key, at any version.
func (c *cache) lastKnown(o kv.Object, key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.objects[o]; r != nil {
		return r.values[key]
	}
	return nil
}

// shared reports whether the last update of an object's entry found a change by another server.
func (c *cache) shared(o kv.Object) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.objects[o]
	return r != nil && r.moved
}

// updates returns how often an object's entry was updated.
func (c *cache) updates(o kv.Object) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.objects[o]; r != nil {
		return r.updates
	}
	return 0
}

// updateFromRead stores the values that a reader read at a version. The reader started when the
// entry had the given number of updates; if there were more since, the values may be outdated and
// are not cached.
func (c *cache) updateFromRead(o kv.Object, updates int, version version, values map[string][]byte) {
	if c.updates(o) == updates {
		c.update(o, version, version, values)
	}
}

// update stores the values of an object's keys at a version. before is the version that the caller
// read: values cached at that version are kept, those of any other version are dropped.
func (c *cache) update(o kv.Object, before, version version, values map[string][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.objects[o]
	moved, updates := r != nil && r.version != before, 0
	if r != nil {
		updates = r.updates
	}
	if r == nil || moved || r.size > objectBytes {
		c.drop(o)
		r = &cachedObject{values: map[string][]byte{}}
		if c.size > cacheBytes {
			c.objects, c.size = nil, 0
		}
		if c.objects == nil {
			c.objects = map[kv.Object]*cachedObject{}
		}
		c.objects[o] = r
	}
	r.version, r.moved, r.updates = version, moved, updates+1
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

// resetCache starts an empty cache. It is called when a connection ended or a new one
// was opened, which may lead to another server that lacks recent commits. Running work
// keeps its cache.
func (db *DB) resetCache() { db.cache.Store(&cache{}) }

func (c *cache) drop(o kv.Object) {
	if r := c.objects[o]; r != nil {
		c.size -= r.size
		delete(c.objects, o)
	}
}
