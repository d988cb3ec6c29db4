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

// recorder takes the complaints of the suite without failing the test.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	complain []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.complain = append(r.complain, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Logf(string, ...any) {}

// complaints runs the whole suite, until the first check that complains.
func complaints(t *testing.T, h Harness) []string {
	t.Helper()
	for _, a := range areas {
		for _, c := range a.checks {
			r := &recorder{TB: t}
			done := make(chan struct{})
			go func() { // Fatalf ends this goroutine alone
				defer close(done)
				c.run(open(r, h))
			}()
			<-done
			if len(r.complain) > 0 {
				return append([]string{a.name + "/" + c.name}, r.complain...)
			}
		}
	}
	return nil
}

// world is a clock and a store under it, for one harness.
type world struct {
	mu  sync.Mutex
	now time.Time
	db  *memkv.DB
}

func (w *world) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) Advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// lies returns a harness over memkv, seen through wrap. It is durable, in that
// reopening gives what is in memory.
func lies(wrap func(*world, kv.Store, kv.Coordinator) (kv.Store, kv.Coordinator)) Harness {
	w := &world{now: time.Date(2031, 5, 4, 3, 2, 1, 0, time.UTC)}
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

func TestTheHonestPass(t *testing.T) {
	honest := lies(func(_ *world, s kv.Store, co kv.Coordinator) (kv.Store, kv.Coordinator) { return s, co })
	if got := complaints(t, honest); got != nil {
		t.Errorf("the suite complains of an honest store: %q", got)
	}
	plain := lies(func(_ *world, s kv.Store, co kv.Coordinator) (kv.Store, kv.Coordinator) {
		return &lyingStore{Store: s}, co
	})
	if got := complaints(t, plain); got != nil {
		t.Errorf("the suite complains of a store that is no Incrementer: %q", got)
	}
}
