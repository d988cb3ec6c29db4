// Package refund has the state machine of refunds: the commands that grant a refund and record its
// results in a campaign's settlement object, and the function that decides the next step. It calls
// no processor and reads no pledges; package settlement does that and reports the results here.
//
// # A refund
//
// A [Refund] is decided once, for fixed components of the pledges of one payment. Granting it takes
// these components from what remains of the payment in the ledger, so that no other refund can have
// them. Its request has its own key, is counted before it is sent, and is sent again only after
// a lookup found no refund and only while the processor remembers the key (23 hours). Then a person
// decides.
//
//	waiting ──▶ granted ──▶ submitted ──▶ pending ──▶ succeeded ──▶ failed ──▶ repaid
//	   │           │         │     │         │
//	   │           │         │     │         └─▶ refused, if nothing had moved
//	   └───────────┴─▶ withdrawn   ├─▶ refused
//	                         │     └─▶ needsAttention ──▶ as submitted
//	                         └─▶ withdrawn, if no request arrived
//
// A refund that succeeded can fail for 30 days. Its amount is then owed to the supporter, until two
// operators state that it was paid in another way. What the processor moved is in the ledger: the
// status and its entry are one transaction.
//
// # The choice
//
// [Choice] is the part of a pledge that an operator refunds: everything, an amount, or units of its lines, with or
// without shipping and tip. Tax follows in proportion.
//
// # Errors
//
// Errors are [fault] values: Conflict if the state does not allow a change or less remains than is
// refunded, Invalid for a choice that the pledge does not have, NotFound for an unknown refund.
package refund
