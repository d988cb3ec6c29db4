// Package inventory implements the campaign object, the authoritative record of a
// campaign's stock and totals. There is one object per campaign, and one for the
// platform add-ons.
//
// # Accounts
//
// For each pledge the object has an [Account] with the pledge's contribution to the campaign, and
// the sums over all accounts: units committed per item, amounts, the list of pledges, and the
// pledges of each supporter. [Client.Book] sets an account to a revision of its pledge and
// updates the sums by the difference from the previous revision, so booking the same revision
// again changes nothing.
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
// A hold records the intent of a checkout step: it has the pledge's ID and a due time, and does
// not expire. When it is due, a job looks up the step's result in the order object and at Stripe,
// and then books or releases it. So a supporter whose card is saved is never rejected, and units
// are released once it is certain that they are no longer needed.
//
// # Limits
//
// For every item, committed plus held units never exceed its limit. A client that has
// not saved a card has a holder name, and a holder can hold only a share of a limited
// item: a tenth of its units or four, whichever is more, but at most half.
package inventory
