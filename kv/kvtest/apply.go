package kvtest

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/kv"
)

var applyChecks = []check{
	{"an empty batch does nothing", func(s *session) {
		s.apply()
		s.wantPages(kv.Query{}, nil)
	}},
	{"writes are applied in order", func(s *session) {
		s.apply(kv.Put("a", []byte("1")), kv.Delete("a"), kv.Put("b", []byte("1")), kv.Put("b", []byte("2")),
			kv.Put("a", []byte("3")), kv.Put("c", nil), kv.Delete("c"))
		s.holds("a", "3")
		s.holds("b", "2")
		s.absent("c")
	}},
	{"deleting an absent key is not an error", func(s *session) {
		s.apply(kv.Delete("nothing"), kv.Put("k", []byte("v")), kv.Delete("k"), kv.Delete("k"))
		s.absent("k")
	}},
	{"a deleted key is no longer listed", func(s *session) {
		keys := s.fill(10)
		s.apply(kv.Delete(keys[4]), kv.Delete(keys[9]))
		s.wantPages(kv.Query{Prefix: "k/"}, append(keys[:4:4], keys[5:9]...))
	}},
	{"a write also replaces the expiry", func(s *session) {
		soon := s.Now().Add(3 * kv.MinLifetime)
		s.apply(kv.PutUntil("k", []byte("brief"), soon))
		s.apply(kv.Put("k", []byte("lasting")))
		if s.advance(5 * kv.MinLifetime) {
			s.holds("k", "lasting")
		}
	}},
	{"a failed batch leaves a prefix of its writes", func(s *session) {
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		var batch []kv.Write
		for i := range 20 {
			batch = append(batch, kv.Put(fmt.Sprintf("k/%02d", i), []byte("v")))
		}
		err := s.store.Apply(ctx, batch)
		s.settle()
		page, lerr := s.store.List(s.ctx, kv.Query{Prefix: "k/"})
		s.ok(lerr)
		if err == nil && len(page.Entries) != len(batch) {
			s.Errorf("Apply succeeded with %d of %d writes", len(page.Entries), len(batch))
		}
		for i, e := range page.Entries {
			if e.Key != batch[i].Key {
				s.Fatalf("write %d is missing while %q took effect", i, e.Key)
			}
		}
	}},
	{"a concurrent reader sees a prefix", func(s *session) {
		if s.Stale {
			s.Logf("reads are stale: skipping the check of concurrent readers")
			return
		}
		done := make(chan error, 1)
		go func() {
			var err error
			for i := 0; i < 50 && err == nil; i++ {
				v := []byte(fmt.Sprintf("%03d", i))
				err = s.store.Apply(s.ctx, []kv.Write{kv.Put("first", v), kv.Put("second", v)})
			}
			done <- err
		}()
		for {
			// second is read first, so first must be at least as new.
			second, _ := s.store.Get(s.ctx, "second")
			first, _ := s.store.Get(s.ctx, "first")
			if string(first) < string(second) {
				s.Fatalf("first is %q, but second is already %q", first, second)
			}
			select {
			case err := <-done:
				s.ok(err)
				return
			default:
			}
		}
	}},
}
