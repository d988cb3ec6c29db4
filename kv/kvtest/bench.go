//go:build !js

package kvtest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pledgeworks/pledgeworks/kv"
)

// Bench measures an implementation: reads, and durable writes and commands with 1 and
// 64 concurrent callers.
func Bench(b *testing.B, h Harness) {
	b.Run("get", func(b *testing.B) {
		s := open(b, h)
		s.fill(1000)
		b.ResetTimer()
		for i := range b.N {
			_, err := s.store.Get(s.ctx, fmt.Sprintf("k/%05d", i%1000))
			s.ok(err)
		}
	})
	b.Run("list100", func(b *testing.B) {
		s := open(b, h)
		s.fill(10_000)
		b.ResetTimer()
		for i := range b.N {
			_, err := s.store.List(s.ctx, kv.Query{Prefix: fmt.Sprintf("k/%03d", i%100)})
			s.ok(err)
		}
	})
	b.Run("query", func(b *testing.B) {
		s := open(b, h)
		s.add(hall, "first", 1)
		b.ResetTimer()
		for range b.N {
			s.peek(hall, "count")
		}
	})
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("apply/writers=%d", writers), func(b *testing.B) {
			s := open(b, h)
			s.crowd(b, writers, func(i int64) error {
				return s.store.Apply(s.ctx, []kv.Write{kv.Put(fmt.Sprintf("k/%09d", i), []byte("a value of typical record length"))})
			})
		})
		b.Run(fmt.Sprintf("do/writers=%d", writers), func(b *testing.B) {
			s := open(b, h)
			s.crowd(b, writers, func(i int64) error {
				_, err := kv.Send[answered](s.ctx, s.co, kv.Object{Class: "kvtest", Name: fmt.Sprint("o-", i%1000)}, fmt.Sprint("id-", i), add{1})
				return err
			})
		})
	}
	b.Run("do/writers=64/one-object", func(b *testing.B) {
		s := open(b, h)
		s.crowd(b, 64, func(i int64) error {
			_, err := kv.Send[answered](s.ctx, s.co, hall, fmt.Sprint("id-", i), add{1})
			return err
		})
	})
}

// crowd spreads b.N calls over concurrent writers.
func (s *session) crowd(b *testing.B, writers int, fn func(i int64) error) {
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for range writers {
		all.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				if err := fn(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}
