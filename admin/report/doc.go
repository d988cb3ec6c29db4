// Package report writes a campaign's pledges as CSV files and Excel workbooks: all pledges
// with their amounts (PledgeReport), and the items to make and ship for charged pledges
// (FulfillmentReport, LeftToSend).
//
// The columns are stable: Version changes when a column is renamed, moved or removed; new columns
// are added at the end. Amounts are dollars with two decimals, times are RFC 3339 in UTC. A cell
// that a spreadsheet would interpret as a formula is prefixed with an apostrophe, except in the CSV
// for carriers. The same pledges always produce the same bytes. Only one row is held in memory at a
// time.
package report

// Version is the version of the columns.
const Version = 1
