// Package projection keeps the Store's view of pledges and campaigns: the
// pledge records, the indexes, the public numbers. All of it can be rebuilt
// from the order and campaign objects, none of it is accounting truth.
//
// Book is the one way in. It may be run again after any of its steps, so a
// crash leaves at worst a projection that the next change, Rebuild or the
// hourly check puts right.
package projection
