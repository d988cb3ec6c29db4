package kvtest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var hall = kv.Object{Class: "kvtest", Name: "hall"}

var objectChecks = []check{
	{"commands see the effects of earlier answers", func(s *session) {
		for i := 1; i <= 20; i++ {
			if n := s.add(hall, s.nextID(), 1); n != i {
				s.Errorf("add %d answers %d", i, n)
			}
			if n := s.count(hall); n != i {
				s.Errorf("a query after add %d sees %d", i, n)
			}
		}
	}},
	{"a command reads its own writes", func(s *session) {
		s.send(hall, write{Put: map[string][]byte{"a": {1}, "b": {2}, "d": {4}}})
		got, err := kv.Send[entries](s.ctx, s.co, hall, s.nextID(), replace{Delete: "b", Put: "c", Value: []byte{3}})
		s.ok(err)
		if keys := keysOf(got.Entries); !slices.Equal(keys, []string{"a", "c", "d"}) {
			s.Errorf("within the command the keys are %q", keys)
		}
		if keys := s.keys(hall, "", "", 100); !slices.Equal(keys, []string{"a", "c", "d"}) {
			s.Errorf("after the command the keys are %q", keys)
		}
	}},
	{"lists of an object", func(s *session) {
		w := write{Put: map[string][]byte{"other": nil}}
		var want []string
		for i := range 50 {
			key := fmt.Sprintf("k/%02d", i)
			w.Put[key], want = []byte(key), append(want, key)
		}
		s.send(hall, w)
		s.send(kv.Object{Class: "kvtest", Name: "hall2"}, write{Put: map[string][]byte{"k/foreign": nil}})
		for _, c := range []struct {
			prefix, after string
			limit         int
			want          []string
		}{
			{"k/", "", 100, want}, {"k/", "", 7, want[:7]}, {"k/", want[6], 7, want[7:14]}, {"k/", "k/", 2, want[:2]},
			{"k/4", "", 100, want[40:]}, {"k/", want[49], 9, nil}, {"k%", "", 9, nil}, {"k_", "", 9, nil},
			{"", "", 100, append(slices.Clone(want), "other")}, {"k/", "", 0, nil}, {"k/", "", -1, nil},
			{"k/", "", math.MaxInt32, want},
		} {
			if got := s.keys(hall, c.prefix, c.after, c.limit); !slices.Equal(got, c.want) {
				s.Errorf("List(%q, %q, %d) = %q, want %q", c.prefix, c.after, c.limit, got, c.want)
			}
		}
	}},
	{"an object and the store share nothing", func(s *session) {
		s.send(hall, write{Put: map[string][]byte{"k": []byte("object's")}})
		s.absent("k")
		s.wantPages(kv.Query{}, nil)
		s.apply(kv.Put("count", []byte("7")))
		if n := s.count(hall); n != 0 {
			s.Errorf("the object reads the count %d from the store", n)
		}
	}},
	{"a refusal changes nothing", func(s *session) {
		s.send(hall, write{Put: map[string][]byte{"k": []byte("before"), "gone": nil}})
		_, err := kv.Send[answered](s.ctx, s.co, hall, s.nextID(),
			write{Put: map[string][]byte{"k": []byte("after"), "new": nil}, Delete: []string{"gone"}, Then: "refuse"})
		if f := fault.Of(err); f == nil || f.Code != fault.Conflict || f.Field != "then" ||
			f.Message != "refused on request" {
			s.Errorf("got %v, want a refusal with code, field and message", err)
		}
		s.checkUnchanged()
	}},
	{"a failed command changes nothing", func(s *session) {
		s.send(hall, write{Put: map[string][]byte{"k": []byte("before"), "gone": nil}})
		id := s.nextID()
		reply, err := kv.Send[answered](s.ctx, s.co, hall, id,
			write{Put: map[string][]byte{"k": []byte("after"), "new": nil}, Delete: []string{"gone"}, Then: "fail"})
		if err == nil {
			s.Errorf("a failed command answers %v", reply)
		}
		s.checkUnchanged()
		// It did not run, so its identity can be used.
		s.sendAs(hall, id, write{Put: map[string][]byte{"k": []byte("repeated")}})
		if v := s.peek(hall, "k"); string(v.Value) != "repeated" {
			s.Errorf("the second delivery stored %q", v.Value)
		}
	}},
	{"a query cannot write", func(s *session) {
		s.send(hall, write{Put: map[string][]byte{"k": []byte("before")}})
		if _, err := kv.Ask[answered](s.ctx, s.co, hall, writingQuery{"k"}); err == nil {
			s.Errorf("a query that wrote was answered")
		}
		if v := s.peek(hall, "k"); string(v.Value) != "before" {
			s.Errorf("a query wrote %q", v.Value)
		}
	}},
	{"handlers cannot access stored replies", func(s *session) {
		s.add(hall, "known", 1)
		for _, key := range []string{"~reply/known", "~", "~sweep/x"} {
			if _, err := kv.Send[answered](s.ctx, s.co, hall, s.nextID(), putKey{key}); !fault.Is(err, fault.Invalid) {
				s.Errorf("writing %q: %v, want an Invalid refusal", key, err)
			}
			if s.peek(hall, key).Found {
				s.Errorf("a handler reads %q", key)
			}
		}
		if keys := s.keys(hall, "", "", 100); !slices.Equal(keys, []string{"count"}) {
			s.Errorf("a handler lists %q", keys)
		}
	}},
	{"unknown commands are errors", func(s *session) {
		if reply, err := s.co.Do(s.ctx, hall, kv.Envelope{ID: s.nextID(), Kind: "absent", Body: []byte("{}")}); err == nil {
			s.Errorf("an unknown command answers %v", reply)
		}
		if reply, err := s.co.Do(s.ctx, hall,
			kv.Envelope{ID: s.nextID(), Kind: "add", Body: []byte(`{"n":"x"}`)}); err == nil {
			s.Errorf("a malformed command answers %v", reply)
		}
		if n := s.count(hall); n != 0 {
			s.Errorf("counted %d", n)
		}
	}},
	{"commands run at the implementation's time", func(s *session) {
		before := s.Now()
		at, err := kv.Send[time.Time](s.ctx, s.co, hall, s.nextID(), clock{})
		s.ok(err)
		if after := s.Now(); at.Before(before.Add(-time.Second)) || at.After(after.Add(time.Second)) {
			s.Errorf("the command ran at %v, between %v and %v", at, before, after)
		}
	}},
}

func (s *session) checkUnchanged() {
	s.Helper()
	if v := s.peek(hall, "k"); string(v.Value) != "before" {
		s.Errorf("k is %q, want it unchanged", v.Value)
	}
	if keys := s.keys(hall, "", "", 100); !slices.Equal(keys, []string{"gone", "k"}) {
		s.Errorf("the object has %q, want gone and k unchanged", keys)
	}
}

func (s *session) sendAs(to kv.Object, id string, cmd kv.Command) {
	s.Helper()
	_, err := kv.Send[answered](s.ctx, s.co, to, id, cmd)
	s.ok(err)
}

func (s *session) send(to kv.Object, cmd kv.Command) {
	s.Helper()
	s.sendAs(to, s.nextID(), cmd)
}

func (s *session) add(to kv.Object, id string, n int) int {
	s.Helper()
	r, err := kv.Send[answered](s.ctx, s.co, to, id, add{n})
	s.ok(err)
	return r.N
}

func (s *session) peek(to kv.Object, key string) value {
	s.Helper()
	v, err := kv.Ask[value](s.ctx, s.co, to, get{key})
	s.ok(err)
	return v
}

func (s *session) keys(to kv.Object, prefix, after string, limit int) []string {
	s.Helper()
	found, err := kv.Ask[entries](s.ctx, s.co, to, list{prefix, after, limit})
	s.ok(err)
	return keysOf(found.Entries)
}

func (s *session) count(to kv.Object) int {
	s.Helper()
	v := s.peek(to, "count")
	n := 0
	if v.Found {
		if _, err := fmt.Sscan(string(v.Value), &n); err != nil {
			s.Fatalf("the count is %q", v.Value)
		}
	}
	return n
}
