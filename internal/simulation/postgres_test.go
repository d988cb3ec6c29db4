package simulation_test

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/internal/simulation"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/postgreskv"
)

var onPostgres = flag.Int("postgres", 10, "number of histories to run on PostgreSQL")

func TestMain(m *testing.M) {
	debug.SetGCPercent(1000) // histories mostly produce garbage, and collecting it would take most of the time
	os.Exit(cluster.Main(m))
}

// Runs some of the histories on a real database, with separate connections and
// caches per server.
func TestSeedsOnPostgres(t *testing.T) {
	if *one >= 0 {
		t.Skip("one seed is replayed")
	}
	n := *onPostgres
	if testing.Short() {
		n = min(n, 1)
	}
	f := &figures{next: *from}
	for seed, ok := f.take(*from + uint64(n)); ok; seed, ok = f.take(*from + uint64(n)) {
		r, err := simulation.RunOn(simulation.Plan{Seed: seed}, postgres(t))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		f.add(r)
	}
	t.Log(f)
	for _, r := range f.bad {
		t.Errorf("seed %d breaks a promise on PostgreSQL: %v with the faults %v", r.Plan.Seed, r.Violations, r.Faults)
	}
}

// postgres returns an Opener for an empty database.
func postgres(t *testing.T) simulation.Opener {
	t.Helper()
	url := cluster.Database(t)
	return func(now func() time.Time, classes []*kv.Class) (simulation.Storage, error) {
		db, err := postgreskv.Open(t.Context(), url, postgreskv.Options{Now: now, Classes: classes, Connections: 4})
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return storage{db}, nil
	}
}

type storage struct{ *postgreskv.DB }

func (s storage) Store(namespace string) kv.Store { return s.DB.Store(namespace) }
func (s storage) Coordinator() kv.Coordinator     { return s.DB.Coordinator() }
