// Package reconcile compares a campaign's records with the processor's, in both directions: it
// reads the payment of every charged pledge, and lists every payment since a day before the
// campaign's first pledge, so that it also finds payments whose ID was never stored. A difference
// is a break: it opens, is counted, and is resolved by the first complete pass that no longer
// finds it.
//
// A break asks an operator to investigate. Reconciliation never charges and never changes a
// pledge.
package reconcile
