// Package reconcile compares a campaign's records with the processor's, in both directions. It
// reads the payment of every charged pledge, and it lists every payment since a day before the
// campaign's first pledge, so that it also finds payments whose ID was never stored.
//
// A difference is a break: it is opened when a pass finds it, counted by later passes, and
// resolved by the first complete pass that no longer finds it. A break is a request to an
// operator to investigate. Reconciliation never charges and never changes a pledge.
package reconcile
