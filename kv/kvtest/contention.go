package kvtest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const crowd = 100

var contentionChecks = []check{
	{"commands to one object never overlap", func(s *session) {
		answers := make([]int, crowd)
		s.runConcurrently(func(i int) error {
			r, err := kv.Send[answered](s.ctx, s.co, hall, fmt.Sprint("add-", i), add{1})
			answers[i] = r.N
			return err
		})
		slices.Sort(answers)
		for i, n := range answers {
			if n != i+1 {
				s.Fatalf("the answers are not exactly 1 to %d: %v", crowd, answers)
			}
		}
	}},
	{"the last unit goes to one of a hundred callers", func(s *session) {
		s.send(hall, stock{1})
		won := make([]bool, crowd)
		s.runConcurrently(func(i int) error {
			_, err := kv.Send[answered](s.ctx, s.co, hall, fmt.Sprint("take-", i), take{})
			won[i] = err == nil
			if fault.Is(err, fault.SoldOut) {
				return nil
			}
			return err
		})
		winners := 0
		for _, w := range won {
			if w {
				winners++
			}
		}
		if winners != 1 {
			s.Errorf("%d of %d took the last unit", winners, crowd)
		}
	}},
	{"a command delivered a hundred times at once runs once", func(s *session) {
		s.runConcurrently(func(int) error {
			r, err := kv.Send[answered](s.ctx, s.co, hall, "same", add{1})
			if err == nil && r.N != 1 {
				return fmt.Errorf("answered %d, want 1", r.N)
			}
			return err
		})
		if n := s.count(hall); n != 1 {
			s.Errorf("counted %d, want 1", n)
		}
	}},
	{"objects do not affect each other", func(s *session) {
		object := func(i int) kv.Object { return kv.Object{Class: "kvtest", Name: fmt.Sprint("hall-", i%10)} }
		s.runConcurrently(func(i int) error {
			var err error
			switch i % 3 {
			case 0: // every third command fails or is refused and must not affect the others
				_, err = kv.Send[answered](s.ctx, s.co, object(i), fmt.Sprint("bad-", i),
					write{Put: map[string][]byte{"count": []byte("999")}, Then: []string{"fail", "refuse"}[i%2]})
				if err == nil {
					return fmt.Errorf("command %d succeeded, want an error", i)
				}
				return nil
			default:
				_, err = kv.Send[answered](s.ctx, s.co, object(i), fmt.Sprint("add-", i), add{1})
			}
			return err
		})
		want := map[kv.Object]int{}
		for i := range crowd {
			if i%3 != 0 {
				want[object(i)]++
			}
		}
		for o, n := range want {
			if got := s.count(o); got != n {
				s.Errorf("%s counts %d, want %d", o.Name, got, n)
			}
		}
	}},
	{"concurrent batches are all applied", func(s *session) {
		s.runConcurrently(func(i int) error {
			var batch []kv.Write
			for j := range 5 {
				batch = append(batch, kv.Put(fmt.Sprintf("k/%03d/%d", i, j), nil))
			}
			return s.store.Apply(s.ctx, batch)
		})
		s.settle()
		page, err := s.store.List(s.ctx, kv.Query{Prefix: "k/"})
		s.ok(err)
		if len(page.Entries) != 5*crowd {
			s.Errorf("%d entries, want %d", len(page.Entries), 5*crowd)
		}
	}},
}

// runConcurrently calls fn concurrently, crowd times, and reports every error.
func (s *session) runConcurrently(fn func(i int) error) {
	s.Helper()
	errs := make([]error, crowd)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range crowd {
		all.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	all.Wait()
	for i, err := range errs {
		if err != nil {
			s.Errorf("caller %d: %v", i, err)
		}
	}
}
