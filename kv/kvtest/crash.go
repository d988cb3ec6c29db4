package kvtest

import (
	"fmt"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var crashChecks = []check{
	{"acknowledged writes survive a crash", func(s *session) {
		keys := s.fill(50)
		s.add(hall, "first", 5)
		if !s.reopen() {
			return
		}
		s.wantPages(kv.Query{Prefix: "k/"}, keys)
		if n := s.count(hall); n != 5 {
			s.Errorf("the object counts %d, want 5", n)
		}
		if n := s.add(hall, "second", 1); n != 6 {
			s.Errorf("the next command answers %d, want 6", n)
		}
	}},
	{"an expiry survives a crash", func(s *session) {
		s.apply(kv.PutUntil("k", []byte("v"), s.Now().Add(2*kv.MinLifetime)))
		if s.reopen() {
			s.holds("k", "v")
			if s.advance(3 * kv.MinLifetime) {
				s.absent("k")
			}
		}
	}},
	{"a redelivered command returns the lost answer", func(s *session) {
		s.loseAnswer("lost", add{5})
		if s.Reopen != nil {
			s.reopen()
		}
		if n := s.add(hall, "lost", 5); n != 5 {
			s.Errorf("the redelivered command answers %d, want 5", n)
		}
		if n := s.count(hall); n != 5 {
			s.Errorf("counted %d, want 5", n)
		}
	}},
	{"a redelivered command returns the lost refusal", func(s *session) {
		s.loseAnswer("lost", take{})
		if s.Reopen != nil {
			s.reopen()
		}
		s.send(hall, stock{1})
		if _, err := kv.Send[answered](s.ctx, s.co, hall, "lost", take{}); !fault.Is(err, fault.SoldOut) {
			s.Errorf("the redelivered command answers %v, want SoldOut", err)
		}
	}},
	{"some of many answers are lost", func(s *session) {
		for i := range 10 {
			id := fmt.Sprint("id-", i)
			if i%3 == 0 {
				s.loseAnswer(id, add{1})
			}
			if n := s.add(hall, id, 1); n != i+1 {
				s.Errorf("%s answers %d, want %d", id, n, i+1)
			}
		}
	}},
}

// loseAnswer runs a command and discards its answer.
func (s *session) loseAnswer(id string, cmd kv.Command) {
	s.Helper()
	if s.Crash == nil {
		s.Logf("no Crash: dropping the answer instead")
		_, _ = kv.Send[answered](s.ctx, s.co, hall, id, cmd)
		return
	}
	s.Crash(s.TB)
	_, err := kv.Send[answered](s.ctx, s.co, hall, id, cmd)
	if err == nil || fault.Is(err, fault.SoldOut) {
		s.Fatalf("the answer was not lost: %v", err)
	}
}
