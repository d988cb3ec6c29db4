// Package checkout handles a pledge until its settlement. It turns a cart into
// canonical totals and a checkout with a saved card into pledges, and lets
// supporters change and cancel their pledges and vote with them.
//
//	            Start                       card saved
//	cart ──────────────────▶ open order ───────────────────────▶ pledges
//	      order object        │    Webhook, Complete, Recover     order object
//	      holds               │    and Sweep all call             accounts
//	      processor session   │    confirm                        projections
//	      attach              │                                   mail
//	                          └── Abandon, Sweep ──▶ abandoned
//
// The objects of packages order and inventory are authoritative. Writes are
// ordered so that a crash between any two steps leaves a state that a repeat, or
// Sweep, can complete: first a record of the intent, then the holds, then the
// step itself, then its effects.
//
// Package pricing checks carts and computes their totals, without side effects. This package
// holds the units, opens the processor's session, and turns a priced cart into pledges.
//
// # Usage
//
// A host creates a [Service] and exposes its methods over HTTP: [Service.Start],
// [Service.Resume], [Service.Extend] and [Service.Abandon] for checkouts,
// [Service.Webhook] for the processor's events, and [Service.View],
// [Service.Modify], [Service.Cancel] and [Service.StartCard] for the holders of
// manage links. It calls [Service.Sweep] periodically.
//
// # Errors
//
// Methods return errors of package fault. Their codes decide the HTTP status, and
// Unavailable means that the request may be repeated.
//
// # Combined pledges
//
// Settlement decides which pledges of an address are charged in one payment,
// based on data set here: [StartRequest] carries the browser session, whose keyed
// hash is part of the manifest; a checkout started from a pledge link, and Join,
// mark pledges as joined. [CampaignTotal] and [PledgeView] show the combined
// payment to those who may see it.
package checkout
