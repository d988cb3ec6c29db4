package switches

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSwitches_Active(t *testing.T) {
	yes := func() bool { return true }
	no := func() bool { return false }
	tests := []struct {
		name                    string
		value                   func() any
		inactive, first, second any // with no active mutant, with 1, and with 2
	}{
		{"not", func() any { return mutantNot(1, true) }, true, false, true},
		{"and", func() any { return mutantAnd(1, false, yes) }, false, true, false},
		{"or", func() any { return mutantOr(1, true, no) }, true, false, true},
		{"less", func() any { return mutantLess(1, 2, 3, 3) }, false, true, true},
		{"less, below", func() any { return mutantLess(1, 2, 2, 3) }, true, true, false},
		{"less or equal", func() any { return mutantLessOrEqual(1, 2, "a", "a") }, true, false, false},
		{"greater", func() any { return mutantGreater(1, 2, 3, 3) }, false, true, true},
		{"greater or equal", func() any { return mutantGreaterOrEqual(1, 2, 3, 3) }, true, false, false},
		{"add", func() any { return mutantAdd(1, 7, 2) }, 9, 5, 9},
		{"subtract", func() any { return mutantSubtract(1, 7, 2) }, 5, 9, 5},
		{"multiply", func() any { return mutantMultiply(1, 7.0, 2) }, 14.0, 3.5, 14.0},
		{"divide", func() any { return mutantDivide(1, 7, 2) }, 3, 14, 3},
		{"remainder", func() any { return mutantRemainder(1, 7, 2) }, 1, 14, 1},
		{"minus", func() any { return mutantMinus(1, 7) }, -7, 7, -7},
		{"plus", func() any { return mutantPlus(1, 7) }, 7, -7, 7},
		{"step", func() any { return 7 + mutantStep(1, 7) }, 8, 6, 8},
		{"step of an unsigned value", func() any { return 7 - mutantStep(1, uint8(7)) }, uint8(6), uint8(8), uint8(6)},
		{"assign a sum", func() any { return mutantAssignAdd(1, 2, 7, 2) }, 9, 5, 2},
		{"assign a difference", func() any { return mutantAssignSubtract(1, 2, 7, 2) }, 5, 9, 2},
		{"assign a product", func() any { return mutantAssignMultiply(1, 2, 7, 2) }, 14, 3, 2},
		{"assign a quotient", func() any { return mutantAssignDivide(1, 2, 7, 0) }, nil, 0, 0},
		{"assign a text", func() any { return mutantAssignText(0, 2, "a", "b") }, "ab", "ab", "b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for active, want := range []any{tt.inactive, tt.first, tt.second} {
				if diff := cmp.Diff(want, with(t, active, tt.value)); diff != "" {
					t.Errorf("mutant %d: %s", active, diff)
				}
			}
		})
	}
}

// with returns a value with an active mutant, and nil if it divides by zero.
func with(t *testing.T, active int, value func() any) (got any) {
	t.Helper()
	mutantActive = active
	defer func() {
		mutantActive = 0
		_ = recover()
	}()
	return value()
}

func TestSwitches_ReachedOnce(t *testing.T) {
	mutantsSeen = filepath.Join(t.TempDir(), "seen")
	defer func() { mutantsSeen = "" }()
	for range 2 {
		mutantAnd(8, false, func() bool { return mutantNot(5, true) })
		mutantLess(0, 3, 1, 2)
	}
	got, err := os.ReadFile(mutantsSeen)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("8\n3\n", string(got)); diff != "" {
		t.Error(diff)
	}
}
