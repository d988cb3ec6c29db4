// Package mutation tests the simulation: it plants one bug after another into
// the code that moves money and looks whether some history breaks a promise. A
// bug that no history finds would pass for a proof.
//
// The planted bugs are in mutants_test.go. `make mutate` hunts all of them.
package mutation
