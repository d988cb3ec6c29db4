package simulation_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/simulation"
)

var (
	seeds = flag.Int("seeds", 1000, "number of histories to run")
	from  = flag.Uint64("from", 0, "the first seed")
	all   = flag.Bool("all", false, "continue after a violation and list every failing seed")
	once  = flag.Bool("once", false, "skip the check that runs are reproducible")
	one   = flag.Int64("seed", -1, "run this seed only and print all events")
	small = flag.Int("shrink", 1_000_000, "number of steps to spend on shrinking a failure")
	only  = flag.String("only", "", "with -seed: the faults to keep, as a JSON list")
)

// figures sums up statistics of many histories.
type figures struct {
	mu      sync.Mutex
	next    uint64
	played  int
	steps   int
	virtual time.Duration
	faults  []int
	charges int
	pending int
	bad     []simulation.Result
}

func (f *figures) take(end uint64) (uint64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next >= end || len(f.bad) > 0 && !*all {
		return 0, false
	}
	f.next++
	return f.next - 1, true
}

func (f *figures) add(r simulation.Result) (played int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.played++
	f.steps += r.Steps
	f.virtual += r.Virtual
	f.faults = append(f.faults, len(r.Faults))
	f.charges += r.Charges
	f.pending += r.Attention
	if len(r.Violations) > 0 {
		f.bad = append(f.bad, r)
	}
	return f.played
}

func (f *figures) String() string {
	slices.Sort(f.faults)
	median := f.faults[len(f.faults)/2]
	return fmt.Sprintf("%d histories, %.0f virtual years, %d steps, %d charges, faults a history: median %d, least %d, most %d; %d groups need attention",
		f.played, f.virtual.Hours()/24/365.25, f.steps, f.charges, median, f.faults[0], f.faults[len(f.faults)-1], f.pending)
}

// No safety property is violated, regardless of faults, and at the end all
// liveness properties hold. A seed is a complete history: see the package
// documentation. Every fiftieth is run twice and has to produce the same trace.
func TestSeeds(t *testing.T) {
	if *one >= 0 {
		t.Skip("one seed is replayed")
	}
	n := *seeds
	if testing.Short() {
		n = min(n, 50)
	}
	f := &figures{next: *from}
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed, ok := f.take(*from + uint64(n)); ok; seed, ok = f.take(*from + uint64(n)) {
				play(t, f, seed)
			}
		})
	}
	wg.Wait()
	t.Log(f)
	if len(f.bad) > 0 && !*all {
		explain(t, f.bad[0])
	}
}

func play(t *testing.T, f *figures, seed uint64) {
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("seed %d: %v", seed, p))
		}
	}()
	r, err := simulation.Run(simulation.Plan{Seed: seed})
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return
	}
	if *all && len(r.Violations) > 0 {
		t.Errorf("seed %d breaks a promise: %v", seed, r.Violations)
	}
	if n := f.add(r); n%1000 == 0 {
		t.Logf("%d histories", n)
	}
	if *once || seed%50 != 0 {
		return
	}
	again, err := simulation.Run(simulation.Plan{Seed: seed})
	if err != nil || again.Trace != r.Trace || again.Steps != r.Steps {
		t.Errorf("seed %d is not reproducible: %d steps, then %d, %v", seed, r.Steps, again.Steps, err)
	}
}

// explain reports a failure with as few faults as possible.
func explain(t *testing.T, r simulation.Result) {
	t.Logf("seed %d breaks a promise: %v", r.Plan.Seed, r.Violations)
	plan, err := simulation.Shrink(r.Plan, *small)
	if err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	small, err := simulation.Replay(plan, &output)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(output.String(), "\n")
	left, err := json.Marshal(plan.Only)
	if err != nil {
		t.Fatal(err)
	}
	t.Errorf("seed %d breaks a promise: %v\nshrunk: %v with the faults %v\nreplay: go test ./internal/simulation -run TestReplay -v -seed %d -only '%s'\nend of the history:\n%s",
		r.Plan.Seed, r.Violations, small.Violations, small.Faults, plan.Seed, left, strings.Join(
			lines[max(0, len(lines)-60):], "\n"))
}

func TestReplay(t *testing.T) {
	if *one < 0 {
		t.Skip("-seed is not set")
	}
	plan := simulation.Plan{Seed: uint64(*one)}
	if *only != "" {
		if err := json.Unmarshal([]byte(*only), &plan.Only); err != nil {
			t.Fatal(err)
		}
	}
	r, err := simulation.Replay(plan, os.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) > 0 {
		t.Errorf("%v", r.Violations)
	}
}

// Plans that failed once are run every time.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var plan simulation.Plan
		if err := json.Unmarshal(b, &plan); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		r, err := simulation.Run(plan)
		if err != nil || len(r.Violations) > 0 {
			t.Errorf("%s: %v %v", file, r.Violations, err)
		}
	}
}
