// Package projection maintains the Store's view of pledges and campaigns: the pledge
// records, the supporters' lists, the campaign indexes, the public numbers and the vote
// results. All of them can be rebuilt from the order and campaign objects; none is
// authoritative.
//
// # Data flow
//
//	order object ── Book ──▶ campaign and platform objects (accounts)
//	                  │
//	                  └────▶ Store, in one batch: pledge records, supporters'
//	                         lists, index segments, then the numbers
//
// [Projector.Book] is the only entry point for pledges. It can be repeated after any step, so a
// crash can leave an outdated projection, which the next change, [Projector.Sweep],
// [Projector.Repair] or [Projector.Rebuild] repairs. Concurrent bookings of a campaign share one
// write.
//
// [Projector.Stats], [Projector.Stock], [Projector.Live] and [Projector.AddOns] serve
// the public reads from a cache of a few seconds.
//
// # Concurrency
//
// A [Projector] is safe for concurrent use. Several servers may write the same
// projections: each rereads the order after writing, so that an older record does not
// remain.
package projection
