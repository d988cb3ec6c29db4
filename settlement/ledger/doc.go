// Package ledger records every movement of a campaign's money as double-entry bookkeeping: charges,
// the processor's fees, and refunds. It is append-only. Pledges, reports and
// exports refer to it; it never reads them.
//
// # Entries
//
// An [Entry] is one movement. Its lines add up to zero: debits are positive, credits negative. A
// charge of $26.97 with a fee of $1.08, and a refund of the whole pledge:
//
//	               charge      fee   refund
//	clearing       +26.97    −1.08   −26.97
//	fees                     +1.08
//	pledges        −25.00            +25.00
//	tax             −1.97             +1.97
//	            ───────── ──────── ────────
//	                 0.00     0.00     0.00
//
// Clearing is what the processor owes to the operator, so its balance equals the processor's balance
// for the campaign's payments. The lines of income and tax name their pledge. No entry contains a
// person's data.
//
// # Where it is stored
//
// The entries of a campaign are in its settlement object, so that an outcome and its entry are one
// transaction. [Append] numbers them without gaps, and each has the hash of the entry before it:
// [Verifier] detects a changed, missing or inserted entry. Nothing is changed or deleted; a mistake is
// corrected by an entry that reverses another.
//
// An entry's identity names the movement, such as "charge:pi_1". The same movement is recorded once:
// appending it again returns the first entry.
//
// # Components of an amount
//
// [Components] are the components of a pledge's amount. [Divide] divides a refund among what remains
// of them, so that a pledge that is refunded in any number of steps ends at zero in every component.
//
// # Errors and concurrency
//
// Errors are [fault] values: Conflict for an identity that was recorded with other lines, Internal
// for an entry that is not balanced, which is a bug. Append and [Read] run in a transaction of the
// object; everything else is a pure function.
package ledger
