// Package report writes a campaign's pledges as CSV: all of them with what they come to, and
// what has to be made and sent once they are charged.
//
// Columns are a promise: Version changes when one is renamed, moved or taken away, and new
// ones come at the end. Amounts are dollars with two digits, times are RFC 3339 in UTC. A
// cell that a spreadsheet would take for a formula begins with an apostrophe, except in the
// CSV for carriers. The same
// pledges give the same bytes, and no more than one row is held at a time.
package report

// Version is that of the columns.
const Version = 1
