package kvtest

import (
	"bytes"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var badKeys = map[string]string{
	"empty": "", "too long": strings.Repeat("k", kv.MaxKey+1), "NUL": "a\x00b", "invalid UTF-8": "a\xffb",
}

var boundsChecks = []check{
	{"a batch with a bad write is refused as a whole", func(s *session) {
		bad := map[string]kv.Write{
			"long value":  kv.Put("v", make([]byte, kv.MaxValue+1)),
			"brief":       kv.PutUntil("e", nil, s.Now().Add(kv.MinLifetime-2*time.Second)),
			"expired":     kv.PutUntil("e", nil, s.Now().Add(-time.Hour)),
			"NUL deleted": kv.Delete("a\x00b"),
		}
		for name, key := range badKeys {
			bad[name] = kv.Put(key, []byte("v"))
		}
		for name, w := range bad {
			err := s.store.Apply(s.ctx, []kv.Write{kv.Put("before", nil), w, kv.Put("after", nil)})
			if !fault.Is(err, fault.Invalid) {
				s.Errorf("%s: %v, want an Invalid fault", name, err)
			}
		}
		s.settle()
		s.wantPages(kv.Query{}, nil)
	}},
	{"a bad key cannot be read", func(s *session) {
		for name, key := range badKeys {
			if _, err := s.store.Get(s.ctx, key); !fault.Is(err, fault.Invalid) {
				s.Errorf("%s: %v, want an Invalid fault", name, err)
			}
		}
	}},
	{"the largest value is stored", func(s *session) {
		most := kv.MaxValue
		if s.Holds > 0 {
			most = s.Holds
			s.Logf("not tested: values of more than %d bytes", most)
		}
		big := bytes.Repeat([]byte{7}, most)
		s.apply(kv.Put("big", big))
		got, err := s.store.Get(s.ctx, "big")
		s.ok(err)
		if !bytes.Equal(got, big) {
			s.Errorf("got %d bytes, want the %d written", len(got), len(big))
		}
	}},
	{"bad objects and identities are refused", func(s *session) {
		for _, o := range []kv.Object{
			{Class: "kvtest"}, {Name: "n"}, {Class: "absent", Name: "n"},
			{Class: "kvtest", Name: strings.Repeat("n", 401)}, {Class: "kvtest", Name: "a\x00b"},
			{Class: "kvtest", Name: "\xff"},
		} {
			if _, err := kv.Send[answered](s.ctx, s.co, o, s.nextID(), add{1}); err == nil {
				s.Errorf("a command to %.40q ran", o)
			}
		}
		for _, id := range []string{"", strings.Repeat("i", 201), "a\x00b", "\xff"} {
			if _, err := s.co.Do(s.ctx, hall, kv.Envelope{ID: id, Kind: "add", Body: []byte(`{"n":1}`)}); err == nil {
				s.Errorf("the identity %.40q was accepted", id)
			}
		}
		if n := s.count(hall); n != 0 {
			s.Errorf("refused commands changed the count to %d", n)
		}
	}},
	{"objects are identified by their whole name", func(s *session) {
		names := []string{"a", "A", "a/b", "a%", "a_", "é", "e\u0301", " ", "日本", strings.Repeat("n", 400)}
		for i, name := range names {
			s.add(kv.Object{Class: "kvtest", Name: name}, s.nextID(), i+1)
			s.add(kv.Object{Class: "kvtest-twin", Name: name}, s.nextID(), 100+i)
		}
		for i, name := range names {
			if n := s.count(kv.Object{Class: "kvtest", Name: name}); n != i+1 {
				s.Errorf("object %.20q counts %d, want %d", name, n, i+1)
			}
			if n := s.count(kv.Object{Class: "kvtest-twin", Name: name}); n != 100+i {
				s.Errorf("twin %.20q counts %d, want %d", name, n, 100+i)
			}
		}
	}},
	{"hostile keys and values in an object", func(s *session) {
		w := write{Put: map[string][]byte{}}
		for _, key := range hostileKeys {
			if !strings.HasPrefix(key, "~") {
				w.Put[key] = []byte(key)
			}
		}
		for i, v := range hostileValues() {
			w.Put["v"+strings.Repeat("v", i)] = v
		}
		s.send(hall, w)
		for key, v := range w.Put {
			got := s.peek(hall, key)
			if !got.Found || !bytes.Equal(got.Value, v) {
				s.Errorf("%.40q holds %.40q, want %.40q", key, got.Value, v)
			}
		}
	}},
}
