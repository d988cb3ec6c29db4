// Package reconcile holds a campaign's books against the processor's, both
// ways: every charged pledge's payment is read, and every payment of the time
// since the deadline is listed, so that one whose ID was never stored is found
// too. What differs is a break: it opens, is counted, and is resolved by the
// first whole pass that no longer finds it.
//
// A break is a reason for an operator to look. It never charges, and never
// changes a pledge.
package reconcile
