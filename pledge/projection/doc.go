// Package projection maintains the records in the Store that are derived from the order and
// campaign objects: pledges, supporters' lists, campaign indexes, public numbers and vote results.
// All of them can be rebuilt from the objects; none is authoritative.
//
// # Data flow
//
//	order object ── Book ──▶ campaign and platform objects (accounts)
//	                  │
//	                  └────▶ Store, in one batch: pledge records, supporters'
//	                         lists, index segments, then the numbers
//
// [Projector.Book] and [Projector.BookNew] update the projections of a pledge. They can be repeated
// after any step. A crash can leave an outdated projection, which the next change,
// [Projector.Sweep], [Projector.Repair] or [Projector.Rebuild] repairs. Concurrent bookings of a
// campaign share one write.
//
// [Projector.Stats], [Projector.Stock], [Projector.Live] and [Projector.AddOns] serve
// the public reads from a cache of a few seconds.
//
// # Concurrency
//
// A [Projector] is safe for concurrent use. Several servers may write the same projections. Each
// rereads the order after writing, so that an older record does not remain.
package projection
