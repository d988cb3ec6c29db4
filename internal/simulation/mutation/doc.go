// Package mutation tests the simulation: it plants bugs into the code that moves
// money, one at a time, and checks that a simulated history then breaks a promise.
// A bug that no history detects shows a gap in the simulation.
//
// The planted bugs are in mutants_test.go. `make mutate` tests all of them.
package mutation
