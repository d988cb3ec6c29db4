package seed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/internal/seed"
)

// recorder is a testing.TB that records its log and failure.
type recorder struct {
	testing.TB
	log    string
	failed bool
}

func (*recorder) Helper() {}

func (r *recorder) Logf(format string, args ...any) { r.log += fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = true
	r.Logf(format, args...)
}

func TestRand_RepeatsTheLoggedSeed(t *testing.T) {
	t.Setenv(seed.Variable, "")
	first, second := &recorder{TB: t}, &recorder{TB: t}
	a, other := seed.Rand(first).Uint64(), seed.Rand(second).Uint64()
	if a == other || first.log == second.log {
		t.Errorf("two runs have the same seed: %s", first.log)
	}
	_, setting, _ := strings.Cut(first.log, "repeat with ")
	name, value, _ := strings.Cut(setting, "=")
	t.Setenv(name, value)
	again := &recorder{TB: t}
	if b := seed.Rand(again).Uint64(); a != b || again.log != first.log {
		t.Errorf("%s gives %d, want %d", again.log, b, a)
	}
}

func TestRand_InvalidSetting(t *testing.T) {
	t.Setenv(seed.Variable, "0x7")
	r := &recorder{TB: t}
	seed.Rand(r)
	if !r.failed || !strings.Contains(r.log, seed.Variable) {
		t.Errorf("answered %q", r.log)
	}
}
