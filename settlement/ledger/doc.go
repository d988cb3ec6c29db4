// Package ledger records a campaign's charges and the processor's fees for them as double-entry
// bookkeeping. It is append-only, and reads neither pledges nor the processor.
//
// # Entries
//
// An [Entry] is one movement of money. Its lines add up to zero: debits are positive, credits
// negative. A charge of $26.97 and its fee of $1.08:
//
//	            charge     fee
//	clearing    +26.97   −1.08
//	fees                 +1.08
//	pledges     −25.00
//	tax          −1.97
//
// Clearing is what the processor owes to the operator. The lines of income and tax name their pledge.
// No entry contains a person's data.
//
// # Where it is stored
//
// The entries of a campaign are in its settlement object, so that an outcome and its entry are one
// transaction. [Append] numbers them without gaps, and each has the hash of the entry before it:
// [Verifier] detects a changed, missing or inserted entry. Nothing is changed or deleted.
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
