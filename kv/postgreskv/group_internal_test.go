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

// A lane that several wait for has a transaction of its own, all else goes together, and
// what another transaction is at waits for it. A dash is a unit without a lane.
func TestWhoSharesATransaction(t *testing.T) {
	for name, tt := range map[string]struct{ waiting, busy, batch, rest string }{
		"nobody":                {},
		"strangers":             {waiting: "a b c", batch: "a b c"},
		"nobody's lane":         {waiting: "- - a -", batch: "- - a -"},
		"crowded":               {waiting: "a a b a", batch: "a a a", rest: "b"},
		"crowded later":         {waiting: "b a c a", batch: "b c", rest: "a a"},
		"two crowds":            {waiting: "a b b a", batch: "a a", rest: "b b"},
		"crowded and nobody's":  {waiting: "a a -", batch: "a a", rest: "-"},
		"nobody's and crowded":  {waiting: "- a a -", batch: "- -", rest: "a a"},
		"busy":                  {waiting: "a b", busy: "a", batch: "b", rest: "a"},
		"all busy":              {waiting: "a b a", busy: "a b", rest: "a b a"},
		"a busy crowd":          {waiting: "a a b c", busy: "a", batch: "b c", rest: "a a"},
		"a crowd behind a busy": {waiting: "a b b c", busy: "a", batch: "b b", rest: "a c"},
	} {
		busy := map[lane]bool{}
		for _, l := range strings.Fields(tt.busy) {
			busy[lane{key: l}] = true
		}
		batch, rest := pick(unitsOf(tt.waiting), busy)
		if diff := cmp.Diff([]string{tt.batch, tt.rest}, []string{lanesOf(batch), lanesOf(rest)}); diff != "" {
			t.Errorf("%s: the batch and the rest (-want +got):\n%s", name, diff)
		}
		for _, u := range batch {
			if !u.lane.free() && !busy[u.lane] {
				t.Errorf("%s: %s is not busy", name, u.lane.key)
			}
		}
	}
}

// One transaction takes no more than it may, also of a lane that all wait for.
func TestATransactionHasItsMost(t *testing.T) {
	for _, l := range []string{"- ", "a "} {
		batch, rest := pick(unitsOf(strings.Repeat(l, mostTogether+2)), map[lane]bool{})
		if len(batch) != mostTogether || len(rest) != 2 {
			t.Errorf("%s: %d together and %d left", l, len(batch), len(rest))
		}
	}
}

func unitsOf(lanes string) (units []*unit) {
	for _, l := range strings.Fields(lanes) {
		units = append(units, &unit{lane: lane{key: strings.Trim(l, "-")}})
	}
	return units
}

func lanesOf(units []*unit) string {
	var lanes []string
	for _, u := range units {
		l := u.lane.key
		if u.lane.free() {
			l = "-"
		}
		lanes = append(lanes, l)
	}
	return strings.Join(lanes, " ")
}

// A server's transactions leave half of its cores to what else it does, and there is
// always one.
func TestTransactionsLeaveCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for cores := 1; cores <= 8; cores++ {
		runtime.GOMAXPROCS(cores)
		if n := groups(); n < 1 || n > max(1, cores/2) {
			t.Errorf("%d at a time on %d cores", n, cores)
		}
	}
}

// What a command will read comes with the lock if others wait for the object, or another
// server has changed it; of one's own it is remembered already.
func TestWhatComesWithTheLock(t *testing.T) {
	c := &cache{}
	tx := &transaction{cache: c, states: map[kv.Object]*state{}, units: map[lane][]*unit{}}
	object := func(name string, units int) {
		o := kv.Object{Class: "campaign", Name: name}
		tx.states[o] = nil
		for range units {
			l := lane{object: o}
			tx.units[l] = append(tx.units[l], &unit{lane: l, run: func(s *scope) error {
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
	c.note(moved, 1, 2, nil)
	c.note(moved, 5, 6, nil)
	var got []string
	for _, w := range tx.foresee() {
		got = append(got, w.object.Name+"/"+w.key)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"crowded0/k", "crowded1/k", "crowded2/k", "moved/k"}, got); diff != "" {
		t.Errorf("it reads (-want +got):\n%s", diff)
	}
}

// tally is a command that counts itself.
type tally struct{}

func (tally) Kind() string { return "tally" }

// What this server has written it remembers, and does not take for another server's.
func TestOneServersOwnChanges(t *testing.T) {
	class := kv.NewClass("campaign")
	kv.On(class, func(tx kv.Tx, _ time.Time, _ tally) (int, error) {
		n, _, err := kv.Load[int](tx, "n")
		if err != nil {
			return 0, err
		}
		return n + 1, kv.Keep(tx, "n", n+1)
	})
	db, err := Open(t.Context(), cluster.Database(t), Options{Now: time.Now, Classes: []*kv.Class{class}, Connections: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	o := kv.Object{Class: "campaign", Name: "film"}
	for n := range 3 {
		_, err := db.Coordinator().Do(t.Context(), o, kv.Envelope{ID: fmt.Sprint(n), Kind: "tally", Body: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		if v := db.cache.Load().old(o, "n"); string(v) != fmt.Sprint(n+1) {
			t.Errorf("after %d commands it remembers %s", n+1, v)
		}
		if db.cache.Load().shared(o) {
			t.Errorf("after %d commands it is taken for one that another server has changed", n+1)
		}
	}
}

// What the database refuses for one keeps no other of the same transaction from being
// written, and is told to its own caller.
func TestOneAtFaultInATransaction(t *testing.T) {
	db, err := Open(t.Context(), cluster.Database(t), Options{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var batch []*unit
	for _, key := range []string{"first", "no\x00key", "last"} { // which no caller gets past CheckBatch
		batch = append(batch, &unit{once: true, done: make(chan struct{}), run: func(s *scope) error {
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
		t.Errorf("who was told of a failure (-want +got):\n%s", diff)
	}
	for _, key := range []string{"first", "last"} {
		if _, err := db.Store("S").Get(t.Context(), key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}
