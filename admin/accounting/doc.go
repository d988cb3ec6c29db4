// Package accounting exports the charges of a campaign as double-entry journals, for import
// into bookkeeping software: one journal for each day with charges, in the platform's time
// zone, with one line per account. Every journal balances to the cent.
//
// Journals are computed from the pledges; the package stores nothing. Refunds and payouts
// are made at the processor and must be booked separately. The same pledges always produce
// the same bytes.
//
//	journals, err := accounting.Collect(slug, pledges, zone)
//	...
//	for _, file := range accounting.Xero.Files(journals) {
//		err = accounting.Xero.Write(w, slug, file, names)
//	}
//
// The format is stable: Version changes when an account or a column is renamed, moved or
// removed.
package accounting

// Version is the version of the accounts and columns.
const Version = 1
