// Package checkout is the way of a pledge up to its settlement: a cart becomes
// canonical totals, a checkout with a saved card becomes pledges, and their
// supporter changes, cancels or votes with them.
//
//	            Start                       the card is saved
//	cart ──────────────────▶ open order ───────────────────────▶ pledges
//	      order object        │    Webhook, Complete, Recover     order object
//	      holds               │    and Sweep are doors to one      accounts
//	      processor session   │    function                       projections
//	      attach              │                                   mail
//	                          └── Abandon, Sweep ──▶ abandoned
//
// The truth is in the objects of packages order and inventory. What is written
// here is in such an order that a crash between any two steps leaves a state
// from which a repeat, or Sweep, goes on: the intent first, then what it holds,
// then the step itself, then what follows from it.
//
// # Combined pledges
//
// Which pledges of an address are charged in one payment is decided by settlement,
// from marks that are set here: [StartRequest] names the browser session, and its
// keyed hash is part of the manifest; a checkout from a pledge link, and Join, mark
// pledges as joined. [CampaignTotal] and [PledgeView] show the common payment to
// those who may know of it.
package checkout
