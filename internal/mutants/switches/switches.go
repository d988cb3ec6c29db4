// Package switches is copied into a measured package. It activates the mutant
// whose number is in the environment and records which mutants the process
// reaches. Its identifiers have a prefix that avoids conflicts.
package switches

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

var (
	mutantActive   = mutantFromEnv()
	mutantsSeen    = os.Getenv("MUTANTS_SEEN") // the file that lists reached mutants; empty to disable
	mutantRecorded sync.Map
)

// mutantMemory is the memory limit of a process in bytes. An endless loop might
// exhaust the memory before its time is over.
const mutantMemory = 2 << 30

func mutantFromEnv() int {
	n, _ := strconv.Atoi(os.Getenv("MUTANT"))
	if n != 0 {
		go mutantLimitMemory()
	}
	return n
}

func mutantLimitMemory() {
	for range time.Tick(50 * time.Millisecond) {
		var taken runtime.MemStats
		if runtime.ReadMemStats(&taken); taken.HeapAlloc > mutantMemory {
			panic("the mutant exceeds the memory limit")
		}
	}
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

// mutantIs reports whether mutant n is active; 0 is none.
func mutantIs(n int) bool {
	if mutantsSeen != "" && n != 0 {
		mutantRecord(n)
	}
	return n == mutantActive && n != 0
}

func mutantRecord(n int) {
	if _, noted := mutantRecorded.LoadOrStore(n, true); noted {
		return
	}
	file, err := os.OpenFile(mutantsSeen, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	if _, err := fmt.Fprintln(file, n); err != nil {
		panic(err)
	}
	if err := file.Close(); err != nil {
		panic(err)
	}
}

func mutantNot(n int, v bool) bool { return v != mutantIs(n) }

func mutantAnd(n int, a bool, b func() bool) bool {
	if mutantIs(n) {
		return a || b()
	}
	return a && b()
}

func mutantOr(n int, a bool, b func() bool) bool {
	if mutantIs(n) {
		return a && b()
	}
	return a || b()
}

func mutantCompared(boundary, negation int, is, atBoundary, not bool) bool {
	near, far := mutantIs(boundary), mutantIs(negation)
	switch {
	case near:
		return atBoundary
	case far:
		return not
	}
	return is
}

func mutantLess[T cmp.Ordered](boundary, negation int, a, b T) bool {
	return mutantCompared(boundary, negation, a < b, a <= b, a >= b)
}

func mutantLessOrEqual[T cmp.Ordered](boundary, negation int, a, b T) bool {
	return mutantCompared(boundary, negation, a <= b, a < b, a > b)
}

func mutantGreater[T cmp.Ordered](boundary, negation int, a, b T) bool {
	return mutantCompared(boundary, negation, a > b, a >= b, a <= b)
}

func mutantGreaterOrEqual[T cmp.Ordered](boundary, negation int, a, b T) bool {
	return mutantCompared(boundary, negation, a >= b, a > b, a < b)
}

func mutantAdd[T mutantNumber](n int, a, b T) T {
	if mutantIs(n) {
		return a - b
	}
	return a + b
}

func mutantSubtract[T mutantNumber](n int, a, b T) T {
	if mutantIs(n) {
		return a + b
	}
	return a - b
}

func mutantMultiply[T mutantNumber](n int, a, b T) T {
	if mutantIs(n) {
		return a / b
	}
	return a * b
}

func mutantDivide[T mutantNumber](n int, a, b T) T {
	if mutantIs(n) {
		return a * b
	}
	return a / b
}

func mutantRemainder[T interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}](n int, a, b T) T {
	if mutantIs(n) {
		return a * b
	}
	return a % b
}

func mutantMinus[T mutantNumber](n int, a T) T {
	if mutantIs(n) {
		return +a
	}
	return -a
}

func mutantPlus[T mutantNumber](n int, a T) T {
	if mutantIs(n) {
		return -a
	}
	return +a
}

// mutantStep returns 1, or -1 if mutant n is active. The second parameter only determines the
// type.
func mutantStep[T mutantNumber](n int, _ T) T {
	if mutantIs(n) {
		return T(0) - 1
	}
	return 1
}

func mutantAssigned[T any](inverse, alone int, is, inverted func() T, last T) T {
	turned, left := mutantIs(inverse), mutantIs(alone)
	switch {
	case turned:
		return inverted()
	case left:
		return last
	}
	return is()
}

func mutantAssignAdd[T mutantNumber](inverse, alone int, a, b T) T {
	return mutantAssigned(inverse, alone, func() T { return a + b }, func() T { return a - b }, b)
}

func mutantAssignSubtract[T mutantNumber](inverse, alone int, a, b T) T {
	return mutantAssigned(inverse, alone, func() T { return a - b }, func() T { return a + b }, b)
}

func mutantAssignMultiply[T mutantNumber](inverse, alone int, a, b T) T {
	return mutantAssigned(inverse, alone, func() T { return a * b }, func() T { return a / b }, b)
}

func mutantAssignDivide[T mutantNumber](inverse, alone int, a, b T) T {
	return mutantAssigned(inverse, alone, func() T { return a / b }, func() T { return a * b }, b)
}

func mutantAssignText[T ~string](_, alone int, a, b T) T {
	if mutantIs(alone) {
		return b
	}
	return a + b
}
