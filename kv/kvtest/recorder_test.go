package kvtest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// recorder records the failures of the suite without failing the test.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Logf(string, ...any) {}

// failures runs the suite up to the first check that fails, and returns the check's name and
// failures.
func failures(t *testing.T, h Harness) []string {
	t.Helper()
	for _, a := range areas {
		for _, c := range a.checks {
			r := &recorder{TB: t}
			done := make(chan struct{})
			go func() { // Fatalf exits only this goroutine
				defer close(done)
				c.run(open(r, h))
			}()
			<-done
			if len(r.failures) > 0 {
				return append([]string{a.name + "/" + c.name}, r.failures...)
			}
		}
	}
	return nil
}

// fixture is a clock and the store of one harness.
type fixture struct {
	mu  sync.Mutex
	now time.Time
	db  *memkv.DB
}

func (w *fixture) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *fixture) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// wrappedHarness returns a harness over memkv, wrapped by wrap. It is durable, because
// Reopen returns the same memory.
func wrappedHarness(wrap func(*fixture, kv.Store, kv.Coordinator) (kv.Store, kv.Coordinator)) Harness {
	w := &fixture{now: time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)}
	return Harness{
		Open: func(_ testing.TB, classes ...*kv.Class) (kv.Store, kv.Coordinator) {
			w.db = memkv.New(memkv.Options{Now: w.Now, Classes: classes})
			return wrap(w, w.db.Store(""), w.db.Coordinator())
		},
		Reopen: func(testing.TB) (kv.Store, kv.Coordinator) {
			return wrap(w, w.db.Store(""), w.db.Coordinator())
		},
		Now:     w.Now,
		Advance: w.Advance,
	}
}

func TestRun_AcceptsCorrectImplementation(t *testing.T) {
	honest := wrappedHarness(func(_ *fixture, s kv.Store, co kv.Coordinator) (kv.Store, kv.Coordinator) { return s, co })
	if got := failures(t, honest); got != nil {
		t.Errorf("the suite fails a correct store: %q", got)
	}
	plain := wrappedHarness(func(_ *fixture, s kv.Store, co kv.Coordinator) (kv.Store, kv.Coordinator) {
		return &brokenStore{Store: s}, co
	})
	if got := failures(t, plain); got != nil {
		t.Errorf("the suite fails a store that is not an Incrementer: %q", got)
	}
}
