package kvtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/kv"
)

var listChecks = []check{
	{"byte order", func(s *session) {
		var batch []kv.Write
		for _, key := range hostileKeys {
			batch = append(batch, kv.Put(key, []byte(key)))
		}
		slices.Reverse(batch)
		s.apply(batch...)
		want := slices.Sorted(slices.Values(hostileKeys))
		for _, limit := range []int{0, 1, 2, 7, len(want), len(want) + 1} {
			s.wantPages(kv.Query{Limit: limit}, want)
		}
	}},
	{"prefixes are bytes, not patterns", func(s *session) {
		var batch []kv.Write
		for _, key := range hostileKeys {
			batch = append(batch, kv.Put(key, []byte(key)))
		}
		s.apply(batch...)
		for _, prefix := range append([]string{"", "absent", "A", "a", "~"}, hostileKeys...) {
			var want []string
			for _, key := range slices.Sorted(slices.Values(hostileKeys)) {
				if strings.HasPrefix(key, prefix) {
					want = append(want, key)
				}
			}
			s.wantPages(kv.Query{Prefix: prefix, Limit: 3}, want)
		}
	}},
	{"the last page is followed by none", func(s *session) {
		s.apply(kv.Put("a", nil), kv.Put("b", nil))
		s.wantPages(kv.Query{Limit: 2}, []string{"a", "b"})
		s.wantPages(kv.Query{Prefix: "c", Limit: 2}, nil)
	}},
	{"an invalid limit is MaxPage", func(s *session) {
		want := s.fill(kv.MaxPage + 5)
		for _, limit := range []int{0, -1, kv.MaxPage + 1} {
			// with the values once only, because some hosts need a request for each
			page, err := s.store.List(s.ctx, kv.Query{Prefix: "k/", Limit: limit, KeysOnly: limit >= 0})
			s.ok(err)
			if len(page.Entries) != kv.MaxPage || page.Next == "" {
				s.Errorf("limit %d: %d entries, next %q, want %d and another page", limit, len(page.Entries), page.Next, kv.MaxPage)
			}
		}
		s.wantPages(kv.Query{Prefix: "k/"}, want)
	}},
	{"KeysOnly omits the values", func(s *session) {
		s.apply(kv.Put("k", []byte("v")))
		page, err := s.store.List(s.ctx, kv.Query{KeysOnly: true})
		s.ok(err)
		if len(page.Entries) != 1 || page.Entries[0].Key != "k" || len(page.Entries[0].Value) != 0 {
			s.Errorf("got %q, want the key k without a value", page.Entries)
		}
	}},
	{"thousands of keys under a prefix", func(s *session) {
		s.apply(kv.Put("a", nil), kv.Put("k0", nil), kv.Put("z", nil))
		want := s.fill(s.Keys)
		s.wantPages(kv.Query{Prefix: "k/", KeysOnly: true}, want)
		last := want[len(want)-10:]
		s.wantPages(kv.Query{Prefix: last[0][:len(last[0])-1]}, last)
	}},
	{"a walk is stable under concurrent writes", func(s *session) {
		stay := s.fill(60)
		q := kv.Query{Prefix: "k/", Limit: 7}
		var seen []string
		for step := 0; ; step++ {
			page, err := s.store.List(s.ctx, q)
			s.ok(err)
			seen = append(seen, keysOf(page.Entries)...)
			if page.Next == "" {
				break
			}
			if step > 100 {
				s.Fatalf("the walk does not end")
			}
			q.Cursor = page.Next
			// Keys before and after the cursor are added and deleted, and the last one seen is
			// rewritten.
			early, late := fmt.Sprintf("k/0%03d-new", step), fmt.Sprintf("k/%05d-new", 59-step%10)
			s.apply(kv.Put(early, nil), kv.Put(late, nil), kv.Delete(fmt.Sprintf("k/%05d-new", 58-step%10)),
				kv.Put(seen[len(seen)-1], []byte("again")))
		}
		for _, key := range stay {
			if n := countOf(seen, key); n != 1 {
				s.Errorf("%q was present during the walk but was returned %d times", key, n)
			}
		}
		if !slices.IsSorted(seen) {
			s.Errorf("the walk is out of order: %q", seen)
		}
	}},
	{"a cursor survives the deletion of its key", func(s *session) {
		want := s.fill(9)
		page, err := s.store.List(s.ctx, kv.Query{Prefix: "k/", Limit: 3})
		s.ok(err)
		s.apply(kv.Delete(want[2]))
		rest, err := s.store.List(s.ctx, kv.Query{Prefix: "k/", Cursor: page.Next})
		s.ok(err)
		if got := keysOf(rest.Entries); !slices.Equal(got, want[3:]) {
			s.Errorf("after the deletion: %q, want %q", got, want[3:])
		}
	}},
}

// fill writes n keys and returns them in order.
func (s *session) fill(n int) []string {
	s.Helper()
	keys := make([]string, n)
	var batch []kv.Write
	for i := range keys {
		keys[i] = fmt.Sprintf("k/%05d", i)
		batch = append(batch, kv.Put(keys[i], []byte(keys[i])))
	}
	for chunk := range slices.Chunk(batch, 500) {
		s.ok(s.store.Apply(s.ctx, chunk))
	}
	s.settle()
	return keys
}

// wantPages lists q page by page and checks that the keys are want. Values written by the suite
// equal their keys and are checked too.
func (s *session) wantPages(q kv.Query, want []string) {
	s.Helper()
	var got []string
	for pages := 0; ; pages++ {
		page, err := s.store.List(s.ctx, q)
		s.ok(err)
		if q.Limit > 0 && len(page.Entries) > q.Limit {
			s.Errorf("%d entries, more than the limit %d", len(page.Entries), q.Limit)
		}
		for _, e := range page.Entries {
			if len(e.Value) > 0 && string(e.Value) != e.Key {
				s.Errorf("%.40q has the value of another key: %.40q", e.Key, e.Value)
			}
		}
		got = append(got, keysOf(page.Entries)...)
		if page.Next == "" {
			break
		}
		if pages > len(want)+1 {
			s.Fatalf("listing %.40q does not end", q.Prefix)
		}
		q.Cursor = page.Next
	}
	if !slices.Equal(got, want) {
		s.Errorf("listing %.40q with limit %d: %d keys %.200q, want %d keys %.200q", q.Prefix,
			q.Limit, len(got), got, len(want), want)
	}
}

func keysOf(entries []kv.Entry) []string {
	var keys []string
	for _, e := range entries {
		keys = append(keys, e.Key)
	}
	return keys
}

func countOf(keys []string, key string) (n int) {
	for _, k := range keys {
		if k == key {
			n++
		}
	}
	return n
}
