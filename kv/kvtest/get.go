package kvtest

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

var getChecks = []check{
	{"an absent key is NotFound", func(s *session) {
		s.absent("nothing")
	}},
	{"a value is read back", func(s *session) {
		s.apply(kv.Put("k", []byte("one")))
		s.holds("k", "one")
		s.apply(kv.Put("k", []byte("two")))
		s.holds("k", "two")
		s.apply(kv.Delete("k"))
		s.absent("k")
	}},
	{"hostile keys and values", func(s *session) {
		var batch []kv.Write
		for _, key := range hostileKeys {
			batch = append(batch, kv.Put(key, []byte("of "+key)))
		}
		s.apply(batch...)
		for _, key := range hostileKeys {
			s.holds(key, "of "+key)
		}
		for _, v := range hostileValues() {
			s.apply(kv.Put("v", v))
			s.holds("v", string(v))
		}
	}},
	{"values are copied", func(s *session) {
		given := []byte("mine")
		s.apply(kv.Put("k", given))
		copy(given, "XXXX")
		s.holds("k", "mine")
		got, err := s.store.Get(s.ctx, "k")
		s.ok(err)
		copy(got, "YYYY")
		page, err := s.store.List(s.ctx, kv.Query{})
		s.ok(err)
		copy(page.Entries[0].Value, "ZZZZ")
		s.holds("k", "mine")
	}},
	{"a canceled call returns an error", func(s *session) {
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		if _, err := s.store.Get(ctx, "k"); !errors.Is(err, context.Canceled) {
			s.Errorf("Get: %v, want context.Canceled", err)
		}
	}},
}

// hostileKeys is in byte order.
var hostileKeys = []string{
	"\t", " ", " /", "%", "%%", "'; DROP TABLE store; --", "*", "../..", "A", "A%", "A_", "A__", "AB",
	"[a-z]", "\\", "_", "a", "a*", "a/", "a?", "aB", "a\nb", "aa", strings.Repeat("k", kv.MaxKey),
	"~", "~reply/x", "\x7f", "é", "e\u0301", "日本", "😀", "\U0010ffff",
}

func hostileValues() [][]byte {
	return [][]byte{{}, {0}, []byte("\x00after"), []byte("\xff\xfe\x00\x80"), []byte("null"),
		bytes.Repeat([]byte{0, 1, 2, 255}, 300_000)}
}

func (s *session) holds(key, want string) {
	s.Helper()
	v, err := s.store.Get(s.ctx, key)
	if err != nil {
		s.Errorf("Get(%.40q): %v", key, err)
		return
	}
	if v == nil || string(v) != want {
		s.Errorf("Get(%.40q) = %.40q (%d bytes), want %.40q (%d bytes)", key, v, len(v), want, len(want))
	}
}

func (s *session) absent(key string) {
	s.Helper()
	if v, err := s.store.Get(s.ctx, key); !fault.Is(err, fault.NotFound) {
		s.Errorf("Get(%.40q) = %.40q, %v, want a NotFound fault", key, v, err)
	}
}
