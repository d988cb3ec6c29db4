// Package accounting exports a campaign's money as double-entry journals, for import into bookkeeping
// software: one journal for each day with charges, in the platform's time zone, with one line per
// account, and one for each day with other movements, such as refunds, disputes and payouts. Every
// journal balances to the cent.
//
// The journals of charges and the processor's fees are computed from the pledges, all others from the
// entries of the ledger. The package stores nothing. The same pledges and entries always produce the
// same bytes.
//
// A journal has the value date of its movements, on which the money moved at the processor. Movements
// that were booked in a later month have their own journal, which names the day of the booking: the
// journals of a month that was exported before keep their bytes.
//
//	journals, err := accounting.Collect(slug, pledges, entries, zone)
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
