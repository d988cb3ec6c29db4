// Package accounting writes what a campaign's charges brought as journals of double-entry
// bookkeeping: one for each day on which cards were charged, in the platform's time zone,
// with a line for each account. Each journal balances to the cent.
//
// It is made of the pledges as they stand, and holds no books: a refund or a payout is made
// at the processor, and booked where the books are. The same pledges give the same bytes. What
// a line means is a promise: Version changes when an account or a column is renamed, moved or
// taken away.
package accounting

// Version is that of accounts and columns.
const Version = 1
