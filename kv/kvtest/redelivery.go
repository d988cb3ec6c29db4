package kvtest

import (
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var redeliveryChecks = []check{
	{"a redelivered command gets the same answer and changes nothing", func(s *session) {
		for range 3 {
			if n := s.add(hall, "first", 5); n != 5 {
				s.Errorf("first answers %d, want 5", n)
			}
		}
		s.add(hall, "second", 2)
		if n := s.add(hall, "first", 5); n != 5 {
			s.Errorf("first answers %d after second, want 5", n)
		}
		if n := s.count(hall); n != 7 {
			s.Errorf("counted %d, want 7", n)
		}
	}},
	{"identities are per object", func(s *session) {
		other := kv.Object{Class: "kvtest-twin", Name: hall.Name}
		s.add(hall, "same", 1)
		if n := s.add(other, "same", 10); n != 10 {
			s.Errorf("the other object answers %d, want 10", n)
		}
	}},
	{"an identity belongs to one kind of command", func(s *session) {
		s.add(hall, "same", 1)
		if _, err := kv.Send[answered](s.ctx, s.co, hall, "same", stock{5}); err == nil {
			s.Errorf("another command returned the reply stored under the first one's identity")
		}
	}},
	{"a refusal is stored", func(s *session) {
		_, first := kv.Send[answered](s.ctx, s.co, hall, "late", take{})
		s.send(hall, stock{3})
		_, again := kv.Send[answered](s.ctx, s.co, hall, "late", take{})
		f := fault.Of(first)
		if f == nil || f.Code != fault.SoldOut || f.Remaining == nil || *f.Remaining != 0 {
			s.Fatalf("got %v, want SoldOut with nothing remaining", first)
		}
		if diff := cmp.Diff(f, fault.Of(again), cmpopts.IgnoreUnexported(fault.Error{})); diff != "" {
			s.Errorf("the redelivered command is answered differently (-first +again):\n%s", diff)
		}
	}},
	{"replies survive reopening", func(s *session) {
		s.add(hall, "first", 5)
		if s.reopen() {
			if n := s.add(hall, "first", 5); n != 5 || s.count(hall) != 5 {
				s.Errorf("after reopening first answers %d and the count is %d, want 5 and 5", n, s.count(hall))
			}
		}
	}},
	{"a reply is kept for ReplyMemory and then deleted", func(s *session) {
		const many = 40
		for i := range many {
			s.add(hall, fmt.Sprintf("old-%d", i), 1)
		}
		if !s.advance(kv.ReplyMemory - time.Minute) {
			return
		}
		for i := range many {
			if n := s.add(hall, fmt.Sprintf("old-%d", i), 1); n != i+1 {
				s.Fatalf("old-%d answers %d within ReplyMemory, want %d", i, n, i+1)
			}
		}
		s.advance(2 * time.Minute)
		// Each new command sweeps only a few replies, but more than it adds.
		for range many {
			s.send(hall, stock{1})
		}
		for i := range many {
			if n := s.add(hall, fmt.Sprintf("old-%d", i), 1); n != many+i+1 {
				s.Fatalf("old-%d answers %d after ReplyMemory, want the command to run again: %d", i, n, many+i+1)
			}
		}
	}},
}
