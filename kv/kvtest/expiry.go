package kvtest

import (
	"fmt"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
)

var expiryChecks = []check{
	{"a key exists until it expires", func(s *session) {
		until := s.Now().Truncate(time.Second).Add(10 * time.Minute)
		s.apply(kv.PutUntil("k/brief", []byte("v"), until), kv.Put("k/lasting", []byte("v")))
		s.holds("k/brief", "v")
		s.wantListed("k/", "k/brief", "k/lasting")
		if !s.advance(until.Sub(s.Now()) - time.Second) {
			return
		}
		s.holds("k/brief", "v")
		s.advance(time.Second)
		s.absent("k/brief")
		s.wantListed("k/", "k/lasting")
	}},
	{"an expired key can be rewritten", func(s *session) {
		s.apply(kv.PutUntil("k", []byte("old"), s.Now().Add(5*time.Minute)))
		if !s.advance(6 * time.Minute) {
			return
		}
		s.apply(kv.Put("k", []byte("new")))
		s.holds("k", "new")
	}},
	{"expired keys do not fill pages or end a walk", func(s *session) {
		var batch []kv.Write
		for i := range 40 {
			batch = append(batch, kv.PutUntil(fmt.Sprintf("k/%02d", i), nil, s.Now().Add(5*time.Minute)))
		}
		batch = append(batch, kv.Put("k/99", nil))
		s.apply(batch...)
		if s.advance(6 * time.Minute) {
			s.wantPages(kv.Query{Prefix: "k/", Limit: 3}, []string{"k/99"})
		}
	}},
	{"the shortest and the longest lifetime", func(s *session) {
		s.apply(kv.PutUntil("short", []byte("v"), s.Now().Add(kv.MinLifetime+time.Second)),
			kv.PutUntil("long", []byte("v"), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)),
			kv.PutUntil("longer", []byte("v"), time.Unix(1<<50, 0)))
		s.holds("long", "v")
		s.holds("longer", "v")
		if s.advance(2 * kv.MinLifetime) {
			s.absent("short")
			s.holds("long", "v")
			s.holds("longer", "v")
		}
	}},
	{"writes continue while many keys expire", func(s *session) {
		for round := range 4 {
			var batch []kv.Write
			for i := range 300 {
				batch = append(batch, kv.PutUntil(fmt.Sprintf("k/%d/%d", round, i), nil, s.Now().Add(5*time.Minute)))
			}
			s.apply(append(batch, kv.Put(fmt.Sprintf("stay/%d", round), nil))...)
			if !s.advance(6 * time.Minute) {
				return
			}
		}
		s.wantPages(kv.Query{}, []string{"stay/0", "stay/1", "stay/2", "stay/3"})
	}},
}

func (s *session) wantListed(prefix string, want ...string) {
	s.Helper()
	s.wantPages(kv.Query{Prefix: prefix, KeysOnly: true}, want)
}
