// Package payout mirrors the processor's payouts and records them in the ledgers of campaigns. It calls no
// processor; package settlement does that and reports what it read.
//
// # Where it is stored
//
// A payout takes money of all campaigns, and of other services of the account, to the bank. It is therefore
// mirrored in the settlement object of all campaigns ([Platform]). Each campaign's object ([Campaign]) has the
// ledger entry of its share. Two objects cannot change in one transaction, so every command can be
// repeated: [Payout.NextStep] returns the step that is left after a crash.
//
// # Contents
//
// The rows of an automatic payout are listed in pages, and each page is reduced to totals before it is recorded:
// a payout has thousands of rows, but few campaigns. A row belongs to the campaign of its payment. The return of
// an earlier payout is divided as that payout was. Everything else is "other".
//
// The shares and the other rows add up to the payout's amount, or nothing is booked. A row that a campaign's
// ledger does not have is counted and named but does not prevent that the share is booked: the money
// has left the balance.
//
//	waiting ──▶ explained | unexplained     manual payouts: notExplainable
//
// # Statuses
//
// Reports may be lost, repeated or reordered. A payout's status never returns to an earlier one
// (pending, in_transit, paid, failed or canceled). Once it failed, every ledger has the share and its
// return, in any order of the reports.
//
// # Errors
//
// Errors are [fault] values: NotFound for an unknown payout, Conflict if a ledger has another share.
package payout
