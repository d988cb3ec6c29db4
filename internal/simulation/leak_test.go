package simulation_test

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/pledgeworks/pledgeworks/internal/simulation"
)

// A history leaves no goroutines behind: thousands are run in one process, and
// each goroutine would keep its history in memory.
func TestRun_NoGoroutineLeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		for seed := range uint64(10) {
			if _, err := simulation.Run(simulation.Plan{Seed: seed}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait() // goroutines of net/http end shortly after their request
		if after := runtime.NumGoroutine(); after > before {
			t.Errorf("%d goroutines remain", after-before)
		}
	})
}
