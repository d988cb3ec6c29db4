package postgreskv

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Jobs with a contended lock get their own transaction, all others share one, and jobs
// whose lock is held by another transaction wait. A dash is a job without a lock.
func TestPick_SharesTransactions(t *testing.T) {
	for name, tt := range map[string]struct{ waiting, busy, batch, rest string }{
		"no jobs":                 {},
		"strangers":               {waiting: "a b c", batch: "a b c"},
		"no lock":                 {waiting: "- - a -", batch: "- - a -"},
		"crowded":                 {waiting: "a a b a", batch: "a a a", rest: "b"},
		"contended later":         {waiting: "b a c a", batch: "b c", rest: "a a"},
		"two contended locks":     {waiting: "a b b a", batch: "a a", rest: "b b"},
		"contended, then no lock": {waiting: "a a -", batch: "a a", rest: "-"},
		"no lock, then contended": {waiting: "- a a -", batch: "- -", rest: "a a"},
		"busy":                    {waiting: "a b", busy: "a", batch: "b", rest: "a"},
		"all busy":                {waiting: "a b a", busy: "a b", rest: "a b a"},
		"busy and contended":      {waiting: "a a b c", busy: "a", batch: "b c", rest: "a a"},
		"contended after busy":    {waiting: "a b b c", busy: "a", batch: "b b", rest: "a c"},
	} {
		busy := map[lockKey]bool{}
		for l := range strings.FieldsSeq(tt.busy) {
			busy[lockKey{key: l}] = true
		}
		batch, rest := pick(jobsOf(tt.waiting), busy)
		if diff := cmp.Diff([]string{tt.batch, tt.rest}, []string{keysOf(batch), keysOf(rest)}); diff != "" {
			t.Errorf("%s: batch and rest (-want +got):\n%s", name, diff)
		}
		for _, u := range batch {
			if !u.lockKey.isZero() && !busy[u.lockKey] {
				t.Errorf("%s: %s is not marked busy", name, u.lockKey.key)
			}
		}
	}
}

// A transaction has at most maxBatch jobs, even if all wait for one lock.
func TestPick_LimitsBatch(t *testing.T) {
	for _, l := range []string{"- ", "a "} {
		batch, rest := pick(jobsOf(strings.Repeat(l, maxBatch+2)), map[lockKey]bool{})
		if len(batch) != maxBatch || len(rest) != 2 {
			t.Errorf("%s: %d in the batch and %d left", l, len(batch), len(rest))
		}
	}
}

func jobsOf(locks string) (jobs []*job) {
	for l := range strings.FieldsSeq(locks) {
		jobs = append(jobs, &job{lockKey: lockKey{key: strings.Trim(l, "-")}})
	}
	return jobs
}

func keysOf(jobs []*job) string {
	var locks []string
	for _, u := range jobs {
		l := u.lockKey.key
		if u.lockKey.isZero() {
			l = "-"
		}
		locks = append(locks, l)
	}
	return strings.Join(locks, " ")
}

// Transactions use at most half of the cores, and at least one runs.
func TestGroups_LeavesCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for cores := 1; cores <= 8; cores++ {
		runtime.GOMAXPROCS(cores)
		if n := groups(); n < 1 || n > max(1, cores/2) {
			t.Errorf("%d transactions on %d cores", n, cores)
		}
	}
}

// Reads are prefetched if several jobs wait for the object or another server has
// changed it; otherwise they are cached.
func TestPrefetch_ContendedObjects(t *testing.T) {
	c := &cache{}
	tx := &transaction{cache: c, states: map[kv.Object]*state{}, jobs: map[lockKey][]*job{}}
	object := func(name string, jobs int) {
		o := kv.Object{Class: "campaign", Name: name}
		tx.states[o] = nil
		for range jobs {
			l := lockKey{object: o}
			tx.jobs[l] = append(tx.jobs[l], &job{lockKey: l, run: func(s *scope) error {
				_, err := s.state.Get("k")
				return err
			}})
		}
	}
	for n := range 20 {
		object(fmt.Sprintf("ours%d", n), 1)
	}
	for n := range 3 {
		object(fmt.Sprintf("crowded%d", n), 2)
	}
	object("moved", 1)
	moved := kv.Object{Class: "campaign", Name: "moved"}
	c.update(moved, 1, 2, nil)
	c.update(moved, 5, 6, nil)
	var got []string
	for _, w := range tx.prefetch() {
		got = append(got, w.object.Name+"/"+w.key)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"crowded0/k", "crowded1/k", "crowded2/k", "moved/k"}, got); diff != "" {
		t.Errorf("prefetched reads (-want +got):\n%s", diff)
	}
}

// tally is a command that counts itself.
type tally struct{}

func (tally) Kind() string { return "tally" }

// A server's own writes are cached and not treated as another server's.
func TestCache_OwnChanges(t *testing.T) {
	class := kv.NewClass("campaign")
	kv.On(class, func(tx kv.Tx, _ time.Time, _ tally) (int, error) {
		n, _, err := kv.Load[int](tx, "n")
		if err != nil {
			return 0, err
		}
		return n + 1, kv.PutValue(tx, "n", n+1)
	})
	db, err := Open(t.Context(), cluster.Database(t), Options{Now: time.Now, Classes: []*kv.Class{class}, Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	o := kv.Object{Class: "campaign", Name: "film"}
	for n := range 3 {
		_, err := db.Coordinator().Do(t.Context(), o,
			kv.Envelope{ID: fmt.Sprint(n), Kind: "tally", Body: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		if v := db.cache.Load().lastKnown(o, "n"); string(v) != fmt.Sprint(n+1) {
			t.Errorf("after %d commands the cached value is %s", n+1, v)
		}
		if db.cache.Load().shared(o) {
			t.Errorf("after %d commands the object is treated as changed by another server", n+1)
		}
	}
}

// If the database rejects one job of a transaction, the others are written, and only
// its own caller gets the error.
func TestCarryOut_OneJobFails(t *testing.T) {
	db, err := Open(t.Context(), cluster.Database(t), Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var batch []*job
	for _, key := range []string{"first", "no\x00key", "last"} { // CheckBatch would reject the NUL
		batch = append(batch, &job{once: true, done: make(chan struct{}), run: func(s *scope) error {
			s.tx.put("S", kv.Put(key, []byte("v")))
			return nil
		}})
	}
	db.carryOut(batch)
	var failed []bool
	for _, u := range batch {
		<-u.done
		failed = append(failed, fault.Is(u.err, fault.Unavailable))
	}
	if diff := cmp.Diff([]bool{false, true, false}, failed); diff != "" {
		t.Errorf("callers that got an error (-want +got):\n%s", diff)
	}
	for _, key := range []string{"first", "last"} {
		if _, err := db.Store("S").Get(t.Context(), key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}
