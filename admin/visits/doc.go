// Package visits counts how often the pages of campaigns are opened from elsewhere, by day and
// by what the link said of where it stood. It knows nobody: what it keeps is numbers and the
// names that links carry, without an address, a cookie or an identity of any kind.
//
// Visits are counted in memory and written once a minute. A server that is killed loses those
// of its last minute, and whoever opens a page twice is counted twice: these are figures to
// compare links by, not books.
package visits
