package kvtest

import (
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var incrementChecks = []check{
	{"counts up to the limit", func(s *session) {
		reset := s.Now().Add(5 * time.Minute)
		for i := 1; i <= 3; i++ {
			s.increments("k", 3, reset.Add(time.Duration(i)*time.Minute), i, false, reset.Add(time.Minute))
		}
		for range 2 {
			s.increments("k", 3, reset, 3, true, reset.Add(time.Minute))
		}
		s.increments("k", 4, reset, 4, false, reset.Add(time.Minute))
		s.increments("never", 0, reset, 0, true, reset)
		s.absent("never")
	}},
	{"starts over after the window", func(s *session) {
		reset := s.Now().Add(30 * time.Second) // shorter than the minimum lifetime of a key
		s.increments("k", 2, reset, 1, false, reset)
		s.increments("k", 2, reset, 2, false, reset)
		if s.advance(31 * time.Second) {
			next := s.Now().Add(30 * time.Second)
			s.increments("k", 2, next, 1, false, next)
		}
	}},
	{"a counter is a record of the store", func(s *session) {
		reset := s.Now().Add(5 * time.Minute)
		s.increments("k", 9, reset, 1, false, reset)
		s.settle()
		c, ok, err := kv.Read[kv.Count](s.ctx, s.store, "k")
		s.ok(err)
		if !ok || c.N != 1 || !c.Reset.Equal(reset) {
			s.Errorf("the record is %v, %v, want 1 until %v", c, ok, reset)
		}
		if s.advance(6 * time.Minute) {
			s.absent("k")
		}
	}},
	{"a bad key is refused", func(s *session) {
		for name, key := range badKeys {
			if _, _, err := kv.Increment(s.ctx, s.store, s.Now(), key, 1,
				s.Now().Add(time.Hour)); !fault.Is(err, fault.Invalid) {
				s.Errorf("%s: %v, want an Invalid fault", name, err)
			}
		}
	}},
	{"no count is lost among a hundred concurrent ones", func(s *session) {
		inc, ok := s.store.(kv.Incrementer)
		if !ok {
			s.Logf("not an Incrementer: concurrent counts may be lost")
			return
		}
		reset := s.Now().Add(5 * time.Minute)
		counts := make([]int, crowd)
		s.runConcurrently(func(i int) error {
			c, over, err := inc.Increment(s.ctx, "k", crowd/2, reset)
			if !over {
				counts[i] = c.N
			}
			return err
		})
		slices.Sort(counts)
		for i, n := range counts {
			if want := max(0, i+1-crowd/2); n != want {
				s.Fatalf("the counts are not exactly 1 to %d: %v", crowd/2, counts)
			}
		}
	}},
}

func (s *session) increments(key string, limit int, expires time.Time, n int, over bool, reset time.Time) {
	s.Helper()
	c, isOver, err := kv.Increment(s.ctx, s.store, s.Now(), key, limit, expires)
	s.ok(err)
	if c.N != n || isOver != over || !c.Reset.Equal(reset) {
		s.Errorf("counted %d until %v, over %v; want %d until %v, over %v", c.N, c.Reset, isOver, n, reset, over)
	}
	if _, ok := s.store.(kv.Incrementer); !ok {
		s.settle()
	}
}
