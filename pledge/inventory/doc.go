// Package inventory implements the campaign object, the authoritative record of a
// campaign's stock and totals. There is one object per campaign, and one for the
// platform add-ons.
//
// # Accounts
//
// For each pledge, the object has an [Account] with the pledge's contribution to the campaign. It
// also has the sums over all accounts, the committed units of each item, the list of pledges, and
// the pledges of each supporter. [Client.Book] sets an account to a revision of its pledge and
// updates the sums by the difference from the previous revision, so booking the same revision again
// has no effect.
//
// # Holds
//
// Units are held ([Client.Hold]) before they are promised:
//
//	         Hold                    Book
//	free ───────────▶ held ─────────────────▶ committed
//	  ▲                │ Release                  │ Book (changed or cancelled)
//	  └────────────────┴──────────────────────────┘
//
// A hold has the ID of its pledge and a due time, and does not expire. When it is due, a job looks
// up the result of the checkout step in the order object and at Stripe, and then books or releases
// the hold. So a supporter whose card is saved is never rejected for lack of stock, and units are
// released only when they are certainly not needed.
//
// # Limits
//
// A hold never makes an item's committed and held units exceed its limit. A client that has not
// saved a card has a holder name, and a holder can hold only a share of a limited item: a tenth of
// its units or, if that is more, four; but at most half of its units, and at least one.
package inventory
