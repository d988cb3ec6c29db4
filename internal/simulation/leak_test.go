package simulation_test

import (
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/pledgeworks/pledgeworks/internal/simulation"
)

// A history leaves nothing behind: thousands are played in one program, and what each left
// would hold its whole world.
func TestNothingIsLeftOfAHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		for seed := range uint64(10) {
			if _, err := simulation.Run(simulation.Plan{Seed: seed}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait() // those of net/http end a little after their request
		if after := runtime.NumGoroutine(); after > before {
			t.Errorf("%d goroutines are left", after-before)
		}
	})
}
