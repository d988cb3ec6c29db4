// Package seed provides reproducible random numbers for tests.
package seed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variable is the environment variable that sets the seed of a run.
const Variable = "TEST_SEED"

// Rand returns a generator with a new seed, or with the one that Variable sets. The seed is
// logged, so that a failed test shows how to repeat it.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	n := rand.Uint64()
	if text := os.Getenv(Variable); text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s=%q: want a whole number", Variable, text)
		}
	}
	t.Logf("repeat with %s=%d", Variable, n)
	return rand.New(rand.NewPCG(n, 0))
}
