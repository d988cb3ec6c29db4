package memkv

import (
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

func (s *Store) write(w kv.Write) {
	now := s.db.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(w, now)
}

// set makes w the newest version of its key.
func (s *Store) set(w kv.Write, now time.Time) {
	s.sweep(now)
	next := version{since: now, expires: w.Expires, deleted: w.Delete}
	if !w.Delete {
		next.value = clone(w.Value)
	}
	r, ok := s.records.get(w.Key)
	if w.Delete && (!ok || s.db.stale == 0) {
		s.records.remove(w.Key)
		return
	}
	if !ok {
		s.records.put(w.Key, &record{version: next})
		return
	}
	if s.db.stale > 0 {
		r.past = append(r.past, r.version)
		r.forget(now.Add(-s.db.stale))
	}
	r.version = next
}

// forget drops the versions that no read at t or later can see.
func (r *record) forget(t time.Time) {
	for len(r.past) > 1 && !r.past[1].since.After(t) {
		r.past = r.past[1:]
	}
}

// sweep examines a few records per call, in key order, and drops expired and deleted
// ones and versions too old for a stale read.
func (s *Store) sweep(now time.Time) {
	horizon := now.Add(-s.db.stale)
	var dead []string
	seen, last := 0, ""
	s.records.walk(s.sweepFrom, func(key string, r *record) bool {
		if seen == sweepStep {
			last = key
			return false
		}
		seen++
		if !r.since.After(horizon) {
			r.past = nil
			if !r.live(now) {
				dead = append(dead, key)
			}
		}
		return true
	})
	s.sweepFrom = last // "" after the last key: start over
	for _, key := range dead {
		s.records.remove(key)
	}
}

func (s *Store) entries() (all []kv.Entry, expires map[string]time.Time) {
	now := s.db.now()
	s.mu.RLock()
	defer s.mu.RUnlock()
	expires = map[string]time.Time{}
	s.records.walk("", func(key string, r *record) bool {
		if !r.live(now) {
			return true
		}
		all = append(all, entry(key, r.value))
		if !r.expires.IsZero() {
			expires[key] = r.expires
		}
		return true
	})
	return all, expires
}

func (s *Store) restore(all []kv.Entry, expires map[string]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records, s.sweepFrom = index[*record]{}, ""
	for _, e := range all {
		s.records.put(e.Key, &record{version: version{value: clone(e.Value), expires: expires[e.Key]}})
	}
}
